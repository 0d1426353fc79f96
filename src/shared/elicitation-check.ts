import type { ElicitAnswer, ElicitField } from './elicitation';

type Content = Extract<ElicitAnswer, { action: 'accept' }>['content'];
type Value = Content[string];

/** Raw form input: a typed line, or the values of ticked options. */
export type FieldInput = string | readonly string[];

const patterns = {
  email: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i,
};
const examples = {
  email: 'Type an email address, such as name@example.org.',
  uri: 'Type an address, such as https://example.org.',
  date: 'Type a date as year-month-day, such as 2026-01-31.',
  'date-time': 'Type a date and time, such as 2026-01-31T09:30:00Z.',
};

/** A day of the calendar; `Date.parse` alone takes February 30 for March 2. */
function isRealDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function isReal(format: keyof typeof patterns, value: string): boolean {
  if (!format.startsWith('date')) return true;
  return !Number.isNaN(Date.parse(value)) && isRealDay(value.slice(0, '2026-01-31'.length));
}

type Of<K extends ElicitField['kind']> = Extract<ElicitField, { kind: K }>;

function textProblem({ format, minLength = 0, maxLength = Infinity }: Of<'text'>, value: Value) {
  if (typeof value !== 'string') return 'Type a text.';
  // The protocol counts characters, not UTF-16 units.
  const { length } = [...value];
  if (length < minLength) return `Type at least ${minLength} characters.`;
  if (length > maxLength) return `Type at most ${maxLength} characters.`;
  if (format === undefined) return null;
  return patterns[format].test(value) && isReal(format, value) ? null : examples[format];
}

function numberProblem({ whole, minimum = -Infinity, maximum = Infinity }: Of<'number'>, value: Value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'Type a number.';
  if (whole && !Number.isInteger(value)) return 'Type a whole number.';
  if (value < minimum) return `Type ${minimum} or more.`;
  return value > maximum ? `Type ${maximum} or less.` : null;
}

function someProblem({ options, minItems = 0, maxItems = Infinity }: Of<'some-of'>, value: Value) {
  if (!Array.isArray(value) || !value.every((one) => options.some((option) => option.value === one)))
    return 'Choose from the list.';
  if (value.length < minItems) return `Choose at least ${minItems}.`;
  return value.length > maxItems ? `Choose at most ${maxItems}.` : null;
}

function valueProblem(field: ElicitField, value: Value): string | null {
  switch (field.kind) {
    case 'text':
      return textProblem(field, value);
    case 'number':
      return numberProblem(field, value);
    case 'yes-no':
      return typeof value === 'boolean' ? null : 'Choose yes or no.';
    case 'one-of':
      return field.options.some((option) => option.value === value) ? null : 'Choose from the list.';
    case 'some-of':
      return someProblem(field, value);
  }
}

function fieldProblem(field: ElicitField, value: Value | undefined): string | null {
  if (value !== undefined) return valueProblem(field, value);
  return field.required ? 'This field is required.' : null;
}

/** Problems of an answer by field name; a name without a field is a problem too. */
export function elicitProblems(
  fields: readonly ElicitField[],
  content: Content,
): Readonly<Record<string, string>> {
  const wrong = fields.flatMap((field) => {
    const problem = fieldProblem(field, content[field.name]);
    return problem === null ? [] : [[field.name, problem] as const];
  });
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(content).filter((name) => !known.has(name));
  return Object.fromEntries([
    ...wrong,
    ...unknown.map((name) => [name, 'The form has no such field.'] as const),
  ]);
}

function yesNo(line: string): Value {
  if (/^y(es)?$/i.test(line)) return true;
  // Any other text stays a string, which validation then rejects.
  return /^no?$/i.test(line) ? false : line;
}

function valueOf(field: ElicitField, input: FieldInput): Value | undefined {
  // An empty selection is a value for a required field and no value for an optional one.
  if (typeof input !== 'string') return input.length === 0 && !field.required ? undefined : [...input];
  const line = input.trim();
  if (line === '') return undefined;
  if (field.kind === 'number') return Number(line);
  if (field.kind === 'yes-no') return yesNo(line);
  return field.kind === 'text' ? input : line;
}

/** Converts form input to values and reports problems; omits empty fields. */
export function elicitContent(
  fields: readonly ElicitField[],
  inputs: Readonly<Record<string, FieldInput>>,
): { readonly content: Content; readonly problems: Readonly<Record<string, string>> } {
  const content = Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueOf(field, inputs[field.name] ?? '');
      return value === undefined ? [] : [[field.name, value] as const];
    }),
  );
  return { content, problems: elicitProblems(fields, content) };
}

const toInput = (value: Value): FieldInput => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? String(value) : value;
};

/** The initial input of an untouched form. */
export function initialInputs(fields: readonly ElicitField[]): Readonly<Record<string, FieldInput>> {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.initial === undefined ? (field.kind === 'some-of' ? [] : '') : toInput(field.initial),
    ]),
  );
}
