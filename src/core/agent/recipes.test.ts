import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSeeds } from '../../main/adapters/seeds/read-seeds';
import { createRecipes, toPlan } from './recipes';

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
});
