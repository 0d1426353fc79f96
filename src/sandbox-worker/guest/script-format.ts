import type { GuestErrors } from './guest-errors';
import type { NewMethod, ScriptDates } from './script-dates';

/** The `fmt` object of scripts: what nearly every script that reports numbers and paths would write itself. */
export interface ScriptFormat {
  /** `3 files`, `1 file`. */
  count(number: number, one: string, many: string): string;
  /** `1.5 MB`, with decimal units. */
  bytes(bytes: number): string;
  /** `1,234,567.891`, or with exactly so many decimals. */
  number(value: number, digits?: number): string;
  /** `2024-05-01` of a date, a text or milliseconds, in UTC; the pattern takes YYYY, MM, DD, HH, mm, ss. */
  date(value: unknown, pattern?: string): string;
  /** An upper bound of the tokens of a text: a step's result is limited in tokens. */
  tokens(text: string): number;
  /** The text, cut at its start to at most so many tokens: the end of a path says more than its start. */
  fit(text: string, maxTokens: number): string;
}

/** Runs inside the guest as text, so it must not close over anything. */
export function createScriptFormat(
  errors: GuestErrors,
  dates: Pick<ScriptDates, 'format'>,
  newMethod: NewMethod,
): ScriptFormat {
  /** Digits before and after the point, rounded half away from zero as people do, on the digits shown. */
  const rounded = (value: number, minDigits: number, maxDigits: number): readonly [string, string] => {
    const size = Math.abs(value);
    const written = size >= 1e21 ? String(BigInt(size)) : size < 1e-6 ? size.toFixed(20) : String(size);
    const [whole = '0', part = ''] = written.split('.');
    const scaled =
      BigInt(whole + part.slice(0, maxDigits).padEnd(maxDigits, '0')) +
      ((part.charAt(maxDigits) || '0') >= '5' ? 1n : 0n);
    const digits = String(scaled).padStart(maxDigits + 1, '0');
    const after = digits.slice(digits.length - maxDigits);
    let fraction = maxDigits === 0 ? '' : after;
    while (fraction.length > minDigits && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
    return [digits.slice(0, digits.length - maxDigits), fraction];
  };
  const english = (value: number, minDigits: number, maxDigits: number, grouped = true): string => {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? '-∞' : '∞';
    const [whole, part] = rounded(value, minDigits, maxDigits);
    const groups = grouped ? (whole ?? '').replace(/\B(?=(\d{3})+$)/g, ',') : whole;
    const sign = value < 0 || Object.is(value, -0) ? '-' : '';
    return `${sign}${groups}${part === '' ? '' : `.${part}`}`;
  };
  const refused = (message: string): Error => errors.typedError({ kind: 'CODE', code: 'FORBIDDEN' }, message);
  const decimals = (value: unknown, other: number): number => {
    if (value === undefined) return other;
    if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > 20)
      throw new RangeError('decimals are a whole number from 0 to 20');
    return Number(value);
  };
  const toLocaleString = (self: unknown, locale: unknown, options: unknown): string => {
    if (locale !== 'en' && locale !== 'en-US') {
      throw refused("toLocaleString: only 'en' and 'en-US'; or use fmt.number(n, digits).");
    }
    const format = (options ?? {}) as Readonly<Record<string, unknown>>;
    const {
      minimumFractionDigits,
      maximumFractionDigits,
      useGrouping = true,
      style = 'decimal',
      ...others
    } = format;
    const [other] = Object.keys(others);
    if (other !== undefined || (style !== 'decimal' && style !== 'percent')) {
      throw refused(`toLocaleString: ${other ?? 'this style'} is not offered; use fmt.number(n, digits).`);
    }
    const minDigits = decimals(minimumFractionDigits, 0);
    const maxDigits = decimals(maximumFractionDigits, Math.max(minDigits, style === 'percent' ? 0 : 3));
    const value = Number(self) * (style === 'percent' ? 100 : 1);
    return `${english(value, Math.min(minDigits, maxDigits), maxDigits, useGrouping !== false)}${style === 'percent' ? '%' : ''}`;
  };
  Reflect.defineProperty(Number.prototype, 'toLocaleString', {
    value: newMethod((self, locale, options) => toLocaleString(self, locale, options)),
    writable: true,
    configurable: true,
  });
  const tokensOf = (char: string): number => {
    if (/[A-Za-z ]/.test(char)) return 0.5;
    if (/[0-9]/.test(char)) return 0.7;
    return char < '\u0080' ? 1 : 4;
  };
  return {
    count: (number, one, many) => `${number} ${number === 1 ? one : many}`,
    bytes(bytes) {
      if (bytes < 1_000) return `${bytes}\u00A0${bytes === 1 ? 'byte' : 'bytes'}`;
      const units = ['kB', 'MB', 'GB', 'TB'];
      let value = bytes / 1_000;
      let unit = 0;
      for (; value >= 1_000 && unit < units.length - 1; unit += 1) value /= 1_000;
      return `${value.toFixed(1)}\u00A0${units[unit]}`;
    },
    number(value, digits) {
      const maxDigits = decimals(digits, 3);
      return english(Number(value), digits === undefined ? 0 : maxDigits, maxDigits);
    },
    date: (value, pattern) => dates.format(value, pattern),
    tokens: (text) => [...String(text)].reduce((sum, char) => sum + tokensOf(char), 0),
    fit(text, maxTokens) {
      const chars = [...String(text)];
      let start = chars.length;
      for (let left = maxTokens; start > 0; start -= 1) {
        left -= tokensOf(chars[start - 1] ?? '');
        if (left < 0) break;
      }
      return start === 0 ? String(text) : `…${chars.slice(start).join('')}`;
    },
  };
}
