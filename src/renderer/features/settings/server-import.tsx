import type { ImportPreview } from '#shared/servers';
import { useState } from 'react';
import { Button } from '../../ui/button';
import { ServerWords } from './server-words';

export interface ServerImportProps {
  readonly preview: ImportPreview;
  readonly busy: boolean;
  readonly onImport: (names: readonly string[]) => void;
  readonly onCancel: () => void;
}

/** What another program's file would add, to be ticked; nothing is added before the button. */
export function ServerImport({ preview, busy, onImport, onCancel }: ServerImportProps) {
  const free = preview.servers.filter(({ taken }) => !taken).map(({ name }) => name);
  const [chosen, setChosen] = useState<readonly string[]>(free);
  const toggle = (name: string) =>
    setChosen(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <section
      aria-label="Servers in the file"
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      <p className="readable text-xs text-muted wrap-anywhere">{preview.file}</p>
      {preview.servers.length === 0 && <p className="text-sm">There are no servers in this file.</p>}
      <ul className="flex flex-col gap-2">
        {preview.servers.map(({ name, words, taken }) => (
          <li key={name}>
            <label className="flex items-start gap-2.5 text-sm">
              <input
                type="checkbox"
                className="mt-0.5 size-4 accent-accent-strong"
                checked={chosen.includes(name)}
                disabled={taken}
                onChange={() => toggle(name)}
              />
              <span className="min-w-0 flex-1">
                <span className="font-medium">{name}</span>
                {taken && (
                  <span className="ml-2 text-xs text-muted">is there already and stays as it is</span>
                )}
                <ServerWords words={words} />
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">
        What you add runs on your computer, with your rights, exactly as shown; its tools are allowed in this
        project. A call that may write still asks.
      </p>
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          tone="primary"
          data-autofocus
          disabled={busy || chosen.length === 0}
          onClick={() => onImport(chosen)}
        >
          {chosen.length === 1 ? 'Add 1 server' : `Add ${chosen.length} servers`}
        </Button>
      </div>
    </section>
  );
}
