import { useState } from 'react';
import { text } from '../locales/text';
import { formatTenths } from './format';
import { TextField } from './text-field';

interface Limits {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

export interface NumberFieldProps extends Limits {
  readonly label: string;
  readonly hint?: string;
  readonly value: number | undefined;
  readonly placeholder?: string;
  /** Called with a valid number, or undefined for an empty field, when the user leaves the field or presses Enter. */
  readonly onChange: (value: number | undefined) => void;
}

/** A whole number in groups of three digits, as the languages of the window write it. */
const grouped = /^[1-9]\d{0,2}([.,\s\u2019]\d{3})+$/;

/** What separates decimals in the region of the user; the other of the two groups digits. */
const decimal = /[.,]/.exec(formatTenths(1.5))?.[0] ?? '.';
const groups = decimal === ',' ? /[.\s\u2019]/g : /[,\s\u2019]/g;
const groupedDecimals = new RegExp(`^[1-9]\\d{0,2}(${groups.source}\\d{3})+(\\${decimal}\\d+)?$`);

const shownNumber = (value: number | undefined): string =>
  value === undefined ? '' : String(value).replace('.', decimal);

/** The text as `Number` reads it: `1,000` is a thousand in English and one in German, as both would say. */
function plainText(written: string, whole: boolean): string {
  if (whole && grouped.test(written)) return written.replaceAll(/\D/g, '');
  return (groupedDecimals.test(written) ? written.replaceAll(groups, '') : written).replace(',', '.');
}

/** The number that a text says: undefined for an empty text, null when it says none within the limits. */
function readNumber(entered: string, { min, max, whole = false }: Limits): number | undefined | null {
  const written = entered.trim();
  if (written === '') return undefined;
  const number = Number(plainText(written, whole));
  if (!Number.isFinite(number) || number < min || number > max) return null;
  return whole && !Number.isInteger(number) ? null : number;
}

/** A number that may be left out. */
export function NumberField({ label, hint, value, placeholder, onChange, ...limits }: NumberFieldProps) {
  const [entered, setTyped] = useState(shownNumber(value));
  const read = readNumber(entered, limits);
  const { min, max } = limits;
  const save = () => {
    if (read !== null && read !== value) onChange(read);
  };
  return (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      problems={read === null ? [text('ui.field.number', { min, max })] : []}
      inputMode="decimal"
      value={entered}
      placeholder={placeholder}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === 'Enter') save();
      }}
    />
  );
}
