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

  const findingsOf = (run: RunState, request: Partial<SaveRecipeRequest> = {}, there = place.there) =>
    draftRecipe(run, { id: 'double_it', ...request }, { project, there });
  const stageOf = (more: object) => ({ stages: [{ stage: 1, plan, replaced: [], ...more }] }) as never;
  const sessionRead = planOf([scriptNode('a', 'return { summary: "", state: { n: inputs.previous.b.n } };')]);

  it.each<[string, Partial<RunState>, string, string]>([
    ['is not done', { status: 'partial' }, 'Only a completed run can become a recipe.', 'Run it again.'],
    [
      'has no plan',
      { plan: undefined as never },
      'Only a completed run can become a recipe.',
      'Run it again.',
    ],
    [
      'was answered by a model that looked',
      stageOf({ look: true }),
      'In this run a model wrote the answer after it looked at results, and a recipe runs without one.',
      'Ask for a plan whose answer names the results.',
    ],
    [
      'replaced steps',
      stageOf({ replaced: [{ id: 'first' }] }),
      'A later stage of this run replaced steps that had failed, so its stages cannot run again as they are.',
      'Run the goal again, then save that run.',
    ],
    [
      'read its session',
      { plan: sessionRead },
      'This run read something of its session (inputs.previous or inputs.attached), and a recipe has no session.',
      'Let the plan read the files itself, or plan both in one goal.',
    ],
    [
      'asked a model for its answer',
      { plan: planOf([scriptNode('a', '')], { llm: true, prompt: 'Say it.' }) },
      'This run called a model, and a recipe runs without one.',
      'Run a plan that uses scripts only.',
    ],
  ])('[REC-unfit] says why a run that %s cannot become one, and what to do', (_what, more, message, hint) => {
    const finding = { field: 'run', level: 'error', message, hint };
    expect(findingsOf(runOf(more))).toEqual({ candidates: [], recipe: null, findings: [finding] });
    expect(recipeOf(runOf(more), { id: 'double_it' })).toMatchObject({ error: { message, hint } });
  });

  it.each<[Partial<SaveRecipeRequest>, string, string, string]>([
    [{ id: 'No Id' }, 'id', '"No Id" is not a valid recipe id.', 'Use an id like count_todos.'],
    [{ title: ' ' }, 'title', 'The recipe has no title.', 'Describe in a few words what it does.'],
    [
      { params: ['nothing'] },
      'params.nothing',
      'The recipe would have no parameter "nothing".',
      'There are: where, n, limit.',
    ],
    [
      { names: { n: '1st' } },
      'params.n',
      '"1st" is not a valid parameter name.',
      'Use a name like ownerName.',
    ],
    [
      { names: { n: 'limit' } },
      'params.n',
      'A step of the plan already has a parameter of this name.',
      'Choose another name.',
    ],
    [{ values: { n: 'x' } }, 'params.n', '"x" is not a number.', 'This value was a number in the run.'],
    [{ values: { where: ' ' } }, 'params.where', 'The default value is empty.', 'Enter a default value.'],
  ])('[REC-draft] says what is wrong with the request %j', (request, field, message, hint) => {
    expect(findingsOf(runOf(), request)).toMatchObject({
      recipe: null,
      findings: [{ field, level: 'error', message, hint }],
    });
  });

  it('[REC-draft] says of both parameters that they have one name, and that there are no others', () => {
    const both = findingsOf(runOf(), { names: { n: 'where' } }).findings;
    const same = { message: 'Two parameters would have the same name.', hint: 'Give each its own name.' };
    expect(both).toMatchObject([same, same]);
    const bare = runOf({ goal: 'Go', plan: planOf([scriptNode('a', 'return { summary: "" };')], 'Done.') });
    expect(findingsOf(bare, { values: { n: 1 } }).findings).toMatchObject([{ hint: 'There are none.' }]);
  });

  it('[REC-unfit] is refused for an id that another recipe has', () => {
    const first = recipeOf(runOf(), { id: 'double_it' });
    const there = createRecipes(first.ok ? [first.value] : []);
    expect(keep(runOf(), { id: 'double_it' }, { project, there })).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: 'A recipe double_it already exists.',
        hint: 'Choose another id.',
      },
    });
    expect(keep(runOf(), { id: 'double_it2', title: ' ' }, { project, there })).toMatchObject({
      error: { code: 'INVALID_INPUT' },
    });
    const other = findingsOf(runOf(), { id: 'double_it2' }, there);
    expect(other.recipe?.id).toBe('double_it2');
    expect(other.findings).toEqual([
      {
        field: 'pattern',
        level: 'note',
        message: 'The goal already starts the recipe double_it, which takes precedence.',
      },
    ]);
  });

  it('[REC-draft] has the title, the description and the goal of the run', () => {
    const long = `Double 21 in ./docs ${'x'.repeat(200)}`;
    expect(findingsOf(runOf()).recipe).toMatchObject({
      title: 'Double 21 in ./docs for me',
      example: 'Double 21 in ./docs for me',
    });
    expect(findingsOf(runOf({ goal: long })).recipe?.title).toBe(long.slice(0, 120));
    expect(findingsOf(runOf(), { title: ' Own ', description: ' Does it. ' }).recipe).toMatchObject({
      ...{ title: 'Own', description: 'Does it.' },
    });
    expect(findingsOf(runOf(), { description: ' ' }).recipe).not.toHaveProperty('description');
    expect(findingsOf(runOf()).findings).toEqual([]);
  });

  it('[REC-draft] is started by a sentence with its name where the goal cannot be a pattern', () => {
    const draft = findingsOf(runOf({ goal: 'Double 21\nin ./docs' }));
    expect(draft.recipe).toMatchObject({
      intentPatterns: ['run the recipe double it'],
      example: 'run the recipe double it',
    });
    expect(draft.findings).toEqual([
      {
        field: 'pattern',
        level: 'note',
        message: "The goal itself cannot be a pattern, so a sentence with the recipe's name starts it.",
      },
    ]);
  });
});
