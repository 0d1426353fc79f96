import { useState, type FormEvent } from 'react';
import { useCommands } from '../../store/app-context';
import { failed, secretOf, type Outcome } from './outcome';
import { providerId } from './provider-id';

export interface ProviderFields {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly unprotected: boolean;
}

const emptyFields: ProviderFields = { name: '', baseUrl: '', key: '', unprotected: false };

/** What can be seen at a glance; main checks the address as a whole. */
const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** The state of the form that adds a provider, and its two commands. */
export function useProviderForm(taken: readonly string[], onDone: () => void) {
  const commands = useCommands();
  const [fields, setFields] = useState(emptyFields);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  const test = async () => {
    setBusy(true);
    const tested = await commands.testProvider({ baseUrl: fields.baseUrl.trim(), ...secretOf(fields) });
    setBusy(false);
    if (!tested.ok) return setOutcome(failed(tested.error));
    const count = tested.value.models.length;
    setOutcome({ good: true, text: `It answers and offers ${count === 1 ? '1 model' : `${count} models`}.` });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const name = fields.name.trim();
    const provider = { id: providerId(name, taken), name, baseUrl: fields.baseUrl.trim() };
    if (name === '' || !isWebAddress(provider.baseUrl)) {
      const text = 'It needs a name and an address that begins with http:// or https://.';
      return setOutcome({ good: false, text });
    }
    setBusy(true);
    const { unprotected } = fields;
    const input = { provider, ...secretOf(fields), ...(unprotected && { unprotected }) };
    const saved = await commands.saveProvider(input);
    setBusy(false);
    if (saved.ok) onDone();
    else setOutcome(failed(saved.error));
  };
  const change = (patch: Partial<ProviderFields>) => setFields((before) => ({ ...before, ...patch }));
  return { fields, change, busy, outcome, test, save };
}
