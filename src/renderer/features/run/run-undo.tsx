import { ChevronDown, ChevronRight, FileDiff, Undo2 } from 'lucide-react';
import { useId, useState } from 'react';
import { visibleControls } from '#shared/direction-controls';
import { ledgerOf, type LedgerEntry } from '#shared/ledger';
import type { RunState } from '#shared/session-state';
import type { RefusedUndo, UndoReport } from '#shared/undo';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { patchHunks } from '../../ui/patch-hunks';
import { DiffHunks } from '../../ui/diff-hunks';

/** Asks main to undo writes, and remembers what it refused. */
export function useUndo({ runId }: RunState) {
  const { commands } = useApp();
  const [busy, setBusy] = useState(false);
  const [report, setReport] = useState<UndoReport | null>(null);
  const undo = async (how: { readonly write?: string; readonly partial?: boolean } = {}) => {
    setBusy(true);
    setReport(await commands.undoWrites({ runId, ...how }));
    setBusy(false);
  };
  return { busy, refused: report?.refused ?? [], undone: report?.undone.length ?? 0, undo };
}
type UndoInUse = ReturnType<typeof useUndo>;

/** Takes back one write. */
export function UndoWriteButton({ entry, undo }: { readonly entry: LedgerEntry; readonly undo: UndoInUse }) {
  return (
    <Button
      tone="quiet"
      className="relative -my-0.5 h-5 px-1.5 text-xs after:absolute after:-inset-1"
      disabled={undo.busy}
      aria-label={text('run.undo.oneOf', { target: visibleControls(entry.target) })}
      onClick={() => void undo.undo({ write: entry.callId })}
    >
      <Undo2 aria-hidden="true" className="size-3.5" />
      {text('run.undo.one')}
    </Button>
  );
}

function Refusal({ refused }: { readonly refused: RefusedUndo }) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const Icon = shown ? ChevronDown : ChevronRight;
  const { target, reason } = refused;
  return (
    <li className="border-t border-copper/30 py-2 first:border-t-0">
      <p className="text-sm wrap-anywhere">
        <bdi className="font-medium">{visibleControls(target)}</bdi>
        {/* Most reasons begin with the target, which the row has already. */}
        <span className="text-muted">
          {reason.startsWith(`${target} `) ? reason.slice(target.length) : ` · ${reason}`}
        </span>
      </p>
      {refused.diff !== null && (
        <>
          <button
            type="button"
            aria-expanded={shown}
            aria-controls={id}
            className="mt-1 flex min-h-6 items-center gap-1 text-sm text-muted hover:text-text"
            onClick={() => setShown(!shown)}
          >
            <Icon aria-hidden="true" className="size-3.5" />
            {text('run.undo.whatChanged')}
          </button>
          <div
            id={id}
            tabIndex={shown ? 0 : undefined}
            role={shown ? 'group' : undefined}
            aria-label={shown ? text('run.undo.changedIn', { target }) : undefined}
            className="mt-1 max-h-72 overflow-y-auto rounded-md border border-line bg-canvas empty:hidden"
          >
            {shown && <DiffHunks hunks={patchHunks(refused.diff)} />}
          </div>
        </>
      )}
    </li>
  );
}

/** Why nothing or not everything was undone, and the way on. */
function Refusals({ undo, left }: { readonly undo: UndoInUse; readonly left: number }) {
  const { refused, undone } = undo;
  if (refused.length === 0) return null;
  const others = undone === 0 && left > refused.length;
  return (
    <section
      aria-label={text('run.undo.refused')}
      className="border-t border-copper/45 bg-copper-soft px-3 py-2"
    >
      <p className="text-sm font-medium">
        {text(undone === 0 ? 'run.undo.nothingUndone' : 'run.undo.someUndone', { count: undone })}
      </p>
      <ul className="mt-1">
        {refused.map((one) => (
          <Refusal key={one.callId} refused={one} />
        ))}
      </ul>
      {others && (
        <div className="flex justify-end pt-1">
          <Button disabled={undo.busy} onClick={() => void undo.undo({ partial: true })}>
            {text('run.undo.others')}
          </Button>
        </div>
      )}
    </section>
  );
}

/** What the user can do with the file changes of a run: see all of them, and take them back. */
export function RunUndo({ run, undo }: { readonly run: RunState; readonly undo: UndoInUse }) {
  const { view } = useApp();
  const left = ledgerOf(run).filter((entry) => entry.undo === 'possible').length;
  const interrupted = !undo.busy && run.writes.some(({ undone }) => undone?.status === 'intended');
  return (
    <>
      <Refusals undo={undo} left={left} />
      {left > 0 && (
        <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-3 py-2">
          {interrupted && (
            <p className="min-w-0 grow text-sm text-copper-text">{text('run.undo.interrupted')}</p>
          )}
          <Button tone="quiet" onClick={() => view.set({ dialog: { kind: 'run-diff', runId: run.runId } })}>
            <FileDiff aria-hidden="true" className="size-3.5" />
            {text('run.undo.showAll')}
          </Button>
          <Button disabled={undo.busy} onClick={() => void undo.undo()}>
            <Undo2 aria-hidden="true" className="size-3.5" />
            {interrupted ? text('run.undo.finish') : text('run.undo.all', { count: left })}
          </Button>
        </div>
      )}
    </>
  );
}
