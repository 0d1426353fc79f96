import { addUsage, noUsage, type Usage } from '#shared/model';
import type { FactOf, SessionEvent } from '#shared/session-event';
import type { RunTrace } from '../ports/run-traces';
import { traceOf } from './run-trace';
import { heardOf } from './traced-agent';

const usageOf = (event: SessionEvent): Usage | undefined =>
  event.type === 'plan-made' || event.type === 'node-ended' ? event.usage : undefined;

function planOf(own: readonly SessionEvent[]): FactOf<'plan-made'> | null {
  const made = own.findLast(({ type }) => type === 'plan-made');
  return made?.type === 'plan-made' ? made : null;
}

/**
 * The trace of a run that ended with its process, made from what the session kept of it: from its beginning (or where it
 * last went on) to the last that was heard. `events`: those before the interruption, in order; null when they hold no
 * such run. Pure.
 */
export function interruptedTrace(
  events: readonly SessionEvent[],
  runId: string,
  secrets: readonly string[],
): RunTrace | null {
  const own = events.filter((event) => 'runId' in event && event.runId === runId);
  const begun = own.find(({ type }) => type === 'run-started');
  const from = own.findLastIndex(({ type }) => type === 'run-started' || type === 'run-resumed');
  const lived = own.slice(Math.max(from, 0));
  const [first] = lived;
  if (begun?.type !== 'run-started' || first === undefined) return null;
  const planned = planOf(own);
  const report = {
    ...{ runId, outcome: 'interrupted' as const, nodes: planned?.plan.nodes ?? [] },
    usage: lived.reduce((all, event) => addUsage(all, usageOf(event) ?? noUsage), noUsage),
    ...(planned && { planHash: planned.planHash }),
  };
  const run = {
    goal: begun.goal,
    startedAt: first.at,
    endedAt: lived.at(-1)?.at ?? first.at,
    report,
    secrets,
  };
  return traceOf({ ...run, heard: lived.flatMap((event) => heardOf(event.at, [event])) }, true);
}
