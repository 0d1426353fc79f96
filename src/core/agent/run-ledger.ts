import { applyWriteEvent } from '#shared/apply-write-event';
import { ledgerOf, describeLedger, toolLabel, type LedgerEntry, type WriteRecords } from '#shared/ledger';
import type { SessionFact } from '#shared/session-event';
import { cell } from './markdown-value';
import type { WriteReport } from '../ports/agent';

/** The writes of a run, derived only from its recorded facts. */
export interface RunLedger {
  /** Called after facts were recorded. */
  readonly note: (facts: readonly SessionFact[]) => void;
  readonly entries: () => readonly LedgerEntry[];
}

/** `prior`: the recorded writes of a resumed run. */
export function createRunLedger(prior: WriteRecords = { writes: [] }): RunLedger {
  let records: WriteRecords = prior;
  return {
    note: (facts) => void (records = facts.reduce(applyWriteEvent, records)),
    entries: () => ledgerOf(records),
  };
}

/** A list is limited to this many writes; those that were made are cut first. */
const maxListed = 50;

type WriteSummary = Omit<LedgerEntry, 'callId' | 'nodeId'>;

function howItCameOut({ outcome, superseded, layer, code }: WriteSummary): string {
  const suffix = superseded ? ', superseded later' : '';
  switch (outcome) {
    case 'made':
      return 'made';
    case 'refused':
      return `refused${suffix}${layer === undefined ? '' : ` (${layer})`}`;
    case 'failed':
      return `failed${suffix}${code === undefined ? '' : ` (${code})`}`;
    case 'unknown':
      return 'outcome unknown';
  }
}

/** One line for a write: its outcome, its tool and its target. */
export const writeLine = (entry: WriteSummary, text: (value: string) => string = (value) => value): string =>
  `${howItCameOut(entry)}: ${[toolLabel(entry.tool), text(entry.target)].filter(Boolean).join(' ')}`;

/** The host's list of writes that ends an answer; empty when there are none. */
export function writesText(ledger: readonly LedgerEntry[]): string {
  if (ledger.length === 0) return '';
  const others = ledger.filter(({ outcome }) => outcome !== 'made').slice(0, maxListed);
  const room = maxListed - others.length;
  const shown = new Set([...others, ...ledger.filter(({ outcome }) => outcome === 'made').slice(0, room)]);
  const lines = ledger.filter((entry) => shown.has(entry)).map((entry) => `- ${writeLine(entry, cell)}`);
  const left = ledger.length - shown.size;
  return [`${describeLedger(ledger)}.`, '', ...lines, ...(left > 0 ? [`- … and ${left} more`] : [])].join(
    '\n',
  );
}

export const writeReports = (ledger: readonly LedgerEntry[]): readonly WriteReport[] =>
  ledger.map(({ callId, nodeId, tool, target, outcome, ...more }) => ({
    tool,
    target,
    outcome,
    undo: 'impossible',
    callId,
    node: nodeId,
    ...more,
  }));
