import type { Clock } from '../../../core/ports/clock';
import type { ModelEvent, ModelRequest } from '../../../core/ports/llm';
import { attemptReply, type AttemptEvent, type HttpDeps } from './attempt';
import { cancelled, type Endpoint, type Failure } from './failure';
import type { LlmLimits } from './limits';

/**
 * Streams a reply and retries while no part of it has arrived: after 429 and 5xx, after the delay that the
 * server requests (`Retry-After`), else after 1, 2, 4 seconds. `retrying` announces each delay, which ends at
 * once when the caller cancels.
 */
export async function* retryingReply(
  deps: HttpDeps,
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for (let tries = 0; ; tries++) {
    const failed = yield* once(attemptReply(deps, endpoint, request, signal), signal);
    if (failed === undefined) return;
    const wait = tries >= failed.retries ? undefined : waitBefore(failed, tries, deps.limits);
    if (wait === undefined) {
      const { retries: _retries, ...rest } = failed;
      yield { type: 'error', ...rest };
      return;
    }
    yield { type: 'retrying', inMs: wait, error: failed.error };
    await waited(wait, deps.clock, signal);
  }
}

/**
 * Forwards one attempt; returns why it failed. Once a part of the reply is forwarded, a retry is impossible.
 */
async function* once(
  attempt: AsyncIterable<AttemptEvent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Failure | undefined> {
  let anything = false;
  for await (const event of attempt) {
    if (signal.aborted) return cancelled();
    if (event.type === 'failed') return anything ? { ...event.failure, retries: 0 } : event.failure;
    anything = true;
    yield event;
  }
  return undefined;
}

function waitBefore(failed: Failure, tries: number, limits: LlmLimits): number | undefined {
  const wait = failed.error.retryAfterMs ?? limits.retryMs * 2 ** tries;
  return wait > limits.maxRetryMs ? undefined : wait;
}

/** Resolves after the delay, or as soon as the caller cancels. */
function waited(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // Between two requests, only this timer keeps a command-line process alive.
    const stop = clock.after(ms, done, true);
    function done(): void {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
