import type { IpcInput } from '#shared/ipc';
import type { ImportPreview } from '#shared/servers';
import { TriangleAlert } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { richText, text } from '../../locales/text';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/text-field';
import { formatList } from '../../ui/format';
import { useFocusOnMount } from '../../ui/use-focus-on-mount';
import { ServerCommand } from './server-command';

export interface ServerImportProps {
  readonly preview: ImportPreview;
  readonly busy: boolean;
  readonly onImport: (input: IpcInput<'server-import'>) => void;
  readonly onCancel: () => void;
}

type Found = ImportPreview['servers'][number];

/** The input values that a selected server needs. */
function Inputs(props: {
  readonly server: Found;
  readonly values: Readonly<Record<string, string>>;
  readonly onValue: (id: string, value: string) => void;
}) {
  const { server, values, onValue } = props;
  if (server.inputs.length === 0) return null;
  return (
    <div className="mt-2 space-y-2 ps-6.5">
      {server.inputs.map(({ id, label, secret }) => (
        <TextField
          key={id}
          label={label}
          type={secret ? 'password' : 'text'}
          hint={text('settings.serverImport.inputHint', { name: server.name })}
          value={values[id] ?? ''}
          onChange={(event) => onValue(id, event.currentTarget.value)}
        />
      ))}
    </div>
  );
}

function Choice(props: { readonly server: Found; readonly chosen: boolean; readonly onToggle: () => void }) {
  const { server, chosen, onToggle } = props;
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-accent-strong"
        checked={chosen}
        disabled={server.taken}
        onChange={onToggle}
      />
      <span className="min-w-0 flex-1">
        <span className="font-medium">{server.name}</span>{' '}
        {server.taken && (
          <span className="ms-1 text-xs text-muted">{text('settings.serverImport.taken')}</span>
        )}
        <ServerCommand words={server.words} />
      </span>
    </label>
  );
}

/** The entries that the import skips, and the reasons. */
function Skipped({ preview }: { readonly preview: ImportPreview }) {
  const { disabled, problems, unused } = preview;
  if (disabled.length + problems.length + unused.length === 0) return null;
  return (
    <ul aria-label={text('settings.serverImport.skipped')} className="space-y-1 text-sm">
      {problems.map(({ field, reason }) => (
        <li key={`${field} ${reason}`} className="flex items-start gap-2">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-copper-text" />
          <span className="min-w-0 wrap-anywhere">
            {richText('settings.serverImport.problem', {
              field,
              reason,
              code: (inner) => <span className="font-mono text-xs">{inner}</span>,
            })}
          </span>
        </li>
      ))}
      {unused.length > 0 && (
        <li className="text-muted wrap-anywhere">
          {richText('settings.serverImport.unused', {
            fields: formatList(unused),
            code: (inner) => <span className="font-mono text-xs">{inner}</span>,
          })}
        </li>
      )}
      {disabled.length > 0 && (
        <li className="text-muted wrap-anywhere">
          {text('settings.serverImport.disabled', { names: formatList(disabled) })}
        </li>
      )}
    </ul>
  );
}

const givenBefore = (servers: readonly Found[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    servers.flatMap(({ inputs }) => inputs.flatMap(({ id, value }) => (value ? [[id, value]] : []))),
  );

/** The servers in another program's file, to select from; nothing is added before the button is pressed. */
export function ServerImport({ preview, busy, onImport, onCancel }: ServerImportProps) {
  const free = preview.servers.filter(({ taken }) => !taken).map(({ name }) => name);
  const [chosen, setChosen] = useState<readonly string[]>(free);
  const card = useFocusOnMount<HTMLElement>();
  const [inputs, setInputs] = useState(() => givenBefore(preview.servers));
  const toggle = (name: string) =>
    setChosen(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && chosen.length > 0) onImport({ names: [...chosen], inputs });
  };
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label={text('settings.serverImport.title')}
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      <p className="readable text-xs text-muted wrap-anywhere">{preview.file}</p>
      {preview.servers.length === 0 && <p className="text-sm">{text('settings.serverImport.none')}</p>}
      <form onSubmit={add} className="contents">
        <ul className="flex flex-col gap-2">
          {preview.servers.map((server) => (
            <li key={server.name}>
              <Choice
                server={server}
                chosen={chosen.includes(server.name)}
                onToggle={() => toggle(server.name)}
              />
              {chosen.includes(server.name) && (
                <Inputs
                  server={server}
                  values={inputs}
                  onValue={(id, value) => setInputs({ ...inputs, [id]: value })}
                />
              )}
            </li>
          ))}
        </ul>
        <Skipped preview={preview} />
        <p className="text-sm text-muted">{text('settings.serverImport.about')}</p>
        <div className="flex justify-end gap-2">
          <Button tone="quiet" onClick={onCancel}>
            {text('shared.cancel')}
          </Button>
          {free.length > 0 && (
            <Button tone="primary" type="submit" disabled={busy || chosen.length === 0}>
              {text('settings.serverImport.add', { count: chosen.length })}
            </Button>
          )}
        </div>
      </form>
    </section>
  );
}
