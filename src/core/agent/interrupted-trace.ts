import { addUsage, noUsage, type Usage } from '#shared/model';
import type { FactOf, SessionEvent } from '#shared/session-event';
import type { RunTrace } from '../ports/run-traces';
import { traceOf, type PriceOf } from './run-trace';
import { tracedFacts } from './traced-agent';

type WithUsage = Extract<SessionEvent, { readonly usage?: Usage | undefined }>;

/** The usage of the run: from its model calls, or from the plan and the nodes in runs of earlier versions. */
function usageOf(lived: readonly SessionEvent[]): Usage {
  const called = lived.some(({ type }) => type === 'model-called');
  const counted: readonly WithUsage['type'][] = called ? ['model-called'] : ['plan-made', 'node-ended'];
  return lived.reduce(
    (all, event) => (isOneOf(counted, event) && event.usage ? addUsage(all, event.usage) : all),
    noUsage,
  );
}

const isOneOf = (types: readonly WithUsage['type'][], event: SessionEvent): event is WithUsage =>
  types.some((type) => type === event.type);

function planOf(own: readonly SessionEvent[]): FactOf<'plan-made'> | null {
  const made = own.findLast(({ type }) => type === 'plan-made');
  return made?.type === 'plan-made' ? made : null;
}

/**
 * The trace of a run that ended with its process, built from its session events: from its start (or its last
 * resumption) to its last event. `events`: those before the interruption, in order; null when they do not
 * contain the run. Pure.
 */
export function interruptedTrace(
  events: readonly SessionEvent[],
  runId: string,
  secrets: readonly string[],
  priceOf?: PriceOf,
): RunTrace | null {
  const own = events.filter((event) => 'runId' in event && event.runId === runId);
  const begun = own.find(({ type }) => type === 'run-started');
  const from = own.findLastIndex(({ type }) => type === 'run-started' || type === 'run-resumed');
  const lived = own.slice(Math.max(from, 0));
  const [first] = lived;
  if (begun?.type !== 'run-started' || first === undefined) return null;
  const planned = planOf(own);
  const report = {
    runId,
    outcome: 'interrupted' as const,
    nodes: planned?.plan.nodes ?? [],
    usage: usageOf(lived),
    ...(planned && { planHash: planned.planHash }),
  };
  const run = {
    goal: begun.goal,
    startedAt: first.at,
    endedAt: lived.at(-1)?.at ?? first.at,
    report,
    secrets,
    priceOf,
  };
  return traceOf({ ...run, facts: lived.flatMap((event) => tracedFacts(event.at, [event])) }, true);
}
