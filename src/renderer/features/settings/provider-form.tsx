import { Provider } from '#shared/model';
import { Check, CircleAlert, Eye, EyeOff } from 'lucide-react';
import { useId, useState, type ComponentProps, type FormEvent, type ReactNode } from 'react';
import { useCommands, useMirror } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { providerId } from './provider-id';

const presets = [
  { name: 'OpenAI', baseUrl: 'https://api.openai.com/v1' },
  { name: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1' },
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
] as const;

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string;
  readonly extra?: ReactNode;
}

function Field({ label, hint, extra, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="mt-1 flex items-center gap-1">
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={hint ? `${id}-hint` : undefined}
          className="readable h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent"
          {...rest}
        />
        {extra}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

type Outcome = { readonly good: boolean; readonly text: string } | null;

function OutcomeLine({ outcome }: { readonly outcome: Outcome }) {
  const Icon = outcome?.good ? Check : CircleAlert;
  return (
    <p role="status" className="flex min-h-5 gap-1.5 text-sm">
      {outcome && (
        <>
          <Icon
            aria-hidden
            size={15}
            className={`mt-0.5 shrink-0 ${outcome.good ? 'text-accent-text' : 'text-danger-text'}`}
          />
          <span className={outcome.good ? '' : 'text-danger-text'}>{outcome.text}</span>
        </>
      )}
    </p>
  );
}

/** Says where the key will be; without a keychain, keeping it is a choice that has to be made. */
function KeyPlace(props: {
  readonly unprotected: boolean;
  readonly onChange: (unprotected: boolean) => void;
}) {
  const keychain = useMirror((mirror) => mirror.info?.keychain);
  if (!keychain || keychain.available) {
    return <p className="text-xs text-muted">The key is encrypted with this system’s keychain.</p>;
  }
  return (
    <div className="rounded-lg border border-line bg-copper-soft px-3 py-2 text-sm">
      <p>
        This system offers no keychain{keychain.reason ? `: ${keychain.reason}` : ''}. The key is kept until
        Patina closes.
      </p>
      <label className="mt-1.5 flex items-center gap-2">
        <input
          type="checkbox"
          className="accent-copper-strong"
          checked={props.unprotected}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
        Keep it anyway, unprotected, in a file only my account can read
      </label>
    </div>
  );
}

function useProviderForm(taken: readonly string[], onDone: () => void) {
  const commands = useCommands();
  const [name, setName] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [key, setKey] = useState('');
  const [unprotected, setUnprotected] = useState(false);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);

  const secret = key.trim() === '' ? {} : { key: key.trim() };
  const test = async () => {
    setBusy(true);
    const tested = await commands.testProvider({ baseUrl: baseUrl.trim(), ...secret });
    setBusy(false);
    if (!tested.ok) {
      return setOutcome({
        good: false,
        text: [tested.error.message, tested.error.hint].filter(Boolean).join(' '),
      });
    }
    const count = tested.value.models.length;
    setOutcome({ good: true, text: `It answers and offers ${count === 1 ? '1 model' : `${count} models`}.` });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const provider = Provider.safeParse({
      id: providerId(name, taken),
      name: name.trim(),
      baseUrl: baseUrl.trim(),
    });
    if (!provider.success) {
      return setOutcome({
        good: false,
        text: 'A name and an address that begins with http:// or https:// are needed.',
      });
    }
    setBusy(true);
    const saved = await commands.saveProvider({
      provider: provider.data,
      ...secret,
      ...(unprotected && { unprotected }),
    });
    setBusy(false);
    if (saved.ok) return onDone();
    setOutcome({ good: false, text: [saved.error.message, saved.error.hint].filter(Boolean).join(' ') });
  };
  return {
    name,
    setName,
    baseUrl,
    setBaseUrl,
    key,
    setKey,
    unprotected,
    setUnprotected,
    busy,
    outcome,
    test,
    save,
  };
}

export interface ProviderFormProps {
  /** Ids that other providers have. */
  readonly taken: readonly string[];
  readonly onDone: () => void;
}

/** Adds a provider: name, address, key; tried before it is saved if one likes. */
export function ProviderForm({ taken, onDone }: ProviderFormProps) {
  const form = useProviderForm(taken, onDone);
  const [visible, setVisible] = useState(false);
  return (
    <form
      aria-label="Add a provider"
      onSubmit={(event) => void form.save(event)}
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      <div className="flex flex-wrap gap-1.5">
        {presets.map((preset) => (
          <button
            key={preset.name}
            type="button"
            onClick={() => {
              form.setName(preset.name);
              form.setBaseUrl(preset.baseUrl);
            }}
            className="h-6 rounded-full border border-line px-2.5 text-xs text-muted hover:bg-hover hover:text-text"
          >
            {preset.name}
          </button>
        ))}
      </div>
      <Field
        label="Name"
        autoFocus
        value={form.name}
        onChange={(event) => form.setName(event.currentTarget.value)}
      />
      <Field
        label="Base URL"
        inputMode="url"
        placeholder="https://…/v1"
        value={form.baseUrl}
        onChange={(event) => form.setBaseUrl(event.currentTarget.value)}
      />
      <Field
        label="API key"
        type={visible ? 'text' : 'password'}
        hint="Leave empty for a server that needs none."
        value={form.key}
        onChange={(event) => form.setKey(event.currentTarget.value)}
        extra={
          <IconButton
            bare
            icon={visible ? EyeOff : Eye}
            label={visible ? 'Hide the key' : 'Show the key'}
            onClick={() => setVisible(!visible)}
          />
        }
      />
      {form.key.trim() !== '' && <KeyPlace unprotected={form.unprotected} onChange={form.setUnprotected} />}
      <OutcomeLine outcome={form.outcome} />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button disabled={form.busy || form.baseUrl.trim() === ''} onClick={() => void form.test()}>
          Test
        </Button>
        <Button tone="primary" type="submit" disabled={form.busy}>
          Save
        </Button>
      </div>
    </form>
  );
}
