import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { readRecipes } from './read-layer';

let pack = '';
let folder = '';
beforeEach(() => {
  pack = mkdtempSync(path.join(tmpdir(), 'patina-recipe-file-'));
  folder = path.join(pack, 'recipes');
  mkdirSync(folder);
});
afterEach(() => rmSync(pack, { recursive: true, force: true }));

const step = { id: 'count', title: 'Count', kind: 'script', code: { file: 'count.js' } };
const recipe = {
  id: 'count',
  title: 'Count',
  intentPatterns: ['count files'],
  plan: { goal: 'Count.', nodes: [step], answer: 'Done.' },
};
const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

function read(fields: JsonObject = {}) {
  put('count.json', JSON.stringify({ ...recipe, ...fields }));
  const { rows, problems } = readRecipes({ folder, within: pack });
  return { row: rows[0]?.row, problems: problems.map(({ field, reason }) => `${field} ${reason}`) };
}

describe('[REC-split-file] a recipe with its script in a separate file', () => {
  it('uses the text of the file as its script', () => {
    put('count.js', "return { summary: 'one' };\n");
    const { row, problems } = read();
    expect(problems).toEqual([]);
    expect(row?.plan.nodes[0]?.code).toBe("return { summary: 'one' };\n");
  });

  it('may still contain the script', () => {
    const plan = { ...recipe.plan, nodes: [{ ...step, code: 'return 1;' }] };
    expect(read({ plan }).row?.plan.nodes[0]?.code).toBe('return 1;');
  });

  it.each([
    ['a missing file', { file: 'gone.js' }, 'There is no file gone.js beside the recipe.'],
    ['a path', { file: '../count.js' }, 'must be a script'],
    ['another kind of file', { file: 'count.json' }, 'must be a script'],
    ['another field', { file: 'count.js', line: 3 }, 'must be a script'],
  ])('reports the step and the reason for %s', (_, code, reason) => {
    put('count.js', 'return 1;');
    const { row, problems } = read({ plan: { ...recipe.plan, nodes: [{ ...step, code }] } });
    expect(row).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(`plan.nodes.0.code ${reason}`)]);
  });

  it.skipIf(process.platform === 'win32')('does not follow a link out of the pack', () => {
    symlinkSync(import.meta.filename, path.join(folder, 'count.js'));
    expect(read().problems).toEqual([expect.stringContaining('count.js: It is a link that points outside')]);
  });

  it('refuses a script that is not text', () => {
    writeFileSync(path.join(folder, 'count.js'), Buffer.from([0xff, 0xfe, 0xff]));
    expect(read().problems).toEqual([expect.stringContaining('count.js: It is not UTF-8 text.')]);
  });
});

describe('[REC-aliases] the aliases of a recipe', () => {
  const params = [{ name: 'path', type: 'path' }];
  beforeEach(() => put('count.js', 'return 1;'));

  it('replace their phrases in every pattern, also inside each other', () => {
    const aliases = { here: '(here|{inside})', inside: 'in {path}' };
    const { row, problems } = read({ params, aliases, intentPatterns: ['count [{here}]', 'size {inside}'] });
    expect(problems).toEqual([]);
    expect(row?.intentPatterns).toEqual(['count [(here|in {path})]', 'size in {path}']);
    expect(row).not.toHaveProperty('aliases');
  });

  it.each([
    ['contain each other', { a: '{b}', b: '{a}' }, 'intentPatterns.0 its aliases contain each other'],
    [
      'grow without end',
      Object.fromEntries(
        'abcdefghij'.split('').map((name, at) => [name, `{${'bcdefghijk'[at]}} `.repeat(9)]),
      ),
      'intentPatterns.0 its aliases contain each other, or make it longer',
    ],
    ['have the name of a parameter', { path: 'x', a: 'y' }, 'aliases.path is also the name of a parameter'],
    ['have no name', { 'in folder': 'x', a: 'y' }, 'aliases.in folder is not a name'],
    ['are no text', { a: ['x'] }, 'aliases.a must be a text'],
  ])('are refused if they %s', (_, aliases, reason) => {
    const { row, problems } = read({ params, aliases, intentPatterns: ['count {a}'] });
    expect(row).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(reason)]);
  });
});

describe('[STF-recipe] a recipe of several stages', () => {
  const stage = (id: string) => ({ goal: 'Count.', nodes: [{ ...step, id }] });

  it('has its scripts, and its answer in the last stage', () => {
    put('count.js', "return { summary: 'one' };\n");
    const { row, problems } = read({ plan: { stages: [stage('one'), stage('two')], answer: 'Done.' } });
    expect(problems).toEqual([]);
    expect(row?.plan).toMatchObject({ nodes: [{ id: 'one' }], answer: '' });
    expect(row?.following).toMatchObject([
      { nodes: [{ id: 'two', code: "return { summary: 'one' };\n" }], answer: 'Done.' },
    ]);
  });

  it('reports the stage and the field of a problem', () => {
    const plan = { stages: [stage('one'), { ...stage('two'), then: 'look' }], answer: 'Done.' };
    expect(read({ plan }).problems.join('\n')).toContain(
      'plan.stages.0.nodes.0.code There is no file count.js',
    );
    put('count.js', "return { summary: 'one' };\n");
    expect(read({ plan }).problems.join('\n')).toContain('plan.stages.1');
    expect(read({ plan: { stages: plan.stages } }).problems.join('\n')).toContain('plan.answer');
  });

  it('is refused with its stages in the internal field', () => {
    put('count.js', 'return 1;');
    const { row, problems } = read({ following: [{ ...stage('two'), answer: 'Done.' }] });
    expect(row).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining('following is not a field of a recipe file.')]);
  });
});
