import type { GuestErrors } from './guest-errors';

/** Wraps a body so that it receives its `this` as the first argument; see METHOD in prelude.ts. */
export type NewMethod = (body: (self: unknown, ...parts: unknown[]) => unknown) => unknown;
/** Wraps a body so that it receives `new.target` (undefined for a plain call); see CONSTRUCTOR in prelude.ts. */
export type NewConstructor = (body: (newTarget: unknown, parts: readonly unknown[]) => unknown) => object;

export interface ScriptDates {
  /** The `Date` of scripts. */
  readonly Date: object;
  /** The ISO text of a date, `null` for an invalid one; undefined for any other value. */
  isoOf(value: unknown): string | null | undefined;
  /** `2024-05-01`, or by a pattern of YYYY, MM, DD, HH, mm, ss, SSS. */
  format(value: unknown, pattern?: string): string;
}

/**
 * Runs inside the guest as text, so it must not close over anything. A `Date` for given times only, always in
 * UTC: the engine's own one would read the clock and the zone of the host. Milliseconds since 1970, as ever.
 */
export function createScriptDates(
  errors: GuestErrors,
  newMethod: NewMethod,
  newConstructor: NewConstructor,
): ScriptDates {
  const DAY = 86_400_000;
  const MAX_TIME = 8.64e15;
  const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const times = new WeakMap<object, number>();

  const noClock = (): Error =>
    errors.typedError(
      { kind: 'CODE', code: 'FORBIDDEN' },
      'Date: there is no clock in a script; take the time from a tool, as in new Date(text).',
    );
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

  /** Days since 1970 of a day in the Gregorian calendar; the month may lie outside 0 to 11. */
  const dayNumber = (year: number, month: number, day: number): number => {
    const y = year + Math.floor(month / 12);
    const m = ((month % 12) + 12) % 12;
    const shifted = m < 2 ? y - 1 : y;
    const era = Math.floor(shifted / 400);
    const ofEra = shifted - era * 400;
    const ofYear = Math.floor((153 * ((m + 10) % 12) + 2) / 5);
    return (
      era * 146_097 +
      ofEra * 365 +
      Math.floor(ofEra / 4) -
      Math.floor(ofEra / 100) +
      ofYear -
      719_468 +
      day -
      1
    );
  };
  const clip = (time: number): number => (Math.abs(time) <= MAX_TIME ? Math.trunc(time) + 0 : NaN);
  /** The time of year, month, day, hours, minutes, seconds, milliseconds. */
  const timeOf = (args: readonly unknown[]): number => {
    const defaults = [NaN, 0, 1, 0, 0, 0, 0];
    const parts = defaults.map((other, at) => (args.length > at ? Math.trunc(Number(args[at])) : other));
    const [year = NaN, month = 0, day = 1, h = 0, min = 0, s = 0, ms = 0] = parts;
    if (!parts.every(Number.isFinite)) return NaN;
    return clip(dayNumber(year, month, day) * DAY + h * 3_600_000 + min * 60_000 + s * 1_000 + ms);
  };
  /** Two-digit years count from 1900, as everywhere in JavaScript. */
  const timeOfParts = (args: readonly unknown[]): number => {
    const year = Math.trunc(Number(args[0]));
    return timeOf(year >= 0 && year <= 99 ? [1900 + year, ...args.slice(1)] : args);
  };
  /** Year, month, day, hours, minutes, seconds, milliseconds, weekday of a time. */
  const fieldsOf = (time: number): readonly number[] => {
    const days = Math.floor(time / DAY);
    const rest = time - days * DAY;
    const z = days + 719_468;
    const era = Math.floor(z / 146_097);
    const ofEra = z - era * 146_097;
    const yearOfEra = Math.floor(
      (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
    );
    const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
    const shifted = Math.floor((5 * ofYear + 2) / 153);
    const day = ofYear - Math.floor((153 * shifted + 2) / 5) + 1;
    const month = (shifted + 2) % 12;
    const year = yearOfEra + era * 400 + (month < 2 ? 1 : 0);
    const at = (unit: number, count: number): number => Math.floor(rest / unit) % count;
    return [
      year,
      month,
      day,
      at(3_600_000, 24),
      at(60_000, 60),
      at(1_000, 60),
      rest % 1_000,
      (((days + 4) % 7) + 7) % 7,
    ];
  };

  const iso =
    /^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;
  const zoneOf = (zone: string | undefined): number => {
    if (zone === undefined || !/^[+-]/.test(zone)) return 0;
    const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
    const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
    return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
  };
  const within = (value: number, min: number, max: number): boolean => value >= min && value <= max;
  const checked = (fields: readonly number[], zone: string | undefined): number => {
    const [, month = 0, day = 1, h = 0, min = 0, s = 0, ms = 0] = fields;
    const midnight = h === 24 && min === 0 && s === 0 && ms === 0;
    const real = within(month, 0, 11) && within(day, 1, 31) && (midnight || within(h, 0, 23));
    return real && within(min, 0, 59) && within(s, 0, 59) ? clip(timeOf(fields) - zoneOf(zone)) : NaN;
  };
  const parseIso = (text: string): number | undefined => {
    const found = iso.exec(text);
    if (!found) return undefined;
    const [, year, month = '1', day = '1', h = '0', min = '0', s = '0', part = '0', zone] = found;
    const ms = Number(part.padEnd(3, '0').slice(0, 3));
    return checked(
      [Number(year), Number(month) - 1, Number(day), Number(h), Number(min), Number(s), ms],
      zone,
    );
  };
  /** Takes year, month (from 1) and day out of a text; null when it has no date. */
  const dateIn = (
    take: (pattern: RegExp) => RegExpExecArray | null,
  ): readonly (string | number | undefined)[] | null => {
    const slashed = take(/\b(\d{4})\/(\d{1,2})\/(\d{1,2})\b|\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/);
    if (slashed) return slashed[1] === undefined ? [slashed[6], slashed[4], slashed[5]] : slashed.slice(1, 4);
    const named = take(/\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i);
    const year = take(/\b(\d{4})\b/);
    const day = take(/\b(\d{1,2})(?:st|nd|rd|th)?\b/i);
    if (!named || !year) return null;
    const month = monthNames.findIndex((name) => name.toLowerCase() === named[1]?.toLowerCase());
    return [year[1], 1 + month, day?.[1] ?? 1];
  };
  /** Forms that people and programs write: `Tue, 07 May 2024 10:00:00 +0200`, `May 7, 2024 3 PM`, `5/7/2024`. */
  const parseWords = (text: string): number => {
    let left = text.replace(/\([^)]*\)/g, ' ');
    const take = (pattern: RegExp): RegExpExecArray | null => {
      const found = pattern.exec(left);
      if (found) left = `${left.slice(0, found.index)} ${left.slice(found.index + found[0].length)}`;
      return found;
    };
    const time = take(/\b(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d*)?)?\s*([ap]\.?m\.?)?/i);
    const zone = take(/(?:\b(?:GMT|UTC))?\s?([+-]\d\d:?\d\d)\b|\b(?:GMT|UTC|Z)\b/i);
    const date = dateIn(take);
    take(/\b(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*\b/i);
    if (date === null || left.replace(/[\s,.-]|\b(?:at|of)\b/gi, '') !== '') return NaN;
    const half = time?.[5]?.charAt(0).toLowerCase();
    const hours = Number(time?.[1] ?? 0);
    const h = half === undefined ? hours : (hours % 12) + (half === 'p' ? 12 : 0);
    const ms = Number((time?.[4] ?? '').padEnd(3, '0'));
    const [y, month, d] = date.map(Number);
    return checked(
      [y ?? NaN, (month ?? NaN) - 1, d ?? NaN, h, Number(time?.[2] ?? 0), Number(time?.[3] ?? 0), ms],
      zone?.[1],
    );
  };
  const parse = (text: unknown): number => {
    const written = String(text).trim().slice(0, 100);
    return parseIso(written) ?? parseWords(written);
  };

  const timeIn = (self: unknown): number => {
    const time = typeof self === 'object' && self !== null ? times.get(self) : undefined;
    if (time === undefined) throw new TypeError('this is not a Date');
    return time;
  };
  const yearText = (year: number): string =>
    within(year, 0, 9_999) ? pad(year, 4) : `${year < 0 ? '-' : '+'}${pad(Math.abs(year), 6)}`;
  const isoText = (time: number): string => {
    const [year = 0, month = 0, day = 0, h = 0, min = 0, s = 0, ms = 0] = fieldsOf(time);
    return `${yearText(year)}-${pad(month + 1)}-${pad(day)}T${pad(h)}:${pad(min)}:${pad(s)}.${pad(ms, 3)}Z`;
  };
  const texts = {
    day: (time: number): string => {
      const [year = 0, month = 0, day = 0, , , , , weekday = 0] = fieldsOf(time);
      return `${dayNames[weekday]} ${monthNames[month]} ${pad(day)} ${pad(year, 4)}`;
    },
    time: (time: number): string => `${isoText(time).slice(-13, -5)} GMT+0000 (Coordinated Universal Time)`,
    utc: (time: number): string => {
      const [year = 0, month = 0, day = 0, , , , , weekday = 0] = fieldsOf(time);
      return `${dayNames[weekday]}, ${pad(day)} ${monthNames[month]} ${pad(year, 4)} ${isoText(time).slice(-13, -5)} GMT`;
    },
  };
  const valid =
    (say: (time: number) => string) =>
    (self: unknown): string => {
      const time = timeIn(self);
      return Number.isNaN(time) ? 'Invalid Date' : say(time);
    };

  const valueOf = (value: unknown): number => {
    const known = typeof value === 'object' && value !== null ? times.get(value) : undefined;
    if (known !== undefined) return known;
    return typeof value === 'string' ? parse(value) : clip(Number(value));
  };
  const construct = (newTarget: unknown, parts: readonly unknown[]): object => {
    if (newTarget === undefined || parts.length === 0) throw noClock();
    const made = Reflect.construct(Object, [], newTarget as new () => object) as object;
    times.set(made, parts.length === 1 ? valueOf(parts[0]) : timeOfParts(parts));
    return made;
  };
  const constructor = newConstructor(construct);
  const define = (target: object, name: PropertyKey, body: (self: unknown, ...parts: unknown[]) => unknown) =>
    Reflect.defineProperty(target, name, { value: newMethod(body), writable: true, configurable: true });
  const prototype = Reflect.get(constructor, 'prototype') as object;

  define(constructor, 'now', () => {
    throw noClock();
  });
  define(constructor, 'parse', (_self, text) => parse(text));
  define(constructor, 'UTC', (_self, ...parts) => timeOfParts(parts));
  const getters = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds', 'Day'];
  for (const [at, name] of getters.entries()) {
    const get = (self: unknown): number => {
      const time = timeIn(self);
      return Number.isNaN(time) ? NaN : (fieldsOf(time)[at] ?? NaN);
    };
    const set = (self: unknown, ...parts: unknown[]): number => {
      const time = timeIn(self);
      const fields: unknown[] = [...fieldsOf(Number.isNaN(time) && at === 0 ? 0 : time)].slice(0, 7);
      // `setFullYear` takes a month and a day as well; the others, the smaller units after their own.
      const accepted = at <= 2 ? 3 - at : 7 - at;
      for (const [after, part] of parts.slice(0, accepted).entries()) fields[at + after] = part;
      const changed = parts.length === 0 ? NaN : timeOf(fields);
      times.set(self as object, changed);
      return changed;
    };
    for (const zone of ['', 'UTC']) {
      define(prototype, `get${zone}${name}`, get);
      if (name !== 'Day') define(prototype, `set${zone}${name}`, set);
    }
  }
  define(prototype, 'getTime', timeIn);
  define(prototype, 'valueOf', timeIn);
  define(prototype, 'setTime', (self, time) => {
    timeIn(self);
    const changed = clip(Number(time));
    times.set(self as object, changed);
    return changed;
  });
  define(prototype, 'getTimezoneOffset', (self) => (Number.isNaN(timeIn(self)) ? NaN : 0));
  define(prototype, 'toISOString', (self) => {
    const time = timeIn(self);
    if (Number.isNaN(time)) throw new RangeError('Invalid Date has no ISO text');
    return isoText(time);
  });
  define(prototype, 'toJSON', (self) => (Number.isNaN(timeIn(self)) ? null : isoText(timeIn(self))));
  define(
    prototype,
    'toString',
    valid((time) => `${texts.day(time)} ${texts.time(time)}`),
  );
  define(prototype, 'toDateString', valid(texts.day));
  define(prototype, 'toTimeString', valid(texts.time));
  define(prototype, 'toUTCString', valid(texts.utc));
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    define(prototype, name, () => {
      throw errors.typedError(
        { kind: 'CODE', code: 'FORBIDDEN' },
        `${name}: a script has no locales for dates; use fmt.date(date, 'YYYY-MM-DD HH:mm').`,
      );
    });
  }
  define(prototype, Symbol.toPrimitive, (self, hint) =>
    hint === 'number' ? timeIn(self) : valid((time) => `${texts.day(time)} ${texts.time(time)}`)(self),
  );

  return {
    Date: constructor,
    isoOf(value) {
      const time = typeof value === 'object' && value !== null ? times.get(value) : undefined;
      if (time === undefined) return undefined;
      return Number.isNaN(time) ? null : isoText(time);
    },
    format(value, pattern = 'YYYY-MM-DD') {
      const time = valueOf(value);
      if (Number.isNaN(time)) return 'Invalid Date';
      const [year = 0, month = 0, day = 0, h = 0, min = 0, s = 0, ms = 0] = fieldsOf(time);
      const fields: Readonly<Record<string, string>> = {
        YYYY: yearText(year),
        MMM: monthNames[month] ?? '',
        MM: pad(month + 1),
        DD: pad(day),
        HH: pad(h),
        mm: pad(min),
        ss: pad(s),
        SSS: pad(ms, 3),
      };
      return String(pattern).replace(/YYYY|MMM|MM|DD|HH|mm|SSS|ss/g, (name) => fields[name] ?? name);
    },
  };
}
