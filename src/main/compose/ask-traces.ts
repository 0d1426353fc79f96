import { modelSpan } from '../../core/agent/run-trace';
import type { ModelClient } from '../../core/ports/llm';
import type { RunTraces } from '../../core/ports/run-traces';
import type { SessionLog } from '../../core/session/session-log';
import type { CoreDeps } from './core-deps';
import { secretsIn } from './event-log';

/**
 * Traces each model call of a reply in Ask as a separate span, beside those of runs. Loads the tracing SDK
 * after the first call, so that neither the start nor the first reply waits for it.
 */
export function traceAskCalls(
  coreDeps: Pick<CoreDeps, 'host' | 'knownSecrets'>,
  { priceOf }: Pick<ModelClient, 'priceOf'>,
  log: Pick<SessionLog, 'subscribe'>,
): { readonly close: () => Promise<void> } {
  let loading: Promise<RunTraces> | null = null;
  const load = async (): Promise<RunTraces> => {
    const { createRunSpans } = await import('../adapters/telemetry/run-spans');
    return createRunSpans(coreDeps.host);
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
