import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { Recipe } from '#shared/recipe';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { readSeeds } from '../../main/adapters/seeds/read-seeds';
import { createRecipes, toPlan, toStages } from './recipes';

const seeds = readSeeds(path.resolve(import.meta.dirname, '../../../seeds'));
const recipes = createRecipes(seeds.layer.recipes.map(({ row }) => row));

function matched(line: string): readonly unknown[] | string | null {
  const match = recipes.match(line, '/srv/project');
  if (!match.ok) return match.error.code;
  return match.value && [match.value.recipe.id, match.value.params['path']];
}

describe('the intent patterns of the seed recipes', () => {
  it('are all valid', () => {
    expect(recipes.problems).toEqual([]);
  });

  it.each([
    ['find duplicate files in ./docs', 'find_duplicates', 'docs'],
    ['Find duplicate files in ./docs.', 'find_duplicates', 'docs'],
    ['Please find all duplicate files in docs/', 'find_duplicates', 'docs'],
    ['could you find the duplicate files in the docs folder, please?', 'find_duplicates', 'docs'],
    ['are there any duplicate files in src?', 'find_duplicates', 'src'],
    ['are there duplicates in ./src?', 'find_duplicates', 'src'],
    ['find duplicate files', 'find_duplicates', '.'],
    ['find duplicate files in .', 'find_duplicates', '.'],
    ['find duplicate files here', 'find_duplicates', '.'],
    ['find duplicate files in this folder', 'find_duplicates', '.'],
    ['find duplicate files in "my docs"', 'find_duplicates', 'my docs'],
    ['find duplicate files in /srv/project/a/../b', 'find_duplicates', 'b'],
    ['show me the duplicate files under assets/img', 'find_duplicates', 'assets/img'],
    ['which files are identical?', 'find_duplicates', '.'],
    ['search for duplicate files in ./docs', 'find_duplicates', 'docs'],
    ['check ./docs for duplicates', 'find_duplicates', 'docs'],
    ['how many duplicate files are there in ./docs', 'find_duplicates', 'docs'],
    ['count todos by folder', 'count_todos', '.'],
    ['count TODO and FIXME in ./src by folder', 'count_todos', 'src'],
    ['Count TODOs and FIXMEs by folder', 'count_todos', '.'],
    ['count TODO/FIXME by folder', 'count_todos', '.'],
    ['count TODO and FIXME comments per folder in ./src', 'count_todos', 'src'],
    ['how many todos are there in src?', 'count_todos', 'src'],
    ['how many TODOs are left?', 'count_todos', '.'],
    ['list todos in ./src', 'count_todos', 'src'],
    ['summarise ./docs', 'folder_summary', 'docs'],
    ['summarize the docs folder', 'folder_summary', 'docs'],
    ['what file types are in this folder?', 'folder_summary', '.'],
    ['what file types are in ./assets?', 'folder_summary', 'assets'],
    ['summarize file types and sizes in ./assets', 'folder_summary', 'assets'],
    ["summarise a folder's file types and sizes in ./assets", null, null],
    ['show me the file types in src', 'folder_summary', 'src'],
    ['how many files are in ./docs?', 'folder_summary', 'docs'],
    ['summarise this folder', 'folder_summary', '.'],
    ['what kinds of files do I have here?', 'folder_summary', '.'],
  ])('%s', (line, id, folder) => {
    expect(matched(line)).toEqual(id === null ? null : [id, folder]);
  });

  it.each([
    'how do I find duplicate files in Linux?',
    'write a script to find duplicate files in ./docs',
    'find duplicates in an array',
    'find duplicates in python',
    'find duplicate files in a folder with bash',
    'find duplicate files in ./docs and delete them',
    "don't find duplicate files in ./docs",
    'he said: find duplicate files in ./docs',
    '"find duplicate files in ./docs"',
    'find duplicate files in my',
    'find duplicate files in https://example.org/files',
    'find duplicate files\nin ./docs',
    'count the todos in a react app',
    'what is a TODO comment?',
    'add a todo to the list',
    'build a todo app',
    'summarise this conversation',
    'summarise the text above',
    'summarise',
    'summarize react',
    'summarize the plot of Hamlet',
    'what file types are supported by Electron?',
    'what is in this function?',
    'how big is the sun?',
    'how many files can ext4 hold?',
    'duplicate',
    '',
    ' '.repeat(1_000),
    'find duplicate files in ./docs '.repeat(100),
  ])('leaves an ordinary sentence alone: %j', (line) => {
    expect(matched(line)).toBeNull();
  });

  it.each([
    'find duplicate files in ../secrets',
    'find duplicate files in /etc',
    'find duplicate files in ~/x',
    'summarise ./a/../../b',
  ])('refuses a path outside the project: %s', (line) => {
    expect(matched(line)).toBe('INVALID_INPUT');
  });
});

describe('recipes by name', () => {
  it('fill in defaults and refuse unknown parameters', () => {
    const filled = recipes.byId('find_duplicates', {}, '/srv/project');
    expect(filled.ok && filled.value.params).toEqual({ path: '.' });
    expect(recipes.byId('find_duplicates', { paht: 'x' }, '/srv/project')).toMatchObject({
      error: { code: 'INVALID_INPUT' },
    });
    expect(recipes.byId('find_duplicates', { path: 3 }, '/srv/project')).toMatchObject({
      error: { code: 'INVALID_INPUT' },
    });
    expect(recipes.byId('find_duplicate', {}, '/srv/project')).toMatchObject({
      error: { code: 'NOT_FOUND', hint: 'Did you mean find_duplicates?' },
    });
  });

  it('insert their parameters into every node', () => {
    const match = recipes.byId('count_todos', { path: './src' }, '/srv/project');
    if (!match.ok) throw new Error(match.error.message);
    const plan = toPlan(match.value.recipe, match.value.params);
    expect(plan.nodes.map(({ params }) => params)).toEqual([{ path: 'src' }]);
  });

  it('name the row and the pattern that is invalid', () => {
    const [recipe] = recipes.all;
    if (!recipe) throw new Error('no recipe');
    const broken = createRecipes([
      { ...recipe, intentPatterns: ['find (a|b', '[maybe]', 'find {stranger}', 'find it'] },
    ]);
    expect(broken.problems.map(({ field }) => field)).toEqual([
      'intentPatterns.0',
      'intentPatterns.1',
      'intentPatterns.2',
    ]);
    expect(broken.suggest('find it').map(({ id }) => id)).toEqual([recipe.id]);
  });

  const row = {
    id: 'report',
    title: 'Report',
    intentPatterns: ['report {name} [of {count}] [in {path}]', 'report all of {path}'],
    params: [
      { name: 'name', type: 'string', required: true },
      { name: 'count', type: 'number', default: 3 },
      { name: 'deep', type: 'boolean' },
      { name: 'path', type: 'path' },
    ],
    plan: planOf([scriptNode('a', 'return { summary: "" };', { params: { name: 'own' } })]),
    following: [planOf([scriptNode('b', 'return { summary: "" };')])],
  };
  const report = Recipe.parse(row);
  const bare = Recipe.parse({ ...row, id: 'bare', params: [], intentPatterns: ['bare'] });
  const own = createRecipes([report, bare]);

  it.each<[JsonObject, JsonObject]>([
    [{ name: 'a' }, { name: 'a', count: 3 }],
    [{ name: '' }, { name: '', count: 3 }],
    [
      { name: 'a', count: '7', deep: 'true', path: './src/' },
      { name: 'a', count: 7, deep: true, path: 'src' },
    ],
    [
      { name: 'a', count: -1.5, deep: 'false' },
      { name: 'a', count: -1.5, deep: false },
    ],
    [
      { name: 'a', deep: true },
      { name: 'a', count: 3, deep: true },
    ],
  ])('read the values %j as %j', (given, params) => {
    expect(own.byId('report', given, '/srv/project')).toEqual({
      ok: true,
      value: { recipe: report, params },
    });
  });

  it.each<[JsonObject, string]>([
    [{}, 'The parameter "name" is required.'],
    [{ name: 3 }, 'The parameter "name" must be text.'],
    [{ name: 'a', count: 'many' }, 'The parameter "count" must be a number.'],
    [{ name: 'a', count: ' ' }, 'The parameter "count" must be a number.'],
    [{ name: 'a', count: true }, 'The parameter "count" must be a number.'],
    [{ name: 'a', count: 'Infinity' }, 'The parameter "count" must be a number.'],
    [{ name: 'a', deep: 'yes' }, 'The parameter "deep" must be true or false.'],
    [{ name: 'a', deep: 1 }, 'The parameter "deep" must be true or false.'],
    [{ name: 'a', nme: 'b' }, 'The recipe report has no parameter "nme".'],
  ])('refuse the values %j: %s', (given, message) => {
    expect(own.byId('report', given, '/srv/project')).toMatchObject({
      error: { kind: 'HOST', code: 'INVALID_INPUT', message },
    });
  });

  it('name what there is instead of an unknown parameter or recipe', () => {
    expect(own.byId('report', { x: 1 }, '/')).toMatchObject({
      error: { hint: 'It has: name, count, deep, path.' },
    });
    expect(own.byId('bare', { x: 1 }, '/')).toMatchObject({ error: { hint: 'It has none.' } });
    expect(own.byId('xyz', {}, '/')).toMatchObject({
      error: { message: 'There is no recipe "xyz".', hint: 'There are: report, bare.' },
    });
    expect(createRecipes([]).byId('xyz', {}, '/')).toMatchObject({
      error: { hint: 'There are no recipes.' },
    });
  });

  it.each<[string, JsonObject | null]>([
    ['report sales', { name: 'sales', count: 3 }],
    ['report "all sales" of 5', { name: 'all sales', count: 5 }],
    ['report `sales` in ./files', { name: 'sales', count: 3, path: 'files' }],
    ['report sales in files', null],
  ])('take the values of the sentence “%s”: %j', (goal, params) => {
    const match = own.match(goal, '/srv/project');
    expect(match.ok && (match.value?.params ?? null)).toEqual(params);
  });

  it('suggest what the user sees of a recipe, without its plan', () => {
    const { id, title, params } = report;
    expect(own.suggest('report sales')).toEqual([
      { id, title, params, description: undefined, example: undefined },
    ]);
    expect(own.suggest('something else')).toEqual([]);
  });

  it('give the parameters to every node of every stage; the own value of a node wins', () => {
    const stages = toStages(report, { name: 'given', count: 3 });
    expect(stages.map(({ nodes }) => nodes.map(({ params }) => params))).toEqual([
      [{ name: 'own', count: 3 }],
      [{ name: 'given', count: 3 }],
    ]);
    expect(toStages(bare, {}).length).toBe(2);
    const { following: _following, ...single } = report;
    expect(toStages(single, {})).toHaveLength(1);
  });

  it('say what is wrong with a pattern', () => {
    const strange = createRecipes([{ ...report, intentPatterns: ['report {nme}'] }]);
    expect(strange.problems).toEqual([
      {
        file: 'recipes/report.json',
        field: 'intentPatterns.0',
        rule: 'intent-pattern',
        reason: '{nme} is neither a parameter nor an alias of the recipe',
      },
    ]);
  });
});
