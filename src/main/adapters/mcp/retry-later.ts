import type { FetchLike } from '@modelcontextprotocol/client';
import { retryAfter } from '../system/retry-after';

/** A server's refusal that says when to retry. */
export interface RetryLater extends Error {
  readonly status: number;
  /** At most a day. */
  readonly retryAfterMs: number;
}

/** Statuses whose `Retry-After` says when the same request may succeed (RFC 9110 §10.2.3, RFC 6585 §4). */
const busy = new Set([429, 503]);

/**
 * The client's own error omits the headers of a refusal. If a busy server says when to retry, this fails the
 * request with an error that includes the delay. This covers the handshake too: a retry in an older protocol
 * would only add load.
 */
export function withRetryAfter(fetch: FetchLike, now: () => number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, headers } = response;
    const retryAfterMs = busy.has(status) ? retryAfter(headers, now()) : undefined;
    if (retryAfterMs === undefined) return response;
    throw Object.assign(new Error(await response.text()), { status, retryAfterMs });
  };
}

/** The underlying refusal of an error, if it says when to retry. */
export function retryLaterOf(error: unknown): RetryLater | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('retryAfterMs' in cause && 'status' in cause) return cause as RetryLater;
  }
  return null;
}
