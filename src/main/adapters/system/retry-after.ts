/** A server may request any wait; more than a day carries no information. */
const maxDelayMs = 24 * 60 * 60 * 1000;

/**
 * The wait a server requests, in milliseconds from `now` (milliseconds since the epoch), or undefined when it
 * requests none. `Retry-After` is seconds or an HTTP date (RFC 9110 §10.2.3); some providers add
 * `retry-after-ms`.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = amount(headers.get('retry-after-ms'));
  if (exact !== undefined) return boundedDelay(exact);
  const text = headers.get('retry-after');
  const seconds = amount(text);
  if (seconds !== undefined) return boundedDelay(seconds * 1000);
  // A date has a time of day; without one, `Date.parse` reads numbers such as `-5` as days.
  const date = text?.includes(':') ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : boundedDelay(date - now);
}

function amount(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** A wait that a server requests, in milliseconds, within what carries information. */
export const boundedDelay = (ms: number): number => Math.min(Math.max(Math.ceil(ms), 0), maxDelayMs);
