import { locale, text } from '../locales/text';

const whole = new Intl.NumberFormat(locale);
const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const hundredths = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const list = new Intl.ListFormat(locale, { type: 'unit' });
const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' });

const clockForms = { system: {}, h12: { hourCycle: 'h12' }, h24: { hourCycle: 'h23' } } as const;
const styles = {
  time: { hour: '2-digit', minute: '2-digit' },
  date: { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  thisYear: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
} as const;

type ClockForm = keyof typeof clockForms;

const formatters = (form: ClockForm) => {
  const of = (style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...style, ...clockForms[form] });
  return { form, time: of(styles.time), date: of(styles.date), thisYear: of(styles.thisYear) };
};
let times = formatters('system');
const readers = new Set<() => void>();

/** How times of day are written from now on. */
export function writeTimesAs(form: ClockForm): void {
  if (form === times.form) return;
  times = formatters(form);
  for (const reader of readers) reader();
}

/** Calls back when times are written in another way. */
export function onTimesChange(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

export const clockForm = (): ClockForm => times.form;

export function formatCount(count: number): string {
  return whole.format(count);
}

/** With exactly one decimal place. */
export function formatTenths(value: number): string {
  return tenths.format(value);
}

/** With exactly two decimal places. */
export function formatHundredths(value: number): string {
  return hundredths.format(value);
}

/** Briefly: `1.6K`. */
export function formatShort(count: number): string {
  return short.format(count);
}

/** Words as a list of equals: `a, b, c`. */
export function formatList(words: readonly string[]): string {
  return list.format(words);
}

/** A day that is given as `2026-05-12`: `May 12, 2026`. */
export function formatDay(day: string): string {
  return days.format(new Date(`${day}T00:00:00Z`));
}

/** A calendar month that is given as `2026-05`: `May 2026`. */
export function formatMonth(month: string): string {
  return months.format(new Date(`${month}-01T00:00:00Z`));
}

/** Formats a duration in milliseconds as briefly as possible: `340 ms`, `2.1 s`, `1 min 05 s`. */
export function formatSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1_000) return text('ui.time.ms', { count: Math.round(span) });
  if (span < 59_950) return text('ui.time.seconds', { count: formatTenths(span / 1_000) });
  return formatSeconds(Math.round(span / 1_000));
}

/** Formats whole seconds: `12 s`, `7 min 05 s`, `10 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return text('ui.time.seconds', { count: seconds });
  if (seconds % 60 === 0) return text('ui.time.wholeMinutes', { minutes: seconds / 60 });
  return text('ui.time.minutes', {
    minutes: Math.floor(seconds / 60),
    seconds: String(seconds % 60).padStart(2, '0'),
  });
}

const units = ['B', 'kB', 'MB', 'GB'] as const;

export function formatBytes(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : formatTenths(value)} ${units[step]}`;
}

/** The local time of day. */
export function formatTime(at: number): string {
  return times.time.format(at);
}

export function formatDate(at: number): string {
  return times.date.format(at);
}

/** A time as briefly as it stays clear at `now`: today `9:05 AM`, this year with the day, otherwise with the year. */
export function formatMoment(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.toDateString() === today.toDateString()) return formatTime(at);
  return (then.getFullYear() === today.getFullYear() ? times.thisYear : times.date).format(at);
}
