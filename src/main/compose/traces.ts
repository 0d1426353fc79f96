import { createRunSpans } from '../adapters/telemetry/run-spans';
import type { SessionEvent } from '#shared/session-event';
import { createAgent, type AgentDeps } from '../../core/agent/create-agent';
import { secretsIn } from './event-log';
import { interruptedTrace } from '../../core/agent/interrupted-trace';
import { tracedAgent } from '../../core/agent/traced-agent';
import type { CoreDeps } from './core-deps';
import type { ModelClient } from '../../core/ports/llm';
import { loadTokenCount } from '../../core/session/token-count';
import { modelSpan } from '../../core/agent/run-trace';
import type { RunTraces } from '../../core/ports/run-traces';
import type { SessionLog } from '../../core/session/session-log';

/** One in this many successful runs is traced in full, unless `PATINA_TRACE_ONE_IN` overrides it. */
const usualOneIn = 10;

function oneInFrom(value: string | undefined): number {
  const wanted = Number(value);
  return value !== undefined && Number.isInteger(wanted) && wanted > 0 ? wanted : usualOneIn;
}

type Traced = Pick<CoreDeps, 'host' | 'knownSecrets'>;

const spansOf = ({ host: { home, env, version } }: Pick<CoreDeps, 'host'>) =>
  createRunSpans({ home, env, version });

/** Writes the trace of a run that ended with its process; resolves when the trace is exported. */
export async function writeInterrupted(
  coreDeps: Traced,
  models: Pick<ModelClient, 'priceOf'>,
  events: readonly SessionEvent[],
  runId: string,
): Promise<void> {
  const made = interruptedTrace(events, runId, secretsIn(coreDeps), models.priceOf);
  if (made === null) return;
  const spans = spansOf(coreDeps);
  spans.write(made);
  await spans.close();
}

/**
 * Wraps the agent so that each run is traced. The SDK loads with the agent runtime, which loads on the first
 * use of Agent Mode.
 */
export function composeTraces(coreDeps: Pick<CoreDeps, 'host' | 'clock' | 'knownSecrets'>, deps: AgentDeps) {
  const { host, clock } = coreDeps;
  const traces = spansOf(coreDeps);
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

/**
 * Traces each model call of a reply in Ask as a separate span, beside those of runs. Loads the tracing SDK
 * after the first call, so that neither the start nor the first reply waits for it.
 */
export function traceAskCalls(
  coreDeps: Pick<CoreDeps, 'host' | 'knownSecrets'>,
  { priceOf }: Pick<ModelClient, 'priceOf'>,
  log: Pick<SessionLog, 'subscribe'>,
): { readonly close: () => Promise<void> } {
  const { home, env, version } = coreDeps.host;
  let loading: Promise<RunTraces> | null = null;
  const load = async (): Promise<RunTraces> => {
    const { createRunSpans } = await import('../adapters/telemetry/run-spans');
    return createRunSpans({ home, env, version });
  };
  log.subscribe((events) => {
    for (const event of events) {
      if (event.type !== 'model-called' || event.runId !== undefined) continue;
      const span = modelSpan({ at: event.at, fact: event }, { secrets: secretsIn(coreDeps), priceOf });
      const values = { ...span.values, 'patina.session.id': event.sessionId, 'patina.turn': event.turn };
      loading ??= load();
      // A failure to write a trace has no other effect.
      void loading
        .then((traces) => traces.write({ run: { ...span, values }, nodes: [] }))
        .catch(() => undefined);
    }
  });
  return { close: async () => loading?.then((traces) => traces.close()).catch(() => undefined) };
}
