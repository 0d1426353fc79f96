import type { ChosenChats } from '#shared/ipc-data';
import type { Result } from '#shared/result';
import type { ImportReport, SkippedItems } from '#shared/session-file';
import { useRef, useState, type ReactNode } from 'react';
import { text } from '../../locales/text';
import { useCommands, useView } from '../../store/app-context';
import { Button } from '../../ui/button';
import { useFocusOnMount } from '../../ui/use-focus-on-mount';
import { useLostFocus } from '../../ui/use-lost-focus';
import { failed, OutcomeLine, type Outcome } from './outcome-line';
import { PacksPart } from './packs-part';

function Part({
  name,
  children,
}: {
  readonly name: 'export' | 'import' | 'backup' | 'packs';
  readonly children: ReactNode;
}) {
  return (
    <section aria-labelledby={`data-${name}`} className="flex flex-col gap-2">
      <h4 id={`data-${name}`} className="text-sm font-medium">
        {text(`settings.data.${name}.title`)}
      </h4>
      <p className="text-sm text-muted">{text(`settings.data.${name}.about`)}</p>
      {children}
    </section>
  );
}

function Skipped({ items }: { readonly items: readonly SkippedItems[] }) {
  if (items.length === 0) return null;
  return (
    <details className="text-sm text-muted">
      <summary className="cursor-default">
        {text('settings.data.import.leftOut', { count: items.reduce((sum, { count }) => sum + count, 0) })}
      </summary>
      <ul className="mt-1 list-disc ps-5">
        {items.map(({ what, count }) => (
          <li key={what} className="numbers">
            {text('settings.data.import.skipped', {
              what: text(`settings.data.import.kinds.${what}`),
              count,
            })}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What a chosen file contains; nothing is imported before the button is pressed. */
function Preview(props: {
  readonly chosen: ChosenChats;
  readonly busy: boolean;
  readonly onImport: () => void;
  readonly onCancel: () => void;
}) {
  const { file, preview } = props.chosen;
  const card = useFocusOnMount<HTMLDivElement>();
  return (
    <div
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={text('settings.data.import.preview')}
      className="flex flex-col gap-2 rounded-lg border border-line p-4"
    >
      <p className="readable text-xs text-muted wrap-anywhere">{file}</p>
      <p className="numbers text-sm">
        {text('settings.data.import.found', {
          source: preview.source,
          sessions: preview.sessions,
          turns: preview.turns,
        })}
      </p>
      {preview.present > 0 && (
        <p className="numbers text-sm text-muted">
          {text('settings.data.import.present', { count: preview.present })}
        </p>
      )}
      <Skipped items={preview.skipped} />
      <div className="flex justify-end gap-2">
        {!props.busy && (
          <Button tone="quiet" onClick={props.onCancel}>
            {text('shared.cancel')}
          </Button>
        )}
        {preview.sessions > 0 && (
          <Button tone="primary" disabled={props.busy} onClick={props.onImport}>
            {props.busy
              ? text('settings.data.import.busy')
              : text('settings.data.import.start', { count: preview.sessions })}
          </Button>
        )}
      </div>
    </div>
  );
}

type Work = 'export' | 'choose' | 'import' | 'backup' | 'restore';

const imported = ({ sessions, turns }: ImportReport): Outcome => ({
  good: true,
  text: text('settings.data.import.done', { sessions, turns }),
});

const saved = (file: string | null): Outcome | null =>
  file === null ? null : { good: true, text: text('settings.data.saved', { file }) };

/** Export, import, backup and restore: one at a time, each with its outcome. */
export function DataSection() {
  const commands = useCommands();
  const inSession = useView(({ sessionId }) => sessionId !== null);
  const [chosen, setChosen] = useState<ChosenChats | null>(null);
  const [busy, setBusy] = useState<Work | null>(null);
  const [outcome, setOutcome] = useState<{ readonly of: Work; readonly outcome: Outcome } | null>(null);
  const [prepared, setPrepared] = useState(false);
  const chooseButton = useRef<HTMLButtonElement>(null);
  const onFocus = useLostFocus(chosen, () => chooseButton.current?.focus());

  const withBusy = async <T,>(
    of: Work,
    work: () => Promise<Result<T>>,
    done: (value: T) => Outcome | null,
  ): Promise<void> => {
    setBusy(of);
    setOutcome(null);
    const result = await work();
    setBusy(null);
    const reported = result.ok ? done(result.value) : failed(result.error);
    if (reported) setOutcome({ of, outcome: reported });
  };
  const outcomeOf = (...works: readonly Work[]) => (
    <OutcomeLine outcome={outcome && works.includes(outcome.of) ? outcome.outcome : null} />
  );

  return (
    <div onFocus={onFocus} className="contents">
      <Part name="export">
        <div className="flex flex-wrap gap-2">
          {(['md', 'html', 'json'] as const).map((format) => (
            <Button
              key={format}
              disabled={!inSession || busy !== null}
              onClick={() => void withBusy('export', () => commands.exportSession(format), saved)}
            >
              {text(`settings.data.export.${format}`)}
            </Button>
          ))}
        </div>
        {outcomeOf('export')}
        {!inSession && <p className="text-xs text-muted">{text('settings.data.export.none')}</p>}
      </Part>
      <Part name="import">
        {chosen ? (
          <Preview
            chosen={chosen}
            busy={busy === 'import'}
            onCancel={() => setChosen(null)}
            onImport={() =>
              void withBusy('import', commands.importChats, (report) => {
                setChosen(null);
                return imported(report);
              })
            }
          />
        ) : (
          <div>
            <Button
              ref={chooseButton}
              disabled={busy !== null}
              onClick={() =>
                void withBusy('choose', commands.chooseChats, (found) => {
                  setChosen(found);
                  return null;
                })
              }
            >
              {text(busy === 'choose' ? 'settings.data.import.reading' : 'settings.data.import.choose')}
            </Button>
          </div>
        )}
        {outcomeOf('choose', 'import')}
      </Part>
      <Part name="packs">
        <PacksPart />
      </Part>
      <Part name="backup">
        <div className="flex flex-wrap gap-2">
          <Button
            disabled={busy !== null}
            onClick={() => void withBusy('backup', commands.saveBackup, saved)}
          >
            {text(busy === 'backup' ? 'settings.data.backup.saving' : 'settings.data.backup.save')}
          </Button>
          <Button
            disabled={busy !== null}
            onClick={() =>
              void withBusy('restore', commands.restoreBackup, (file) => {
                setPrepared(file !== null);
                return file === null ? null : { good: true, text: text('settings.data.backup.prepared') };
              })
            }
          >
            {text(busy === 'restore' ? 'settings.data.backup.checking' : 'settings.data.backup.restore')}
          </Button>
          {prepared && (
            <Button tone="primary" onClick={() => void commands.restartWithout([])}>
              {text('settings.data.backup.restart')}
            </Button>
          )}
        </div>
        {outcomeOf('backup', 'restore')}
      </Part>
    </div>
  );
}
