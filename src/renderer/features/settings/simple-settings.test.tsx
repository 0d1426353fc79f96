import type { SettingRow } from '#shared/setting-rows';
import { settingSchema } from '#shared/settings';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { SettingControl } from './simple-settings';

type Value = boolean | number | string;

/** Shows a row and collects the values that it saves. */
function show(row: SettingRow, value: Value = row.default): readonly Value[] {
  const saved: Value[] = [];
  render(
    <SettingControl
      row={row}
      label="Label"
      hint="Hint"
      choiceLabel={(choice) => choice.toUpperCase()}
      value={value}
      onChange={(next) => void saved.push(next)}
    />,
  );
  return saved;
}

const edit = (field: HTMLElement, value: string) => {
  fireEvent.input(field, { target: { value } });
  fireEvent.keyDown(field, { key: 'Enter' });
};

afterEach(cleanup);

describe('[SET-controls] a simple setting', () => {
  it('is a switch', () => {
    const saved = show({ kind: 'switch', default: false });
    fireEvent.click(screen.getByRole('switch', { name: 'Label', description: 'Hint' }));
    expect(saved).toEqual([true]);
  });

  it('[USE-limit] takes cents where its row has them', () => {
    const row = { kind: 'number', min: 0, max: 100, default: 0, step: 0.01 } as const;
    const saved = show(row);
    const field = screen.getByRole('spinbutton', { name: 'Label' });
    expect(field.getAttribute('step')).toBe('0.01');
    edit(field, '0.01');
    expect(saved).toEqual([0.01]);
    expect([12.5, 0.29, 8.57, 12.345].map((value) => settingSchema(row).safeParse(value).success)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('is a choice', () => {
    const saved = show({ kind: 'choice', choices: ['one', 'two'], default: 'one' });
    fireEvent.click(screen.getByRole('radio', { name: 'TWO' }));
    expect(saved).toEqual(['two']);
  });

  it('is a number within its limits', () => {
    const saved = show({ kind: 'number', min: 1, max: 9, default: 5 });
    const field = screen.getByRole('spinbutton', { name: 'Label', description: 'Hint' });
    edit(field, '10');
    edit(field, '');
    edit(field, '1.5');
    expect(saved).toEqual([]);
    expect(screen.getByText('A number from 1 to 9.')).toBeTruthy();
    expect(field.getAttribute('aria-invalid')).toBe('true');
    // The focus leaves the field although its number does not fit.
    const other = document.body.appendChild(document.createElement('button'));
    other.focus();
    fireEvent.blur(field);
    expect(document.activeElement).toBe(other);
    other.remove();
    edit(field, '7');
    expect(saved).toEqual([7]);
    expect(screen.queryByText('A number from 1 to 9.')).toBeNull();
  });

  it('is a text, saved when it loses the focus', () => {
    const saved = show({ kind: 'text', maxLength: 10, default: '' });
    const field = screen.getByRole('textbox', { name: 'Label' });
    fireEvent.blur(field);
    fireEvent.input(field, { target: { value: 'words' } });
    expect(saved).toEqual([]);
    fireEvent.blur(field);
    expect(saved).toEqual(['words']);
  });
});
