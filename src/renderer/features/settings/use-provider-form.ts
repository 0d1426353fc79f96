import { Provider } from '#shared/model';
import type { AppError } from '#shared/app-error';
import { useState, type FormEvent } from 'react';
import { useCommands } from '../../store/app-context';
import { providerId } from './provider-id';

/** What came of a test or a save. */
export interface Outcome {
  readonly good: boolean;
  readonly text: string;
}

export interface ProviderFields {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly unprotected: boolean;
}

const emptyFields: ProviderFields = { name: '', baseUrl: '', key: '', unprotected: false };

const failed = ({ message, hint }: AppError): Outcome => ({
  good: false,
  text: [message, hint].filter(Boolean).join(' '),
});

const secretOf = ({ key }: ProviderFields) => (key.trim() === '' ? {} : { key: key.trim() });

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
    const provider = Provider.safeParse({
      id: providerId(name, taken),
      name,
      baseUrl: fields.baseUrl.trim(),
    });
    if (!provider.success) {
      const text = 'It needs a name and an address that begins with http:// or https://.';
      return setOutcome({ good: false, text });
    }
    setBusy(true);
    const { unprotected } = fields;
    const input = { provider: provider.data, ...secretOf(fields), ...(unprotected && { unprotected }) };
    const saved = await commands.saveProvider(input);
    setBusy(false);
    if (saved.ok) onDone();
    else setOutcome(failed(saved.error));
  };
  const change = (patch: Partial<ProviderFields>) => setFields((before) => ({ ...before, ...patch }));
  return { fields, change, busy, outcome, test, save };
}
