import { reportedUsage } from '#shared/model';
import { describeLedger, ledgerOf } from '#shared/ledger';
import { parseEnforcedConstraint } from '#shared/plan-constraint';
import { continueLine, waitingPlan, type RunState } from '#shared/session-state';
import type { FactOf, SessionEvent } from '#shared/session-event';
import type { NodeReport, RunReport } from '../../core/ports/agent';
import { writeLine, writeReports } from '../../core/agent/run-ledger';
import { tokensIn } from '../../core/agent/run-meter';
import type { TurnReport } from '../../core/session/turn-work';
import { planText } from './ask-plan';
import { describeError, type ExitCode, type Terminal } from './output';

const marks: Readonly<Record<NodeReport['status'], string>> = {
  done: '✓',
  failed: '✗',
  skipped: '–',
  cancelled: '■',
};

/** The steps with which a revised plan continues. */
function revisionLines({ plan, kept: reused }: Extract<SessionEvent, { type: 'plan-revised' }>): string {
  const steps = plan.nodes
    .filter(({ id }) => !reused.includes(id))
    .map(({ id, title }) => `  ${id}: ${title}`);
  return ['plan revised', ...steps].join('\n');
}

/** How far a step over many items is, about ten times in all. */
function itemsLine({ nodeId, done, of }: Extract<SessionEvent, { type: 'node-progressed' }>): string | null {
  const shown = done === of || done % Math.ceil(of / 10) === 0;
  return shown ? `… ${nodeId}: ${done} of ${of} items` : null;
}

function planLines({ plan, source, recipeId, stage }: Extract<SessionEvent, { type: 'plan-made' }>): string {
  const steps = plan.nodes.map((node) => `  ${node.id}: ${node.title}`);
  const constraints = plan.constraints.map(
    (text) => `  constraint: ${text}${parseEnforcedConstraint(text) ? ' (enforced)' : ''}`,
  );
  const from = `${stage === undefined ? '' : `stage ${stage}, `}${source}${recipeId ? ` ${recipeId}` : ''}`;
  return [`plan (${from})`, ...steps, ...constraints].join('\n');
}

const callsText = (count: number): string => `${count} ${count === 1 ? 'call' : 'calls'}`;

function nodeEndLine(event: Extract<SessionEvent, { type: 'node-ended' }>): string {
  const { metrics, usage } = event;
  const calls = metrics ? `, ${callsText(metrics.tool_calls)}, ${Math.round(metrics.wall_ms)} ms` : '';
  const tokens = usage ? `, ${tokensIn(usage).toLocaleString('en')} tokens` : '';
  return `${marks[event.status]} ${event.nodeId}: ${event.summary}${calls}${tokens}`;
}

/** One line on standard error for each step of a run that matters to the user. */
export function progressLine(event: SessionEvent): string | null {
  if (event.type === 'plan-made') return planLines(event);
  if (event.type === 'run-started') return `run ${event.runId}`;
  if (event.type === 'replan-started') return `re-planning: ${event.failed.join(', ')} failed`;
  if (event.type === 'plan-revised') return revisionLines(event);
  if (event.type === 'node-started') return `… ${event.nodeId}`;
  if (event.type === 'reply-delayed') return delayLine(event);
  if (event.type === 'attempt-failed') {
    const wait = event.waitMs > 0 ? ` in ${Math.ceil(event.waitMs / 1_000)} s` : '';
    return `↻ ${event.nodeId}: ${event.error.message} Trying once more${wait}.`;
  }
  if (event.type === 'node-progressed') return itemsLine(event);
  return event.type === 'node-ended' ? nodeEndLine(event) : null;
}

/** Why a reply waits for the provider, and for how long. */
export const delayLine = ({ error, waitMs }: FactOf<'reply-delayed'>): string =>
  `↻ ${error.message} Trying again in ${Math.ceil(waitMs / 1_000)} s.`;

/** What is printed of a run that ended or waits. */
export type EndedRun = Pick<
  RunReport,
  | 'answer'
  | 'asks'
  | 'error'
  | 'expectedCost'
  | 'expectedWrites'
  | 'plan'
  | 'planHash'
  | 'ranOut'
  | 'runId'
  | 'writes'
  | 'writesFrom'
> & { readonly outcome: RunReport['outcome'] | RunState['status']; readonly stages: readonly unknown[] };

/** Maximum number of writes listed one by one; beyond it, only the number is shown. */
const maxWritesShown = 20;

/** Lists the run's writes on standard error, unless its answer lists them already. */
function logWrites(terminal: Terminal, { writes, writesFrom }: EndedRun): void {
  if (writes.length === 0 || writesFrom !== undefined) return;
  terminal.log(describeLedger(writes));
  for (const write of writes.slice(0, maxWritesShown)) terminal.log(`  ${writeLine(write)}`);
  if (writes.length > maxWritesShown) terminal.log(`  … and ${writes.length - maxWritesShown} more`);
}

/** A plan that nobody could review here. */
function printWaiting(terminal: Terminal, run: EndedRun): void {
  if (run.plan)
    terminal.out(
      `${planText({ stage: run.stages.length + 1, plan: run.plan, writes: run.expectedWrites, cost: run.expectedCost })}\n`,
    );
  logWrites(terminal, run);
  terminal.log(`The plan waits for your review. To run it: patina agent --resume ${run.runId}`);
}

const ranOutText = {
  stages: 'The stages of this run are used up.',
  tokens: 'The model tokens of this run are used up.',
  time: 'The time of this run is used up.',
} as const;

/** How the user goes on after a run: what to type to continue it, and to answer its question. */
interface NextLines {
  readonly toContinue: string;
  readonly toAnswer: string;
}

/** The command lines that go on in a session; null for a run without one. */
const commandLines = ({ sessionId }: RunReport): NextLines | null =>
  sessionId === undefined
    ? null
    : {
        toContinue: `patina agent --session ${sessionId} "${continueLine}"`,
        toAnswer: `To answer: patina agent --session ${sessionId} "YOUR ANSWER"`,
      };

/** Prints the end of a run: its answer, its writes, its error and how to go on. */
export function printForPeople(terminal: Terminal, run: EndedRun, next: NextLines | null): void {
  if (run.outcome === 'waiting') return printWaiting(terminal, run);
  // A run without a plan has no answer except its error.
  if (run.planHash !== undefined || !run.error) terminal.out(`${run.answer}\n`);
  logWrites(terminal, run);
  if (run.error) terminal.log(describeError(run.error));
  if (run.ranOut && next)
    terminal.log(
      `${ranOutText[run.ranOut]} To continue from the results with a new budget: ${next.toContinue}`,
    );
  if (run.asks && next) terminal.log(`The model asks you. ${next.toAnswer}`);
}

/** A run as its session stores it. */
export const endedRun = (run: RunState): EndedRun => {
  const { runId, status, answer = '', stages = [], asks, error, planHash, ranOut, writesFrom } = run;
  return {
    runId,
    answer,
    stages,
    outcome: waitingPlan(run) ? 'waiting' : status,
    ...(run.proposal && { plan: run.proposal.plan }),
    ...(asks && { asks }),
    ...(error && { error }),
    ...(planHash !== undefined && { planHash }),
    ...(ranOut && { ranOut }),
    ...(writesFrom !== undefined && { writesFrom }),
    writes: writeReports(ledgerOf(run)),
  };
};

/** A node's report with its usage as reports print it. */
const printedNode = ({ usage, ...node }: NodeReport) => ({
  ...node,
  ...(usage && { usage: reportedUsage(usage) }),
});

/** A run's report as JSON. */
const printedRun = (run: RunReport) => ({
  ...run,
  stages: run.stages.map((stage) => ({ ...stage, nodes: stage.nodes.map(printedNode) })),
  nodes: run.nodes.map(printedNode),
  usage: reportedUsage(run.usage),
});

/** Prints a run for `patina agent` and `patina recipe run`; only `done`, `answered` and `waiting` exit with 0. */
export function printRun(terminal: Terminal, run: RunReport): ExitCode {
  if (terminal.json) terminal.out(`${JSON.stringify(printedRun(run), null, 2)}\n`);
  else printForPeople(terminal, run, commandLines(run));
  if (run.error?.kind === 'CONFIG') return 3;
  return ['done', 'answered', 'waiting'].includes(run.outcome) ? 0 : 1;
}

export function runOf(report: TurnReport | null): RunReport | null {
  return report?.runMode === 'agent' ? report.run : null;
}
