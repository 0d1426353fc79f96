import type { JsonBounds, JsonMeter, JsonRefusals, NewJsonMeter } from './json-meter';

export type EncodeJson = (value: unknown, bounds: JsonBounds, refusals: JsonRefusals) => string;

/**
 * Runs inside the guest as text, so it must not close over anything. Encodes JSON text within bounds and
 * stays interruptible; omits members named `__proto__`, `constructor` or `prototype`, and
 * writes a date as its ISO text.
 */
export function createBoundedJson(
  newMeter: NewJsonMeter,
  isoOf: (value: unknown) => string | null | undefined,
): EncodeJson {
  const dropped = new Set(['__proto__', 'constructor', 'prototype']);
  const absent = (value: unknown): boolean =>
    value === undefined || typeof value === 'function' || typeof value === 'symbol';

  const list = (meter: JsonMeter, value: readonly unknown[]): void => {
    meter.count(value.length);
    meter.put('[');
    for (let at = 0; at < value.length; at += 1) {
      if (at > 0) meter.put(',');
      const member = value[at];
      write(meter, absent(member) ? null : member);
    }
    meter.put(']');
  };
  const members = (meter: JsonMeter, value: Readonly<Record<string, unknown>>): void => {
    const keys = Object.keys(value);
    meter.count(keys.length);
    let separator = '{';
    for (const key of keys) {
      const member = dropped.has(key) ? undefined : value[key];
      if (absent(member)) continue;
      meter.put(separator);
      meter.putQuoted(key);
      meter.put(':');
      write(meter, member);
      separator = ',';
    }
    meter.put(separator === '{' ? '{}' : '}');
  };
  const write = (meter: JsonMeter, written: unknown): void => {
    const iso = isoOf(written);
    const value = iso === undefined ? written : iso;
    if (typeof value === 'string') return meter.putQuoted(value);
    if (typeof value === 'number') return meter.put(Number.isFinite(value) ? String(value) : 'null');
    if (typeof value === 'boolean' || value === null) return meter.put(String(value));
    if (typeof value !== 'object') throw meter.invalid(`a value of type ${typeof value}`);
    meter.enter(value);
    if (Array.isArray(value)) list(meter, value);
    else members(meter, value as Record<string, unknown>);
    meter.leave();
  };
  return (value, bounds, refusals) => {
    const meter = newMeter(bounds, refusals);
    write(meter, value);
    return meter.text();
  };
}
