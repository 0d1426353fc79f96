import { createRunSpans } from '../adapters/telemetry/run-spans';
import type { SessionEvent } from '#shared/session-event';
import { createAgent, type AgentDeps } from '../../core/agent/create-agent';
import { secretsIn } from './event-log';
import { interruptedTrace } from '../../core/agent/interrupted-trace';
import { tracedAgent } from '../../core/agent/traced-agent';
import type { CoreDeps } from './core-deps';
import type { ModelClient } from '../../core/ports/llm';
import { loadTokenCount } from '../../core/session/token-count';

/** One in this many successful runs is traced in full, unless `PATINA_TRACE_ONE_IN` overrides it. */
const usualOneIn = 10;

function oneInFrom(value: string | undefined): number {
  const wanted = Number(value);
  return value !== undefined && Number.isInteger(wanted) && wanted > 0 ? wanted : usualOneIn;
}

type Traced = Pick<CoreDeps, 'host' | 'knownSecrets'>;

/** Writes the trace of a run that ended with its process; resolves when the trace is exported. */
export async function writeInterrupted(
  coreDeps: Traced,
  models: Pick<ModelClient, 'priceOf'>,
  events: readonly SessionEvent[],
  runId: string,
): Promise<void> {
  const made = interruptedTrace(events, runId, secretsIn(coreDeps), models.priceOf);
  if (made === null) return;
  const spans = createRunSpans(coreDeps.host);
  spans.write(made);
  await spans.close();
}

/**
 * Wraps the agent so that each run is traced. The SDK loads with the agent runtime, which loads on the first
 * use of Agent Mode.
 */
export function composeTraces(coreDeps: Pick<CoreDeps, 'host' | 'clock' | 'knownSecrets'>, deps: AgentDeps) {
  const { host, clock } = coreDeps;
  const traces = createRunSpans(host);
  const oneIn = oneInFrom(host.env['PATINA_TRACE_ONE_IN']);
  return {
    agent: tracedAgent(createAgent({ countTokens: loadTokenCount, ...deps }), {
      clock,
      traces,
      secrets: () => secretsIn(coreDeps),
      priceOf: deps.models.priceOf,
      oneIn,
    }),
    close: traces.close,
  };
}
