import { describeLedger } from '#shared/ledger';
import { parseEnforcedConstraint } from '#shared/plan-constraint';
import type { SessionEvent } from '#shared/session-event';
import type { NodeReport, RunReport } from '../../core/ports/agent';
import { writeLine } from '../../core/agent/run-ledger';
import type { TurnReport } from '../../core/session/conversation';
import { describeError, type ExitCode, type Terminal } from './output';

const marks: Readonly<Record<NodeReport['status'], string>> = {
  done: '✓',
  failed: '✗',
  skipped: '–',
  cancelled: '■',
};

/** The steps with which a revised plan continues. */
function revisionLines({ plan, kept }: Extract<SessionEvent, { type: 'plan-revised' }>): string {
  const steps = plan.nodes.filter(({ id }) => !kept.includes(id)).map(({ id, title }) => `  ${id}: ${title}`);
  return ['plan revised', ...steps].join('\n');
}

/** One line on standard error for each step of a run that matters to the user. */
export function progressLine(event: SessionEvent): string | null {
  if (event.type === 'plan-made') {
    const steps = event.plan.nodes.map((node) => `  ${node.id}: ${node.title}`);
    const held = event.plan.constraints.map(
      (text) => `  constraint: ${text}${parseEnforcedConstraint(text) ? ' (enforced)' : ''}`,
    );
    const stage = event.stage === undefined ? '' : `stage ${event.stage}, `;
    const source = `${stage}${event.source}${event.recipeId ? ` ${event.recipeId}` : ''}`;
    return [`plan (${source})`, ...steps, ...held].join('\n');
  }
  if (event.type === 'replan-started') return `re-planning: ${event.failed.join(', ')} failed`;
  if (event.type === 'plan-revised') return revisionLines(event);
  if (event.type === 'node-started') return `… ${event.nodeId}`;
  if (event.type === 'attempt-failed') {
    const wait = event.waitMs > 0 ? ` in ${Math.ceil(event.waitMs / 1_000)} s` : '';
    return `↻ ${event.nodeId}: ${event.error.message} Trying once more${wait}.`;
  }
  if (event.type !== 'node-ended') return null;
  const calls = event.metrics
    ? `, ${event.metrics.tool_calls} calls, ${Math.round(event.metrics.wall_ms)} ms`
    : '';
  return `${marks[event.status]} ${event.nodeId}: ${event.summary}${calls}`;
}

/** Maximum number of writes listed one by one; beyond it, only the number is shown. */
const maxWritesShown = 20;

/** Lists the run's writes on standard error, unless its answer lists them already. */
export function logWrites(terminal: Terminal, { writes, writesFrom }: RunReport): void {
  if (writes.length === 0 || writesFrom !== undefined) return;
  terminal.log(describeLedger(writes));
  for (const write of writes.slice(0, maxWritesShown)) terminal.log(`  ${writeLine(write)}`);
  if (writes.length > maxWritesShown) terminal.log(`  … and ${writes.length - maxWritesShown} more`);
}

/** A run without a plan has no answer except its error. */
function printForPeople(terminal: Terminal, run: RunReport): void {
  if (run.planHash !== undefined || !run.error) terminal.out(`${run.answer}\n`);
  logWrites(terminal, run);
  if (run.error) terminal.log(describeError(run.error));
}

/** Prints a run for `patina agent` and `patina recipe run`; only `done` and `answered` exit with 0. */
export function printRun(terminal: Terminal, run: RunReport): ExitCode {
  if (terminal.json) terminal.out(`${JSON.stringify(run, null, 2)}\n`);
  else printForPeople(terminal, run);
  if (run.error?.kind === 'CONFIG') return 3;
  return run.outcome === 'done' || run.outcome === 'answered' ? 0 : 1;
}

export function runOf(report: TurnReport | null): RunReport | null {
  return report?.runMode === 'agent' ? report.run : null;
}
