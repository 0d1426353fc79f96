import type { Clock } from '../../ports/clock';
import type { ModelEvent, ModelRequest } from '../../ports/llm';
import { attemptReply, type HttpDeps } from './attempt';
import { cancelled, type Endpoint, type Failure } from './failure';
import type { LlmLimits } from './limits';

/**
 * A reply, with more attempts while nothing of it came: after 429 and 5xx, as long as the server asks to wait
 * (`Retry-After`), else 1, 2, 4 seconds. Each wait is announced by `retrying` and ends at once when the caller gives up.
 */
export async function* retryingReply(
  deps: HttpDeps,
  endpoint: Endpoint,
  ...[request, signal]: readonly [ModelRequest, AbortSignal]
): AsyncGenerator<ModelEvent> {
  for (let tries = 0; ; tries++) {
    let failed: Failure | undefined;
    let anything = false;
    for await (const event of attemptReply(deps, endpoint, request, signal)) {
      if (event.type === 'failed') failed = event.failure;
      else {
        anything = true;
        yield event;
      }
    }
    if (failed === undefined) return;
    const wait = anything || tries >= failed.retries ? undefined : waitBefore(failed, tries, deps.limits);
    if (wait === undefined) return yield { type: 'error', error: failed.error };
    yield { type: 'retrying', inMs: wait, error: failed.error };
    await waited(wait, deps.clock, signal);
    if (signal.aborted) return yield { type: 'error', error: cancelled().error };
  }
}

function waitBefore(failed: Failure, tries: number, limits: LlmLimits): number | undefined {
  const wait = failed.error.retryAfterMs ?? limits.retryMs * 2 ** tries;
  return wait > limits.longestRetryMs ? undefined : wait;
}

function waited(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const stop = clock.after(ms, done);
    function done(): void {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
