import {
  Ban,
  ChevronDown,
  ChevronRight,
  CircleCheck,
  CircleHelp,
  CircleX,
  type LucideIcon,
} from 'lucide-react';
import { useId, useState } from 'react';
import { ledgerOf, openWrites, toolLabel, type LedgerEntry, type LedgerOutcome } from '#shared/ledger';
import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { isActive } from '../run-parts/run-facts';

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
  if (outcome === 'refused') return (layer !== undefined && refusals[layer]) || (layer ?? '');
  return outcome === 'failed' ? (code ?? '') : '';
}

function WriteRow({ entry }: { readonly entry: LedgerEntry }) {
  const { word, icon: Icon, colour } = outcomeStyles[entry.outcome];
  const reason = reasonOf(entry);
  return (
    <li className={`flex items-baseline gap-2 px-3 py-1 ${entry.superseded ? 'text-muted' : ''}`}>
      <span className={`inline-flex w-19 shrink-0 items-center gap-1.5 self-start text-xs/5 ${colour}`}>
        <Icon aria-hidden="true" className="size-3.5 shrink-0" strokeWidth={1.75} />
        {word}
      </span>
      <span className="min-w-0 grow text-sm wrap-anywhere">
        <bdi>{entry.target === '' ? toolLabel(entry.tool) : entry.target}</bdi>
        {reason !== '' && <span className="text-xs text-muted"> · {reason}</span>}
      </span>
      {entry.target !== '' && (
        <span
          className="max-w-2/5 shrink truncate font-mono text-2xs text-muted max-sm:hidden"
          title={toolLabel(entry.tool)}
        >
          {toolLabel(entry.tool)}
        </span>
      )}
    </li>
  );
}

/** `12 writes made`, `2 of 12 writes made`. */
function headOf(ledger: readonly LedgerEntry[]): string {
  const counted = ledger.filter(({ superseded }) => !superseded);
  const made = counted.filter(({ outcome }) => outcome === 'made').length;
  if (made === counted.length) return text('run.writes.allMade', { count: made });
  return text('run.writes.someMade', { made, count: counted.length });
}

/** Nobody reads a longer list; the inspector has all calls of the run. */
const maxRows = 300;

function Rows({ entries }: { readonly entries: readonly LedgerEntry[] }) {
  if (entries.length === 0) return null;
  const left = entries.length - maxRows;
  return (
    <ul className="pb-1.5">
      {entries.slice(0, maxRows).map((entry) => (
        <WriteRow key={entry.callId} entry={entry} />
      ))}
      {left > 0 && (
        <li className="numbers px-3 py-1 text-sm text-muted">{text('run.writes.more', { count: left })}</li>
      )}
    </ul>
  );
}

function FoldedWrites({ ledger }: { readonly ledger: readonly LedgerEntry[] }) {
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
        <Icon aria-hidden="true" className="size-3.5 shrink-0 rtl:-scale-x-100" />
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
        <Rows entries={shown ? ledger : openWrites(ledger).slice(0, maxUnfolded)} />
      </div>
    </>
  );
}

/** The writes of a finished run as the host recorded them, each with its outcome in words. */
export function RunWrites({ run }: { readonly run: RunState }) {
  const ledger = isActive(run) ? [] : ledgerOf(run);
  if (ledger.length === 0) return null;
  return (
    <section
      aria-label={text('run.writes.title')}
      className="mt-3 overflow-hidden rounded-lg border border-line bg-surface"
    >
      {ledger.length > maxUnfolded ? (
        <FoldedWrites ledger={ledger} />
      ) : (
        <>
          <p className="numbers px-3 pt-2 pb-0.5 text-sm text-muted">{headOf(ledger)}</p>
          <Rows entries={ledger} />
        </>
      )}
    </section>
  );
}
