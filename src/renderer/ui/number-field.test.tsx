import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { NumberField } from './number-field';

afterEach(cleanup);

/** The value that a field saves for a text; null if it saves none. */
function savedFor(entered: string, whole: boolean): number | undefined | null {
  let saved: number | undefined | null = null;
  const save = (value: number | undefined) => void (saved = value);
  render(<NumberField label="Label" value={7} min={1} max={1e9} whole={whole} onChange={save} />);
  const field = screen.getByRole('textbox', { name: 'Label' });
  fireEvent.change(field, { target: { value: entered } });
  fireEvent.blur(field);
  return saved;
}

it.each([
  ['1.000', 1_000],
  ['12,000', 12_000],
  ['1 000 000', 1_000_000],
  ['1.5', null],
  ['0.500', null],
  ['12', 12],
  ['', undefined],
])('[SET-controls] reads %j as the whole number %j', (entered, value) => {
  expect(savedFor(entered, true)).toBe(value);
});

it.each([
  ['1,5', 1.5],
  ['1.5', 1.5],
  ['1,000', 1_000],
  ['1,000.5', 1_000.5],
  ['1 000', 1_000],
  ['1.125', 1.125],
  ['1.000,5', null],
])('[SET-controls] reads %j as the number %j', (entered, value) => {
  expect(savedFor(entered, false)).toBe(value);
});

it('[SET-controls] in German a point groups digits and a comma separates decimals', async () => {
  history.replaceState(null, '', '?lang=de');
  vi.resetModules();
  const { NumberField: Field } = await import('./number-field');
  let saved: number | undefined;
  const save = (value: number | undefined) => void (saved = value);
  render(<Field label="Label" value={1.125} min={1} max={1e9} onChange={save} />);
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Label' });
  expect(field.value).toBe('1,125');
  fireEvent.blur(field);
  expect(saved).toBeUndefined();
  const savedNow = (value: string) => {
    fireEvent.change(field, { target: { value } });
    fireEvent.blur(field);
    return saved;
  };
  expect(savedNow('1.000')).toBe(1_000);
  expect(savedNow('1.000,5')).toBe(1_000.5);
  expect(savedNow('1,000')).toBe(1);
  history.replaceState(null, '', '?');
});
