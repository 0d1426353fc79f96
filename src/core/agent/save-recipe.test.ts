import { describe, expect, it } from 'vitest';
import type { SaveRecipeRequest } from '#shared/recipe-draft';
import type { RunState } from '#shared/session-state';
import { boxHarness, planOf, scriptNode } from '../../testing/agent-plans';
import { createRecipes } from './recipes';
import { draftRecipe, recipeOf as keep } from './save-recipe';

const project = '/srv/project';
const place = { project, there: createRecipes([]) };
const recipeOf = (run: RunState, request: SaveRecipeRequest) => keep(run, request, place);
const read = `const { value } = await tools.box.get({ n: 21, path: './docs' });
return { summary: 'got', state: { value, place: params.where + '/x' } };`;
const plan = planOf(
  [scriptNode('first', read, { params: { where: './docs', limit: 5 } })],
  '{{first.value}} in {{first.place}}',
);
const runOf = (more: Partial<RunState> = {}): RunState =>
  ({
    runId: 'run_1',
    goal: 'Double 21 in ./docs for me',
    status: 'done',
    plan,
    nodes: [],
    writes: [],
    approvals: [],
    paused: false,
    ...more,
  }) as unknown as RunState;

describe('a run saved as a recipe', () => {
  it('[REC-params] takes the values that its goal names as parameters, with their values as defaults', () => {
    const saved = recipeOf(runOf(), { id: 'double_it' });
    expect(saved).toMatchObject({
      ok: true,
      value: {
        id: 'double_it',
        intentPatterns: ['double {n} in {where} for me'],
        params: [
          { name: 'where', type: 'path', default: './docs' },
          { name: 'n', type: 'number', default: 21 },
        ],
        plan: { nodes: [{ params: { limit: 5 } }] },
      },
    });
    expect(saved.ok && saved.value.plan.nodes[0]?.code).toContain('get({ n: params.n, path: params.where })');
  });

  it('[REC-runs] runs without a model, by its id and by its goal with other values', async () => {
    const saved = recipeOf(runOf(), { id: 'double_it', names: { n: 'number', where: 'folder' } });
    if (!saved.ok) throw new Error(saved.error.message);
    expect(saved.value.plan.nodes[0]?.code).toContain("params.folder + '/x'");
    const { run, requests } = boxHarness({ recipes: [saved.value] });
    const params = { number: 4, folder: './src' };
    expect(await run({ provided: { recipeId: 'double_it', params } })).toMatchObject({
      outcome: 'done',
      answer: expect.stringMatching(/^8 in \.?\/?src\/x$/) as string,
    });
    expect(await run({ goal: 'double 10 in ./lib for me' })).toMatchObject({
      answer: expect.stringMatching(/^20 in \.?\/?lib\/x$/) as string,
    });
    expect(await run({ provided: { recipeId: 'double_it', params: {} } })).toMatchObject({ outcome: 'done' });
    expect(requests).toEqual([]);
  });

  it('[REC-defaults] uses the default that the user chose, if it fits', () => {
    const saved = recipeOf(runOf(), { id: 'double_it', values: { n: 7, where: './src' } });
    expect(saved).toMatchObject({
      ok: true,
      value: {
        params: [
          { name: 'where', default: './src' },
          { name: 'n', default: 7 },
        ],
      },
    });
    // The script reads the parameter; the literal of the run does not occur in it.
    expect(saved.ok && saved.value.plan.nodes[0]?.code).toContain('get({ n: params.n, path: params.where })');
    const drafted = draftRecipe(runOf(), { id: 'double_it', values: { n: 'many', where: ' ' } }, place);
    expect(drafted.recipe).toBe(null);
    expect(drafted.findings.map(({ field, message }) => [field, message])).toEqual([
      ['params.where', 'The default value is empty.'],
      ['params.n', '"many" is not a number.'],
    ]);
  });

  it('[REC-params] writes a path as the host does, and uses no word that is part of every sentence', () => {
    const code = `const { value } = await tools.box.get({ n: 1, countBy: 'folder' }); return { summary: '' + value };`;
    const counted = planOf([scriptNode('count', code, { params: { path: 'docs' } })], 'Done.');
    const run = runOf({ goal: 'Count lines in ./docs by folder', plan: counted });
    expect(recipeOf(run, { id: 'count_lines' })).toMatchObject({
      value: {
        intentPatterns: ['count lines in {path} by folder'],
        params: [{ name: 'path', default: 'docs' }],
        plan: { nodes: [{ code }] },
      },
    });
  });

  it('[REC-params] takes a path of the goal from a script too, however the script spells it', () => {
    const code = `const { value } = await tools.box.get({ n: 1, path: 'docs' }); return { summary: '' + value };`;
    const run = runOf({ goal: 'Count lines in ./docs', plan: planOf([scriptNode('count', code)], 'Done.') });
    expect(recipeOf(run, { id: 'count_lines' })).toMatchObject({
      value: { intentPatterns: ['count lines in {path}'], params: [{ type: 'path', default: 'docs' }] },
    });
  });

  it.each<[string, Partial<RunState>, object]>([
    ['was not done', { status: 'failed' }, {}],
    ['asked a model', { plan: planOf([{ id: 'a', title: 'a', kind: 'llm', prompt: 'x' }]) }, {}],
    ['would have a name nobody has', {}, { names: { nothing: 'x' } }],
    ['would have one name twice', {}, { names: { n: 'where' } }],
    ['would have a name that is none', {}, { names: { n: 'No Name' } }],
    ['has an id that is none', {}, { id: 'No Id' }],
    ['has no title', {}, { title: ' ' }],
    ['would cover what a step is given', {}, { params: ['n'], names: { n: 'where' } }],
  ])('[REC-unfit] is refused when the run %s', (_what, more, asked) => {
    expect(recipeOf(runOf(more), { id: 'double_it', ...asked })).toMatchObject({
      error: { kind: 'HOST', code: 'INVALID_INPUT' },
    });
  });

  it('[REC-draft] offers the other values of the plan as parameters, and uses the chosen ones', () => {
    const code = `const { value } = await tools.box.get({ n: 21, mode: 'slow', deep: params.limit }); return { summary: '' + value };`;
    const other = planOf([scriptNode('one', code, { params: { limit: 5 } })], 'Done.');
    const run = runOf({ goal: 'Double 21 for me', plan: other });
    const { candidates, recipe } = draftRecipe(run, { id: 'double_it' }, place);
    expect(candidates.map(({ key, value, chosen, inGoal }) => [key, value, chosen, inGoal])).toEqual([
      ['n', 21, true, true],
      ['limit', 5, false, false],
      ['mode', 'slow', false, false],
    ]);
    expect(recipe?.params.map(({ name }) => name)).toEqual(['n']);
    const chosen = draftRecipe(
      run,
      { id: 'double_it', params: ['mode', 'limit'], names: { limit: 'depth' } },
      place,
    );
    expect(chosen.recipe).toMatchObject({
      intentPatterns: ['double 21 for me'],
      params: [
        { name: 'depth', type: 'number', default: 5 },
        { name: 'mode', type: 'string', default: 'slow' },
      ],
    });
    expect(chosen.recipe?.plan.nodes[0]?.code).toContain(
      'get({ n: 21, mode: params.mode, deep: params.depth })',
    );
  });

  it('[REC-draft] reports all blockers at once, each at its field', () => {
    const [there] = [recipeOf(runOf(), { id: 'double_it' })];
    if (!there.ok) throw new Error(there.error.message);
    const taken = { project, there: createRecipes([there.value]) };
    const request = { id: 'double_it', title: ' ', names: { n: 'No Name', nothing: 'x' } };
    const draft = draftRecipe(runOf(), request, taken);
    expect(draft.recipe).toBeNull();
    expect(draft.findings.map(({ field, level }) => `${level} ${field}`)).toEqual([
      'error id',
      'error title',
      'error params.nothing',
      'error params.n',
    ]);
    expect(keep(runOf(), { id: 'double_it' }, taken)).toMatchObject({ error: { code: 'STATE' } });
    // Saved beside a recipe that matches the same goal: the first one keeps matching it, and a note says so.
    expect(draftRecipe(runOf(), { id: 'other' }, taken).findings).toMatchObject([
      { field: 'pattern', level: 'note', message: expect.stringContaining('double_it') as string },
    ]);
  });
});
