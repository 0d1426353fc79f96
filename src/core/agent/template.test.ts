import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/json';
import { renderTemplate } from './template';

const states = (state: JsonObject) => new Map([['a', state]]);
const render = (template: string, state: JsonObject) => {
  const rendered = renderTemplate(template, states(state));
  return rendered.ok ? rendered.value : rendered.error.code;
};

describe('an answer template', () => {
  it.each<[string, JsonObject, string]>([
    ['{{a.n}} files', { n: 3 }, '3 files'],
    ['{{ a.list.1.x }}', { list: [{ x: 1 }, { x: 2 }] }, '2'],
    ['In {{a.names}}.', { names: ['x', 'y'] }, 'In x, y.'],
    ['In {{a.names}}.', { names: [] }, 'In none.'],
    ['{{a.names}}', { names: ['x|y', 'z'] }, '- x\\|y\n- z'],
    [
      'Rows:\n\n{{a.rows}}',
      { rows: [{ wastedBytes: 2, file: 'a_b|c' }] },
      'Rows:\n\n| Wasted bytes | File |\n| ---: | --- |\n| 2 | a_b\\|c |',
    ],
    [
      '{{a.rows}}',
      {
        rows: [
          { size: '48.0\u00a0kB', version: '2.4' },
          { size: '1 byte', version: '2.5' },
        ],
      },
      '| Size | Version |\n| ---: | --- |\n| 48.0 kB | 2.4 |\n| 1 byte | 2.5 |',
    ],
    ['x\n\n{{a.rows}}\n\ny', { rows: [] }, 'x\n\ny'],
    ['{{a}}', { total: 1, of: 'x' }, '- **Total**: 1\n- **Of**: x'],
    ['{{a.yes}} {{a.nothing}}', { yes: true, nothing: null }, 'true none'],
    ['{{a.toString}}', {}, 'INVALID_RESULT'],
    ['{{a.__proto__.x}}', {}, 'INVALID_RESULT'],
    ['{{a.missing}}', { n: 1 }, 'INVALID_RESULT'],
    ['{{b.n}}', { n: 1 }, 'INVALID_RESULT'],
    ['Files: {{a.names}}', { names: ['x', 'y'] }, 'Files: x, y'],
    ['{{a.names}} are left', { names: ['x', 'y'] }, 'x, y are left'],
    ['{{a.two words}}', { two: 1 }, 'INVALID_PLAN'],
    ['{{a.n', { n: 1 }, 'INVALID_PLAN'],
    ['{{a b}}', { n: 1 }, 'INVALID_PLAN'],
    ['{{}}', { n: 1 }, 'INVALID_PLAN'],
  ])('%j over %j', (template, state, expected) => {
    expect(render(template, state)).toBe(expected);
  });

  it('keeps a value from files inside its cell, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (one, other) => {
        const rendered = render('{{a.rows}}', { rows: [{ one, other }] });
        const lines = rendered.split('\n');
        expect(lines).toHaveLength(3);
        expect(lines[2]?.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(3);
      }),
    );
  });

  it('names the placeholder that has no value, and its step', () => {
    expect(renderTemplate('{{a.b.c}}', states({ b: {} }))).toMatchObject({
      error: { message: 'The answer refers to {{a.b.c}}, but the result has no "c".', node: 'a' },
    });
    expect(renderTemplate('{{b.n}}', states({}))).toMatchObject({
      error: { message: 'The answer refers to {{b.n}}, but the step "b" has no result.', node: 'b' },
    });
  });

  it('leaves text that is not a placeholder unchanged, and never renders a value twice', () => {
    const plain = fc
      .string()
      .filter((text) => !text.includes('{{') && !/\n{3}/.test(text) && text === text.trim());
    fc.assert(
      fc.property(plain, (text) => {
        expect(render(text, {})).toBe(text);
      }),
    );
    expect(render('{{a.text}}!', { text: '{{a.secret}}', secret: 'x' })).toBe('{{a.secret}}!');
  });

  it('shows the beginning of a value that is too long, and how much more there is', () => {
    const long = `${'x'.repeat(99_999)}😀${'y'.repeat(30)}`;
    const text = render('{{a.text}}!', { text: long });
    expect(text).toBe(`${'x'.repeat(99_999)}… (32 more characters; the step's result has them)!`);
    expect(render('{{a.text}}', { text: long.slice(0, 100_000) })).toBe(long.slice(0, 100_000));
  });

  it('produces the same text for the same values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const state = { value: value as Json };
        expect(render('{{a.value}}', state)).toBe(render('{{a.value}}', structuredClone(state)));
      }),
    );
  });
});
