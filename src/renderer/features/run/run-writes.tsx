import {
  Ban,
  ChevronDown,
  ChevronRight,
  CircleCheck,
  CircleHelp,
  CircleX,
  Undo2,
  type LucideIcon,
} from 'lucide-react';
import { useId, useState } from 'react';
import { visibleControls } from '#shared/direction-controls';
import { ledgerOf, openWrites, toolLabel, type LedgerEntry, type LedgerOutcome } from '#shared/ledger';
import type { RunState } from '#shared/session-state';
import type { UndoObstacle } from '#shared/undo';
import { text } from '../../locales/text';
import { RunUndo, UndoWriteButton, useUndo } from './run-undo';
import { isActive } from '../run-parts/run-facts';
import { titleOfCode } from '../../ui/error-text';

/** More writes than this collapse into one line; those that were not made stay visible. */
const maxUnfolded = 5;

interface OutcomeStyle {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly colour: string;
}

// A denial is an answer, not a failure, so it is not red.
const outcomeStyles: Readonly<Record<LedgerOutcome, OutcomeStyle>> = {
  made: { word: text('run.writes.made'), icon: CircleCheck, colour: 'text-accent-text' },
  refused: { word: text('run.writes.refused'), icon: Ban, colour: 'text-muted' },
  failed: { word: text('run.writes.failed'), icon: CircleX, colour: 'text-danger-text' },
  unknown: { word: text('run.writes.unknown'), icon: CircleHelp, colour: 'text-copper-text' },
};

const undoneStyle: OutcomeStyle = { word: text('run.undo.undone'), icon: Undo2, colour: 'text-muted' };

const refusals: Readonly<Record<string, string>> = {
  approval: text('run.writes.notApproved'),
  constraint: text('run.writes.constraint'),
  capability: text('run.writes.capability'),
  arguments: text('run.writes.arguments'),
  rate: text('run.writes.rate'),
  budget: text('run.writes.budget'),
};

/** Why a write was not made, in a few words. */
function reasonOf({ outcome, superseded, layer, code }: LedgerEntry): string {
  if (superseded) return text('run.writes.superseded');
  const title = code === undefined ? '' : titleOfCode(code);
  if (outcome === 'refused') return refusals[layer ?? ''] ?? title;
  return outcome === 'failed' ? title : '';
}

interface RowProps {
  readonly entry: LedgerEntry;
  readonly undo?: ReturnType<typeof useUndo> | undefined;
}

const obstacles: Readonly<Record<UndoObstacle, string>> = {
  'other-tool': text('run.undo.otherTool'),
  outside: text('run.undo.outside'),
  'too-large': text('run.undo.tooLarge'),
  'not-saved': text('run.undo.notSaved'),
  unobserved: text('run.undo.unobserved'),
};

/** Whether a write can be undone: a button, or the reason in words. */
function UndoPart({ entry, undo }: RowProps) {
  if (entry.undo === 'possible' && undo) return <UndoWriteButton entry={entry} undo={undo} />;
  const word = entry.obstacle && obstacles[entry.obstacle];
  return word === undefined ? null : <span className="shrink-0 text-xs/5 text-muted">{word}</span>;
}

function WriteRow({ entry, undo }: RowProps) {
  const { word, icon: Icon, colour } = entry.undo === 'done' ? undoneStyle : outcomeStyles[entry.outcome];
  const reason = reasonOf(entry);
  return (
    <li className={`flex items-start gap-2 px-3 py-1 ${entry.superseded ? 'text-muted' : ''}`}>
      <span className={`inline-flex min-w-19 shrink-0 items-center gap-1.5 text-xs/5 ${colour}`}>
        <Icon aria-hidden="true" className="size-3.5 shrink-0" strokeWidth={1.75} />
        {word}
      </span>
      <span className="min-w-0 grow text-sm/5 wrap-anywhere">
        <bdi>{entry.target === '' ? toolLabel(entry.tool) : visibleControls(entry.target)}</bdi>
        {reason !== '' && <span className="text-xs text-muted"> · {reason}</span>}
      </span>
      {entry.target !== '' && (
        <span
          className="max-w-2/5 shrink truncate font-mono text-2xs/5 text-muted max-sm:hidden"
          title={toolLabel(entry.tool)}
        >
          {toolLabel(entry.tool)}
        </span>
      )}
      <UndoPart entry={entry} undo={undo} />
    </li>
  );
}

/** `12 writes made`, `2 of 12 writes made`, `12 writes made · 3 undone`. */
function headOf(ledger: readonly LedgerEntry[]): string {
  const counted = ledger.filter(({ superseded }) => !superseded);
  const made = counted.filter(({ outcome }) => outcome === 'made').length;
  const undone = counted.filter(({ undo }) => undo === 'done').length;
  if (undone > 0 && undone === made) return text('run.writes.allUndone', { count: undone });
  const head =
    made === counted.length
      ? text('run.writes.allMade', { count: made })
      : text('run.writes.someMade', { made, count: counted.length });
  return undone === 0 ? head : `${head} · ${text('run.writes.someUndone', { count: undone })}`;
}

/** Nobody reads a longer list; the inspector has all calls of the run. */
const maxRows = 300;

interface RowsProps extends Pick<RowProps, 'undo'> {
  readonly entries: readonly LedgerEntry[];
}

function Rows({ entries, undo }: RowsProps) {
  if (entries.length === 0) return null;
  const left = entries.length - maxRows;
  return (
    <ul className="pb-1.5">
      {entries.slice(0, maxRows).map((entry) => (
        <WriteRow key={entry.callId} entry={entry} undo={undo} />
      ))}
      {left > 0 && (
        <li className="numbers px-3 py-1 text-sm text-muted">{text('run.writes.more', { count: left })}</li>
      )}
    </ul>
  );
}

function FoldedWrites({
  ledger,
  undo,
}: Pick<RowProps, 'undo'> & { readonly ledger: readonly LedgerEntry[] }) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const Icon = shown ? ChevronDown : ChevronRight;
  return (
    <>
      <button
        type="button"
        aria-expanded={shown}
        aria-controls={id}
        className="flex min-h-8 w-full items-center gap-1.5 px-3 text-start text-sm text-muted hover:bg-hover hover:text-text focus-visible:-outline-offset-2"
        onClick={() => setShown(!shown)}
      >
        <Icon aria-hidden="true" className="size-3.5 shrink-0" />
        <span className="numbers">
          {headOf(ledger)} · {shown ? text('run.writes.fold') : text('run.writes.show')}
        </span>
      </button>
      {/* Scrollable, so it must be focusable by keyboard. */}
      <div
        id={id}
        tabIndex={shown ? 0 : undefined}
        role={shown ? 'group' : undefined}
        aria-label={shown ? text('run.writes.all') : undefined}
        className="max-h-96 overflow-y-auto focus-visible:-outline-offset-2"
      >
        <Rows entries={shown ? ledger : openWrites(ledger).slice(0, maxUnfolded)} undo={undo} />
      </div>
    </>
  );
}

interface LedgerProps extends Pick<RowProps, 'undo'> {
  readonly ledger: readonly LedgerEntry[];
}

function Ledger({ ledger, undo }: LedgerProps) {
  if (ledger.length > maxUnfolded) return <FoldedWrites ledger={ledger} undo={undo} />;
  return (
    <>
      <p className="numbers px-3 pt-2 pb-0.5 text-sm text-muted">{headOf(ledger)}</p>
      <Rows entries={ledger} undo={undo} />
    </>
  );
}

function UndoableLedger({ run, ledger }: { readonly run: RunState; readonly ledger: LedgerProps['ledger'] }) {
  const undo = useUndo(run);
  return (
    <>
      <Ledger ledger={ledger} undo={undo} />
      <RunUndo run={run} undo={undo} />
    </>
  );
}

/** The writes of a finished run as the host recorded them, each with its outcome in words. */
export function RunWrites({ run }: { readonly run: RunState }) {
  const ledger = isActive(run) ? [] : ledgerOf(run);
  if (ledger.length === 0) return null;
  const undoable = ledger.some(({ undo }) => undo !== 'impossible');
  return (
    <section
      aria-label={text('run.writes.title')}
      className="mt-3 overflow-hidden rounded-lg border border-line bg-surface"
    >
      {undoable ? <UndoableLedger run={run} ledger={ledger} /> : <Ledger ledger={ledger} />}
    </section>
  );
}
