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

/** `x-ratelimit-reset-tokens` (OpenAI) and `anthropic-ratelimit-tokens-reset`. */
const resetHeader = /^(?:x-ratelimit-reset-.+|anthropic-ratelimit-.+-reset)$/;

/**
 * The wait until a provider renews the limits that are used up, in milliseconds, from what the headers of a
 * refusal say of each limit: a duration such as `6m0s`, or an RFC 3339 time. A large request may exceed a limit
 * that is not used up: a 429 that names none waits for the last renewal. Undefined when nothing readable is named.
 */
export function limitReset(status: number, headers: Headers, now: number): number | undefined {
  const limits = [...headers].flatMap(([name, text]) => {
    const ms = resetHeader.test(name) ? untilReset(text, now) : undefined;
    const left = amount(headers.get(name.replace('reset', 'remaining')));
    return ms === undefined ? [] : [{ ms, left }];
  });
  const spent = limits.filter(({ left }) => left === 0);
  const blocking = spent.length === 0 && status === 429 ? limits : spent;
  return blocking.length === 0 ? undefined : boundedDelay(Math.max(...blocking.map(({ ms }) => ms)));
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A bare number is undefined: providers disagree on what it counts. */
function untilReset(text: string, now: number): number | undefined {
  if (/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) {
    const parts = text.matchAll(/([\d.]+)([a-z]+)/g);
    return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  }
  const date = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : date - now;
}

function amount(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** A wait that a server requests, in milliseconds, within what carries information. */
export const boundedDelay = (ms: number): number => Math.min(Math.max(Math.ceil(ms), 0), maxDelayMs);
