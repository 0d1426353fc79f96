import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { RunTraces } from '../ports/run-traces';
import { canonicalHash } from '../tools/canonical-hash';
import type { Agent, RecordFacts } from '../ports/agent';
import { traceOf, type TimedFact, type PriceOf } from './run-trace';

export interface TracingDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly traces: RunTraces;
  /** Values that are secrets on this machine, as they are when a run ends. */
  readonly secrets: () => readonly string[];
  /** What a model costs, where that is known. */
  readonly priceOf?: PriceOf | undefined;
  /** One run of this many that succeed is traced in full; each of them has its summary. */
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

/** What is not traced is let go at once: a run's results can be large. */
function light(fact: SessionFact): SessionFact {
  if (fact.type === 'tool-called') {
    const { result: _result, ...rest } = fact;
    return rest;
  }
  if (fact.type === 'approval-requested') return { ...fact, arguments: null };
  return fact;
}

/** What of these facts a trace is made of. */
export const tracedFacts = (at: number, facts: readonly SessionFact[]): readonly TimedFact[] =>
  facts.flatMap((fact) => (traced.has(fact.type) ? [{ at, fact: light(fact) }] : []));

/** Which runs are of the sample depends on their id alone, so that a test can know. */
const isSampled = (runId: string, oneIn: number): boolean =>
  oneIn <= 1 || parseInt(canonicalHash(runId).slice(0, 8), 16) % oneIn === 0;

/** The same agent, each run of which leaves a trace when it has ended. */
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
