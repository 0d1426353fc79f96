import { applyWriteEvent } from '#shared/apply-write-event';
import { ledgerOf, describeLedger, toolLabel, type LedgerEntry, type WriteRecords } from '#shared/ledger';
import type { SessionFact } from '#shared/session-event';
import type { RunState } from '#shared/session-state';
import { cell } from './markdown-value';
import type { WriteReport } from '../ports/agent';

/** The writes of a run and the user's words about them, derived only from its recorded facts. */
export interface RunLedger {
  /** Called after facts were recorded. */
  readonly note: (facts: readonly SessionFact[]) => void;
  readonly entries: () => readonly LedgerEntry[];
  /** Whether a write is under way. */
  readonly isWriting: () => boolean;
  /** What the user wants instead of refused calls of these nodes, in the order of the answers. */
  readonly insteadTexts: (nodeIds: ReadonlySet<string>) => readonly string[];
}

type Prior = WriteRecords & Partial<Pick<RunState, 'approvals'>>;

/** `prior`: the recorded writes and answers of a resumed run. */
export function createRunLedger(prior: Prior = { writes: [] }): RunLedger {
  let records: WriteRecords = prior;
  const nodeOfApproval = new Map(
    (prior.approvals ?? []).map(({ approvalId, nodeId }) => [approvalId, nodeId]),
  );
  const answers = (prior.approvals ?? []).flatMap(({ nodeId, said: words }) =>
    words === undefined ? [] : [{ nodeId, words }],
  );
  const noteAnswer = (fact: SessionFact): void => {
    if (fact.type === 'approval-requested') nodeOfApproval.set(fact.approvalId, fact.nodeId);
    if (fact.type !== 'approval-answered' || fact.said === undefined) return;
    answers.push({ nodeId: nodeOfApproval.get(fact.approvalId) ?? '', words: fact.said });
  };
  return {
    note: (facts) => {
      records = facts.reduce(applyWriteEvent, records);
      facts.forEach(noteAnswer);
    },
    entries: () => ledgerOf(records),
    isWriting: () => records.writes.some(({ outcome }) => outcome === 'intended'),
    insteadTexts: (nodeIds) => [
      ...new Set(answers.flatMap(({ nodeId, words }) => (nodeIds.has(nodeId) ? [words] : []))),
    ],
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
  const free = maxListed - others.length;
  const shown = new Set([...others, ...ledger.filter(({ outcome }) => outcome === 'made').slice(0, free)]);
  const lines = ledger.filter((entry) => shown.has(entry)).map((entry) => `- ${writeLine(entry, cell)}`);
  const left = ledger.length - shown.size;
  return [`${describeLedger(ledger)}.`, '', ...lines, ...(left > 0 ? [`- … and ${left} more`] : [])].join(
    '\n',
  );
}

export const writeReports = (ledger: readonly LedgerEntry[]): readonly WriteReport[] =>
  ledger.map(({ callId, nodeId, tool, target, outcome, undo, ...more }) => ({
    tool,
    target,
    outcome,
    undo,
    callId,
    node: nodeId,
    ...more,
  }));
