import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import { KeyField } from './key-field';
import { OutcomeLine, type Outcome, secretOf, failed } from './outcome-line';

const presets = [
  { name: 'OpenAI', baseUrl: 'https://api.openai.com/v1' },
  { name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1' },
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
] as const;

function Presets({ onPick }: { readonly onPick: (preset: (typeof presets)[number]) => void }) {
  return (
    <div role="group" aria-label={text('settings.provider.knownServers')} className="flex flex-wrap gap-1.5">
      {presets.map((preset) => (
        <button
          key={preset.name}
          type="button"
          onClick={() => onPick(preset)}
          className="h-6 rounded-full border border-line px-2.5 text-xs text-muted hover:bg-hover hover:text-text"
        >
          {preset.name}
        </button>
      ))}
    </div>
  );
}

interface ProviderFormProps {
  /** The ids of all existing providers. */
  readonly taken: readonly string[];
  readonly onDone: () => void;
}

/** Adds a provider: name, address and key; the user can test it before saving. */
export function ProviderForm({ taken, onDone }: ProviderFormProps) {
  const { fields, change, busy, outcome, test, save } = useProviderForm(taken, onDone);
  return (
    <form
      aria-label={text('settings.models.add')}
      onSubmit={(event) => void save(event)}
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      <Presets onPick={change} />
      <TextField
        label={text('settings.provider.name')}
        autoFocus
        value={fields.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextField
        label={text('settings.provider.baseUrl')}
        inputMode="url"
        placeholder={text('settings.provider.baseUrlExample')}
        value={fields.baseUrl}
        onChange={(event) => change({ baseUrl: event.currentTarget.value })}
      />
      <KeyField apiKey={fields.key} unprotected={fields.unprotected} onChange={change} />
      <OutcomeLine outcome={outcome} />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onDone}>
          {text('shared.cancel')}
        </Button>
        <Button disabled={busy || fields.baseUrl.trim() === ''} onClick={() => void test()}>
          {text('settings.provider.test')}
        </Button>
        <Button tone="primary" type="submit" disabled={busy}>
          {text('shared.save')}
        </Button>
      </div>
    </form>
  );
}
interface ProviderFields {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly unprotected: boolean;
}
const emptyFields: ProviderFields = { name: '', baseUrl: '', key: '', unprotected: false };

/** A quick check; main validates the whole address. */
const isWebAddress = (address: string): boolean => /^https?:$/.test(URL.parse(address)?.protocol ?? '');

/** The state of the form that adds a provider, and its two commands. */
function useProviderForm(taken: readonly string[], onDone: () => void) {
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
    setOutcome({ good: true, text: text('settings.provider.answered', { count }) });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const name = fields.name.trim();
    const provider = { id: providerId(name, taken), name, baseUrl: fields.baseUrl.trim() };
    if (name === '' || !isWebAddress(provider.baseUrl)) {
      return setOutcome({ good: false, text: text('settings.provider.incomplete') });
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

/** A unique id for a provider name: `My Server` becomes `my-server`, then `my-server-2`. */
export function providerId(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const base = words === '' || words === 'offline' ? 'provider' : words;
  if (!taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
