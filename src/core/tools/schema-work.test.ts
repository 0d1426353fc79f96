import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/json';
import { buildEntry } from '../../testing/build-entry';

type Case = readonly [schema: JsonObject, value: Json];

/** Some seconds are normal on a busy machine; backtracking or exponential work would take years. */
const patienceMs = 60_000;

let entry = '';
beforeAll(async () => {
  entry = await buildEntry('testing/schema-child.ts');
}, patienceMs);

/** The outcome of each check, from a child process that is killed when the checks do not finish. */
function endsOf(cases: readonly Case[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'patina-schemas-'));
  const file = join(folder, 'cases.json');
  writeFileSync(file, JSON.stringify(cases));
  const child = spawnSync(process.execPath, [entry, file], {
    encoding: 'utf8',
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  rmSync(folder, { recursive: true });
  expect(child.signal, child.stderr).toBeNull();
  return JSON.parse(child.stdout) as readonly string[];
}

const ofX = (x: JsonObject): JsonObject => ({ type: 'object', properties: { x } });
const nested = (levels: number, leaf: JsonObject = { type: 'number' }): JsonObject => ({
  $ref: '#/$defs/n0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const below = { $ref: `#/$defs/n${level + 1}` };
      return [`n${level}`, level === levels - 1 ? leaf : { allOf: [below, below] }];
    }),
  ),
});
const numbered = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const keyed = (count: number): JsonObject =>
  Object.fromEntries(numbered(count).map((index) => [`key${index}`, index]));

/** Patterns with nested repetitions, overlaps and optional middles. */
const pieces = fc.constantFrom(
  'a',
  '[a-z]',
  '.',
  '\\w',
  '(?:a|a)',
  '(?:a|b|ab)',
  'a?',
  '\\s?a',
  '(?:)',
  'a{1,3}',
);
const often = fc.constantFrom('*', '+', '{1,20}', '{2,}', '*?', '+?', '?');
const heavy = fc
  .tuple(
    fc.array(fc.tuple(pieces, often), { minLength: 1, maxLength: 4 }),
    fc.array(often, { minLength: 1, maxLength: 4 }),
  )
  .map(([inner, outer]) => {
    const start = inner.map(([piece, times]) => piece + times).join('.?');
    return `^${outer.reduce((pattern, times) => `(${pattern})${times}`, start)}[A-Z]$`;
  });

describe('schemas with unbounded work', () => {
  it('[SCH-bounded] [H43] the pattern that froze the app is fast, with 40, 60 and 10,000 letters', () => {
    const schema = ofX({ type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' });
    const cases = [40, 60, 10_000].map((letters): Case => [schema, { x: 'a'.repeat(letters) }]);
    for (const end of endsOf(cases)) expect(end).toMatch(/^arguments\.x must match pattern/);
  });

  it('[SCH-bounded] patterns of nested and overlapping repetitions end, whatever they consist of', () => {
    const cases = fc
      .sample(heavy, { numRuns: 300, seed: 7 })
      .map((pattern): Case => [ofX({ type: 'string', pattern }), { x: `${'a'.repeat(200)}!` }]);
    const ends = endsOf(cases);
    expect(ends).toHaveLength(cases.length);
    expect(ends.filter((end) => end.startsWith('arguments.x must match')).length).toBeGreaterThan(100);
  });

  it.each<[string, JsonObject, Json]>([
    ['allOf doubled 30 times', nested(30), 7],
    ['allOf doubled 60 times', nested(60), 7],
    ['oneOf of itself', { oneOf: [{ $ref: '#' }, { $ref: '#' }] }, 7],
    [
      'anyOf of itself, looked at for what it evaluated',
      { anyOf: [{ $ref: '#' }, { $ref: '#' }], unevaluatedProperties: false },
      keyed(1_000),
    ],
    ['not of not of itself', { not: { not: { $ref: '#' } } }, 7],
    [
      'all keys of a large object, again and again',
      { allOf: Array.from({ length: 5_000 }, () => ({ patternProperties: {}, minProperties: 1 })) },
      keyed(20_000),
    ],
    [
      'a list of objects to compare with a long text',
      { enum: Array.from({ length: 5_000 }, () => ({ a: 'x' })) },
      { a: 'x'.repeat(5_000_000) },
    ],
    [
      'a long text that differs at its end, again and again',
      nested(18, { not: { const: `${'x'.repeat(250_000)}a` } }),
      `${'x'.repeat(250_000)}b`,
    ],
    [
      'every item against every pattern',
      { items: { allOf: Array.from({ length: 60 }, (_, at) => ({ pattern: `^a{${at + 1}}.*b$` })) } },
      Array.from({ length: 1_000 }, () => 'a'.repeat(1_000)),
    ],
  ])('[SCH-bounded] %s is abandoned, and the call is refused', (_what, schema, value) => {
    expect(endsOf([[schema, value]])[0]).toMatch(
      /^cannot be checked: it (would take more than|goes more than)/,
    );
  });

  it('[SCH-bounded] a small value gets little work, so many calls at once cannot block the app', () => {
    const [small = '', large = ''] = endsOf([
      [nested(30), 7],
      [nested(30), 'x'.repeat(1_000_000)],
    ]);
    expect(small).toContain('more than 300,400 steps');
    expect(large).toContain('more than 4,000,000 steps');
  });

  it('[SCH-bounded] a schema that only looks expensive is checked', () => {
    const list = numbered(100_000);
    expect(
      endsOf([
        [{ uniqueItems: true }, list],
        [{ uniqueItems: true }, [...list, 7]],
        [{ enum: numbered(30_000) }, 29_999],
        [{ contains: { const: 99_999 } }, list],
        [{ properties: keyedSchemas(5_000), unevaluatedProperties: false }, keyed(5_000)],
        [{ pattern: '^[a-z]+(-[a-z]+)*$' }, 'word-'.repeat(20_000)],
      ]),
    ).toEqual([
      'fits',
      'arguments must NOT have duplicate items',
      'fits',
      'fits',
      'fits',
      expect.stringContaining('must match pattern'),
    ]);
  });
});

const keyedSchemas = (count: number): JsonObject =>
  Object.fromEntries(numbered(count).map((index) => [`key${index}`, { type: 'integer' }]));
