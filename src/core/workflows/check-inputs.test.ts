import { describe, expect, it } from 'vitest';
import type { DdrStatus } from '#shared/ddr';
import type { Json } from '#shared/json';
import type { WorkflowInput } from '#shared/workflow';
import { approvingDdr } from '../../testing/sample-workflows';
import { checkInputs } from './check-inputs';

const project = '/projects/sample';
const records: Readonly<Record<string, DdrStatus>> = { 'AGN-001': 'in_review', 'AGN-002': 'approved' };
const scope: Parameters<typeof checkInputs>[2] = {
  project,
  preconditionContext: {
    ddr: (id) => {
      const status = records[id];
      return status ? approvingDdr([], { id, status }) : null;
    },
    changedAt: (folder, file) => (folder === project && file === 'src/main.ts' ? 1 : null),
  },
};

type Rules = Partial<Omit<WorkflowInput, 'name' | 'question'>>;
const input = (rules: Rules = {}, name = 'answer'): WorkflowInput => ({
  name,
  question: 'What is it?',
  type: 'text',
  required: true,
  validation: {},
  ...rules,
});

/** The accepted value of one input, or the message of its problem. */
function check(rules: Rules, answer: Json, within = scope): unknown {
  const checked = checkInputs({ RequiredInputs: [input(rules)] }, { answer }, within);
  return checked.ok ? checked.value['answer'] : { problem: checked.error[0]?.message };
}

describe('an answer to a required input', () => {
  const number = { type: 'number', validation: { min: 2, max: 4 } } as const;
  const length = { validation: { minLength: 2, maxLength: 4 } };
  const choice: Rules = { type: 'choice', validation: { options: ['red', 'green'] } };
  it.each<readonly [what: string, rules: Rules, answer: Json, value: Json]>([
    ['a text without the spaces around it', {}, '  some words ', 'some words'],
    ['the shortest text', length, 'ab', 'ab'],
    ['the longest text', length, 'abcd', 'abcd'],
    ['a text as long as any may be', {}, 'x'.repeat(20_000), 'x'.repeat(20_000)],
    ['a number', { type: 'number' }, -1.5, -1.5],
    ['a number in a text', { type: 'number' }, ' 12 ', 12],
    ['the smallest number', number, 2, 2],
    ['the largest number', number, 4, 4],
    ...([true, 'yes', 'true'] as const).map((said) => ['a yes', { type: 'boolean' }, said, true] as const),
    ...([false, 'no', 'false'] as const).map((said) => ['a no', { type: 'boolean' }, said, false] as const),
    ['an option', choice, ' green ', 'green'],
    ['a path that may be new', { type: 'path' }, 'docs/new..md', 'docs/new..md'],
    ['a path below a folder with dots', { type: 'path' }, 'a..b/c...', 'a..b/c...'],
    ['a path that exists', { type: 'path', validation: { exists: true } }, 'src/main.ts', 'src/main.ts'],
    ['a design record', { type: 'ddr' }, 'AGN-001', 'AGN-001'],
    [
      'a design record of an allowed status',
      { type: 'ddr', validation: { ddrStatus: ['approved', 'in_review'] } },
      'AGN-001',
      'AGN-001',
    ],
  ])('may be %s', (_what, rules, answer, value) => {
    expect(check(rules, answer)).toEqual(value);
  });

  const outside = 'Give a path inside the project folder, such as src/main.';
  it.each<readonly [what: string, rules: Rules, answer: Json, problem: string]>([
    ['no text', {}, 7, 'Give a text.'],
    ['too short', length, 'a', 'Give at least 2 characters.'],
    ['too long', length, 'abcde', 'Give at most 4 characters.'],
    ['longer than any text', {}, 'x'.repeat(20_001), 'Give at most 20000 characters.'],
    ['a word instead of a number', { type: 'number' }, 'many', 'Give a number.'],
    ['a yes instead of a number', { type: 'number' }, true, 'Give a number.'],
    ['no finite number', { type: 'number' }, 'Infinity', 'Give a number.'],
    ['too small', number, 1, 'Give a number of at least 2.'],
    ['too large', number, 5, 'Give a number of at most 4.'],
    ['neither yes nor no', { type: 'boolean' }, 'perhaps', 'Answer yes or no.'],
    ['another option', choice, 'blue', 'Choose one of: red, green.'],
    ['a choice without options', { type: 'choice' }, 'blue', 'Choose one of: .'],
    ['a path that is too long', { type: 'path', ...length }, 'a/b/c', 'Give at most 4 characters.'],
    ...['/etc', '\\share', 'C:\\x', 'd:x', '..', '../x', 'a/..', 'a\\..\\b', 'a/../b'].map(
      (path) => [`the path ${path}`, { type: 'path' }, path, outside] as const,
    ),
    [
      'a missing path',
      { type: 'path', validation: { exists: true } },
      'src/x.ts',
      'There is no src/x.ts in the project folder.',
    ],
    [
      'an unknown design record',
      { type: 'ddr' },
      'AGN-009',
      'There is no design record AGN-009. Give its id, such as AGN-014.',
    ],
    [
      'a design record of another status',
      { type: 'ddr', validation: { ddrStatus: ['approved', 'deprecated'] } },
      'AGN-001',
      'AGN-001 is in review; it has to be approved or deprecated.',
    ],
    [
      'an approved design record instead of one in review',
      { type: 'ddr', validation: { ddrStatus: ['draft', 'in_review'] } },
      'AGN-002',
      'AGN-002 is approved; it has to be draft or in review.',
    ],
  ])('is refused when it is %s', (_what, rules, answer, problem) => {
    expect(check(rules, answer)).toEqual({ problem });
  });

  it('is a missing path in a session without a project', () => {
    const rules = { type: 'path', validation: { exists: true } } as const;
    const nowhere = { ...scope, project: null };
    expect(check(rules, 'src/main.ts', nowhere)).toEqual({
      problem: 'There is no src/main.ts in the project folder.',
    });
  });

  it.each([undefined, null, '', '  '])(
    'that is missing (%j) is a problem of a required input only',
    (none) => {
      const provided = none === undefined ? {} : { answer: none };
      const asked = (required: boolean) =>
        checkInputs({ RequiredInputs: [input({ required })] }, provided, scope);
      const message = 'The workflow needs this before it can continue.';
      expect(asked(true)).toEqual({ ok: false, error: [{ name: 'answer', message }] });
      expect(asked(false)).toEqual({ ok: true, value: {} });
    },
  );
});

describe('the answers to all inputs', () => {
  const both = { RequiredInputs: [input({}, 'title'), input({ type: 'number' }, 'size')] };

  it('are returned by name, each in its type', () => {
    expect(checkInputs(both, { size: '3', title: 'A' }, scope)).toEqual({
      ok: true,
      value: { title: 'A', size: 3 },
    });
  });

  it('have all their problems reported together, also those of answers that nobody asked for', () => {
    expect(checkInputs(both, { size: 'x', colour: 'red' }, scope)).toEqual({
      ok: false,
      error: [
        { name: 'title', message: 'The workflow needs this before it can continue.' },
        { name: 'size', message: 'Give a number.' },
        { name: 'colour', message: 'The workflow does not ask for this.' },
      ],
    });
  });

  it('never come from the prototype of the object', () => {
    const named = { RequiredInputs: [input({ required: false }, 'to_string'), input({}, 'constructor')] };
    expect(checkInputs(named, {}, scope)).toMatchObject({ error: [{ name: 'constructor' }] });
  });
});
