/** A server may ask for any wait; beyond a day the number says nothing anymore. */
const longest = 24 * 60 * 60 * 1000;

/**
 * How long a server asks to wait, in milliseconds from `now` (milliseconds since the epoch), or undefined when it does not say.
 * `Retry-After` is seconds or an HTTP date (RFC 9110 §10.2.3); `retry-after-ms` is what some providers add.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = amount(headers.get('retry-after-ms'));
  if (exact !== undefined) return clamp(exact);
  const text = headers.get('retry-after');
  const seconds = amount(text);
  if (seconds !== undefined) return clamp(seconds * 1000);
  const date = text === null ? NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

function amount(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

const clamp = (ms: number): number => Math.min(Math.max(Math.ceil(ms), 0), longest);
