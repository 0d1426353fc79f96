import type { ProviderModels } from '#shared/model';
import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { KeyField } from './key-field';
import { OutcomeLine, failed, type Outcome } from './outcome-line';

export interface KeyFormProps {
  readonly provider: ProviderModels;
  readonly onDone: () => void;
}

/** Changes or removes the key of a provider and nothing else. */
export function KeyForm({ provider, onDone }: KeyFormProps) {
  const { saveProvider } = useCommands();
  const [fields, setFields] = useState({ key: '', unprotected: false });
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { providerId: id, name, baseUrl = '' } = provider;

  const save = async (key: string) => {
    setBusy(true);
    const { unprotected } = fields;
    const saved = await saveProvider({
      provider: { id, name, baseUrl },
      key,
      ...(unprotected && { unprotected }),
    });
    setBusy(false);
    if (saved.ok) onDone();
    else setOutcome(failed(saved.error));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(fields.key.trim());
  };
  return (
    <form
      aria-label={text('settings.key.form', { name })}
      aria-busy={busy}
      onSubmit={submit}
      className="flex flex-col gap-3 px-3 pb-3"
    >
      <KeyField
        autoFocus
        hint={text('settings.key.replaces')}
        apiKey={fields.key}
        unprotected={fields.unprotected}
        onChange={(patch) => setFields((before) => ({ ...before, ...patch }))}
      />
      <OutcomeLine outcome={outcome} />
      <div className="flex justify-end gap-2">
        {provider.hasKey && (
          <Button tone="danger" disabled={busy} onClick={() => void save('')}>
            {text('settings.key.remove')}
          </Button>
        )}
        <Button tone="quiet" onClick={onDone}>
          {text('shared.cancel')}
        </Button>
        <Button tone="primary" type="submit" disabled={busy || fields.key.trim() === ''}>
          {text('shared.save')}
        </Button>
      </div>
    </form>
  );
}
