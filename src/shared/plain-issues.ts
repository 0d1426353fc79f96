import { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  null: 'null',
  undefined: 'absent',
  date: 'a date',
};

/** The units of a size, by the kind of value that has it. */
const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
  object: ['field', 'fields'],
  file: ['byte', 'bytes'],
};

const formatNames: Readonly<Record<string, string>> = {
  url: 'an address such as https://example.com',
  email: 'an email address',
  datetime: 'a date with a time, such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time such as 12:00:00',
  uuid: 'a UUID',
  base64: 'base64 text',
};

const quoted = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? `“${value}”` : String(value))).join(', ');

function typeOf(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'number' && !Number.isFinite(input)) return String(input);
  return typeNames[typeof input] ?? typeof input;
}

/** What a value must be; a value that is absent is said to be missing. */
const mustBe = (wanted: string, input: unknown, instead = ''): string =>
  input === undefined ? `is missing; it must be ${wanted}` : `must be ${wanted}${instead}`;

function sized(origin: string, bound: string, amount: number | bigint): string {
  const unit = units[origin];
  if (!unit) return `must be ${bound} ${amount}`;
  return `must have ${bound} ${amount} ${Number(amount) === 1 ? unit[0] : unit[1]}`;
}

function tooSmall({ origin, minimum, exact, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (exact === true) return sized(origin, 'exactly', minimum);
  if (inclusive === true && Number(minimum) === 1 && origin in units) return 'must not be empty';
  return sized(origin, inclusive === true ? 'at least' : 'more than', minimum);
}

function tooBig({ origin, maximum, exact, inclusive }: z.core.$ZodIssueTooBig): string {
  if (exact === true) return sized(origin, 'exactly', maximum);
  return sized(origin, inclusive === true ? 'at most' : 'less than', maximum);
}

function wrongForm(issue: z.core.$ZodIssueInvalidStringFormat): string {
  const { format, pattern, prefix, suffix, includes } = issue as Partial<
    Record<'format' | 'pattern' | 'prefix' | 'suffix' | 'includes', string>
  >;
  if (format === 'regex') return `has the wrong form; it must match ${pattern ?? 'a pattern'}`;
  if (prefix !== undefined) return `must begin with “${prefix}”`;
  if (suffix !== undefined) return `must end with “${suffix}”`;
  if (includes !== undefined) return `must contain “${includes}”`;
  return `must be ${formatNames[format ?? ''] ?? format}`;
}

type Issues = { readonly [I in z.core.$ZodIssue as I['code']]: I };
type Sentences = {
  readonly [Code in keyof Issues]?: (issue: Issues[Code], input: unknown) => string;
};

const sentences: Sentences = {
  invalid_type({ expected }, input) {
    const fraction = expected === 'int' && typeof input === 'number';
    return mustBe(typeNames[expected] ?? expected, input, `, not ${fraction ? input : typeOf(input)}`);
  },
  invalid_value: ({ values }, input) =>
    mustBe(`${values.length === 1 ? '' : 'one of '}${quoted(values)}`, input),
  unrecognized_keys: ({ keys }) =>
    `has ${keys.length === 1 ? 'an unknown field' : 'unknown fields'}: ${quoted(keys)}`,
  too_small: tooSmall,
  too_big: tooBig,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  invalid_format: wrongForm,
  invalid_key: () => 'has a name that is not allowed',
  invalid_element: () => 'has an entry that is not valid',
  invalid_union: (_, input) =>
    input === undefined ? 'is missing' : 'has none of the forms that are allowed here',
};

/**
 * What is wrong with a value, in words that follow its path: `nodes.0.kind: must be one of “script”, “llm”`.
 * Undefined for issues whose schema has words of its own.
 */
export function plainIssue(issue: Issue): string | undefined {
  const sentence = sentences[issue.code] as ((issue: Issue, input: unknown) => string) | undefined;
  return sentence?.(issue, issue.input);
}

/** Lets every schema of this process describe its issues in plain words. */
export function usePlainIssues(): void {
  z.config({ customError: plainIssue });
}
