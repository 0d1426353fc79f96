import { text } from '../locales/text';
const whole = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function formatCount(count: number): string {
  return whole.format(count);
}

/** Formats a duration in milliseconds as briefly as possible: `340 ms`, `2.1 s`, `1 min 05 s`. */
export function formatSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1_000) return text('ui.time.ms', { count: Math.round(span) });
  if (span < 59_950) return text('ui.time.seconds', { count: (span / 1_000).toFixed(1) });
  return formatSeconds(Math.round(span / 1_000));
}

/** Formats whole seconds: `12 s`, `7 min 05 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return text('ui.time.seconds', { count: seconds });
  return text('ui.time.minutes', {
    minutes: Math.floor(seconds / 60),
    seconds: String(seconds % 60).padStart(2, '0'),
  });
}

const units = ['B', 'kB', 'MB', 'GB'] as const;

export function formatBytes(bytes: number): string {
  const step = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

/** The local time of day. */
export function formatTime(at: number): string {
  return clock.format(at);
}

export function formatDate(at: number): string {
  return day.format(at);
}

const monthAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const yearAndTime = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/** A time as briefly as it stays clear at `now`: today `9:05 AM`, this year with the day, otherwise with the year. */
export function formatMoment(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.toDateString() === today.toDateString()) return formatTime(at);
  return (then.getFullYear() === today.getFullYear() ? monthAndTime : yearAndTime).format(at);
}
