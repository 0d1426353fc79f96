import type { SkippedKind } from '#shared/session-file';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import en from './en.json';

/** The window in German, as its address says. */
async function inGerman() {
  vi.resetModules();
  history.replaceState(null, '', '?lang=de');
  const [words, format, cost] = [
    await import('./text'),
    await import('../ui/format'),
    await import('../ui/cost-text'),
  ];
  return { ...words, ...format, ...cost };
}

let german: Awaited<ReturnType<typeof inGerman>>;
beforeAll(async () => {
  german = await inGerman();
});
afterAll(() => history.replaceState(null, '', '?'));

it('[I18N-catalogue] uses the language of the address', () => {
  expect(german.language).toBe('de');
  expect(german.text('find.next')).toBe('Nächster Treffer');
  expect(german.text('shared.calls', { count: 1 })).toBe('1 Aufruf');
});

it('[I18N-numbers] formats numbers, lists, dates and amounts for the language', () => {
  expect(german.text('shared.calls', { count: 1234 })).toBe('1.234 Aufrufe');
  expect(german.formatSpan(2_100)).toBe('2,1 s');
  expect(german.formatBytes(1_500)).toBe('1,5 kB');
  expect(german.formatList(['a', 'b', 'c'])).toBe('a, b und c');
  expect(german.formatMonth('2026-05')).toBe('Mai 2026');
  expect(german.formatDate(new Date(2026, 4, 12, 9, 5).getTime())).toContain('12. Mai 2026');
  expect(german.formatCost(1.5)).toBe('1,50\u00a0$');
});

it('[I18N-catalogue] shows the lines to try under a title in the language, and in English as they are', async () => {
  const { suggestions } = await import('../features/welcome/welcome');
  const en = (await import('./en.json')).default.welcome as Readonly<Record<string, unknown>>;
  for (const { line, title } of suggestions) {
    expect(en[title.split('.')[1] ?? '']).toBe(line);
    expect(german.text(title)).not.toBe(line);
  }
});

it('[IMPORT-window] names what an import leaves out in the language', () => {
  const kinds = Object.keys(en.settings.data.import.kinds) as SkippedKind[];
  const names = kinds.map((kind) => german.text(`settings.data.import.kinds.${kind}`));
  expect(names).toContain('Werkzeugaufrufe');
  expect(names.filter((name) => kinds.some((kind) => name.toLowerCase() === kind))).toEqual([]);
});
