import { describe, expect, it } from 'vitest';
import type { ElicitField } from './elicitation';
import { elicitContent, elicitProblems, initialInputs, type FieldInput } from './elicitation-check';

type Of<K extends ElicitField['kind']> = Extract<ElicitField, { kind: K }>;
const named = { name: 'f', label: 'Field', description: '', required: true };
const text = (more: Partial<Of<'text'>> = {}): ElicitField => ({ ...named, kind: 'text', ...more });
const number = (more: Partial<Of<'number'>> = {}): ElicitField => ({
  ...named,
  kind: 'number',
  whole: false,
  ...more,
});
const yesNo: ElicitField = { ...named, kind: 'yes-no' };
const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
  { value: 'c', label: 'C' },
];
const oneOf: ElicitField = { ...named, kind: 'one-of', options };
const someOf = (more: Partial<Of<'some-of'>> = {}): ElicitField => ({
  ...named,
  kind: 'some-of',
  options,
  ...more,
});

const email = 'Type an email address, such as name@example.org.';
const uri = 'Type an address, such as https://example.org.';
const date = 'Type a date as year-month-day, such as 2026-01-31.';
const moment = 'Type a date and time, such as 2026-01-31T09:30:00Z.';

describe('what is typed into a form', () => {
  it.each<[string, ElicitField, FieldInput, unknown, string | undefined]>([
    ['a text', text(), 'hello', 'hello', undefined],
    ['a text with spaces around it', text(), ' hello ', ' hello ', undefined],
    ['nothing', text(), '', undefined, 'This field is required.'],
    ['spaces alone', text(), '   ', undefined, 'This field is required.'],
    ['nothing where nothing is needed', text({ required: false }), '', undefined, undefined],
    ['a short text', text({ minLength: 3 }), 'ab', 'ab', 'Type at least 3 characters.'],
    ['a text as long as it may be', text({ maxLength: 2 }), '👩🚀', '👩🚀', undefined],
    ['a long text', text({ maxLength: 2 }), 'אבג', 'אבג', 'Type at most 2 characters.'],
    [
      'an email address',
      text({ format: 'email' }),
      'ada@mail.example.org',
      'ada@mail.example.org',
      undefined,
    ],
    ['an address without a domain', text({ format: 'email' }), 'ada@example', 'ada@example', email],
    ['two addresses', text({ format: 'email' }), 'a@b.c d@e.f', 'a@b.c d@e.f', email],
    ['a link', text({ format: 'uri' }), 'https://example.org/ä', 'https://example.org/ä', undefined],
    ['a link without a scheme', text({ format: 'uri' }), 'example.org', 'example.org', uri],
    ['a date', text({ format: 'date' }), '2026-02-28', '2026-02-28', undefined],
    ['a month that does not exist', text({ format: 'date' }), '2026-13-01', '2026-13-01', date],
    ['a day that does not exist', text({ format: 'date' }), '2026-02-30', '2026-02-30', date],
    ['a leap day', text({ format: 'date' }), '2028-02-29', '2028-02-29', undefined],
    ['a leap day of no leap year', text({ format: 'date' }), '2026-02-29', '2026-02-29', date],
    ['a date in another order', text({ format: 'date' }), '28.02.2026', '28.02.2026', date],
    [
      'a moment',
      text({ format: 'date-time' }),
      '2026-01-31T09:30:00+01:00',
      '2026-01-31T09:30:00+01:00',
      undefined,
    ],
    [
      'a moment without a zone',
      text({ format: 'date-time' }),
      '2026-01-31T09:30:00',
      '2026-01-31T09:30:00',
      moment,
    ],
    [
      'an hour that does not exist',
      text({ format: 'date-time' }),
      '2026-01-31T25:30:00Z',
      '2026-01-31T25:30:00Z',
      moment,
    ],
    [
      'a moment of no day',
      text({ format: 'date-time' }),
      '2026-04-31T09:30:00Z',
      '2026-04-31T09:30:00Z',
      moment,
    ],
    ['a number', number(), ' 1.5 ', 1.5, undefined],
    ['a negative number', number(), '-2', -2, undefined],
    ['words for a number', number(), 'two', Number.NaN, 'Type a number.'],
    ['an endless number', number(), 'Infinity', Infinity, 'Type a number.'],
    ['a part of a whole number', number({ whole: true }), '1.5', 1.5, 'Type a whole number.'],
    ['a number that is too small', number({ minimum: 2 }), '1', 1, 'Type 2 or more.'],
    ['the smallest number', number({ minimum: 2 }), '2', 2, undefined],
    ['a number that is too large', number({ maximum: 2 }), '3', 3, 'Type 2 or less.'],
    ['y', yesNo, 'Y', true, undefined],
    ['no', yesNo, 'no', false, undefined],
    ['perhaps', yesNo, 'perhaps', 'perhaps', 'Choose yes or no.'],
    ['a choice', oneOf, 'b ', 'b', undefined],
    ['a choice that there is not', oneOf, 'B', 'B', 'Choose from the list.'],
    ['several choices', someOf(), ['a', 'c'], ['a', 'c'], undefined],
    ['no choice where one is needed', someOf({ minItems: 1 }), [], [], 'Choose at least 1.'],
    ['no choice', someOf({ required: false, minItems: 1 }), [], undefined, undefined],
    ['too many choices', someOf({ maxItems: 1 }), ['a', 'b'], ['a', 'b'], 'Choose at most 1.'],
    ['a choice of another list', someOf(), ['a', 'x'], ['a', 'x'], 'Choose from the list.'],
    ['a line for several choices', someOf(), 'a', 'a', 'Choose from the list.'],
  ])('is %s', (_name, field, input, value, problem) => {
    const { content, problems } = elicitContent([field], { f: input });
    expect(content).toEqual(value === undefined ? {} : { f: value });
    expect(problems).toEqual(problem === undefined ? {} : { f: problem });
  });

  it('may be missing: then the field is empty', () => {
    expect(elicitContent([text(), text({ name: 'g', required: false })], {})).toEqual({
      content: {},
      problems: { f: 'This field is required.' },
    });
  });
});

describe('an answer', () => {
  it.each<[string, ElicitField, string | number | boolean | string[], string]>([
    ['a number for a text', text(), 1, 'Type a text.'],
    ['a text for a number', number(), '1', 'Type a number.'],
    ['a text for yes or no', yesNo, 'yes', 'Choose yes or no.'],
    ['a list for one choice', oneOf, ['a'], 'Choose from the list.'],
  ])('with %s is wrong', (_name, field, value, problem) => {
    expect(elicitProblems([field], { f: value })).toEqual({ f: problem });
  });

  it('may name no other field', () => {
    expect(elicitProblems([text()], { f: 'x', admin: true })).toEqual({
      admin: 'The form has no such field.',
    });
  });

  it('names the problem of each field', () => {
    const problems = elicitProblems([text(), number({ name: 'g' })], { g: Number.NaN });
    expect(problems).toEqual({ f: 'This field is required.', g: 'Type a number.' });
  });
});

it('begins with what the server proposes, each in the form in which it is typed', () => {
  const fields: ElicitField[] = [
    text({ name: 'text', initial: 'x' }),
    text({ name: 'empty' }),
    number({ name: 'zero', initial: 0 }),
    { ...yesNo, name: 'yes', initial: true },
    { ...yesNo, name: 'no', initial: false },
    someOf({ name: 'some', initial: ['b'] }),
    someOf({ name: 'none' }),
  ];
  const inputs = initialInputs(fields);
  expect(inputs).toEqual({ text: 'x', empty: '', zero: '0', yes: 'yes', no: 'no', some: ['b'], none: [] });
  expect(elicitContent(fields, inputs).content).toMatchObject({ zero: 0, yes: true, no: false, some: ['b'] });
});
