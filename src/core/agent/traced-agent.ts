import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { RunTraces } from '../ports/run-traces';
import { canonicalHash } from '../tools/canonical-hash';
import type { Agent, RecordFacts } from '../ports/agent';
import { traceOf, type TimedFact, type PriceOf } from './run-trace';

export interface TracingDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly traces: RunTraces;
  /** Secret values on this machine, read when a run ends. */
  readonly secrets: () => readonly string[];
  /** The price of a model, if known. */
  readonly priceOf?: PriceOf | undefined;
  /** One in this many successful runs is traced in full; every run has a summary. */
  readonly oneIn: number;
}

const traced: ReadonlySet<SessionFact['type']> = new Set<SessionFact['type']>([
  ...([
    'plan-made',
    'plan-revised',
    'node-started',
    'attempt-failed',
    'node-ended',
    'tool-called',
    'model-called',
  ] as const),
  ...(['approval-requested', 'approval-answered'] as const),
]);

/** Drops untraced parts of a fact at once, because a run's results can be large. */
function light(fact: SessionFact): SessionFact {
  if (fact.type === 'tool-called') {
    const { result: _result, ...rest } = fact;
    return rest;
  }
  if (fact.type === 'approval-requested') return { ...fact, arguments: null };
  return fact;
}

/** The facts that a trace needs. */
export const tracedFacts = (at: number, facts: readonly SessionFact[]): readonly TimedFact[] =>
  facts.flatMap((fact) => (traced.has(fact.type) ? [{ at, fact: light(fact) }] : []));

/** Sampling depends only on the run id, so that tests can predict it. */
const isSampled = (runId: string, oneIn: number): boolean =>
  oneIn <= 1 || parseInt(canonicalHash(runId).slice(0, 8), 16) % oneIn === 0;

/** Wraps an agent so that each of its runs writes a trace when it ends. */
export function tracedAgent(agent: Agent, { clock, traces, secrets, oneIn, priceOf }: TracingDeps): Agent {
  return {
    ...agent,
    async run(request, record, signal) {
      const startedAt = clock.now();
      const timed: TimedFact[] = [];
      const recordAndTrace: RecordFacts = (facts) => {
        timed.push(...tracedFacts(clock.now(), facts));
        return record(facts);
      };
      const report = await agent.run(request, recordAndTrace, signal);
      const run = {
        goal: request.goal,
        startedAt,
        endedAt: clock.now(),
        facts: timed,
        report,
        secrets: secrets(),
        priceOf,
      };
      traces.write(traceOf(run, isSampled(report.runId, oneIn)));
      return report;
    },
  };
}
