import { describe, expect, it } from 'vitest';
import type { RunState } from '#shared/session-state';
import { boxBench, planOf, scriptNode } from '../../testing/agent-plans';
import { recipeOf } from './save-recipe';

const project = '/srv/project';
const read = `const { value } = await tools.box.get({ n: 21, path: './docs' });
return { summary: 'got', state: { value, place: params.where + '/x' } };`;
const plan = planOf(
  [scriptNode('first', read, { params: { where: './docs', limit: 5 } })],
  '{{first.value}} in {{first.place}}',
);
const runOf = (more: Partial<RunState> = {}): RunState =>
  ({
    ...{ runId: 'run_1', goal: 'Double 21 in ./docs for me', status: 'done', plan, nodes: [], writes: [] },
    ...{ approvals: [], paused: false, ...more },
  }) as unknown as RunState;

describe('a run kept as a recipe', () => {
  it('[REC-params] has the values its goal names as parameters, with what they were as defaults', () => {
    const saved = recipeOf(runOf(), { id: 'double_it' }, project);
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

  it('[REC-runs] runs with no model, by its id and by its goal with other values', async () => {
    const saved = recipeOf(runOf(), { id: 'double_it', names: { n: 'number', where: 'folder' } }, project);
    if (!saved.ok) throw new Error(saved.error.message);
    expect(saved.value.plan.nodes[0]?.code).toContain("params.folder + '/x'");
    const { run, requests } = boxBench({ recipes: [saved.value] });
    const params = { number: 4, folder: './src' };
    expect(await run({ given: { recipeId: 'double_it', params } })).toMatchObject({
      ...{ outcome: 'done', answer: expect.stringMatching(/^8 in \.?\/?src\/x$/) as string },
    });
    expect(await run({ goal: 'double 10 in ./lib for me' })).toMatchObject({
      answer: expect.stringMatching(/^20 in \.?\/?lib\/x$/) as string,
    });
    expect(await run({ given: { recipeId: 'double_it', params: {} } })).toMatchObject({ outcome: 'done' });
    expect(requests).toEqual([]);
  });

  it('[REC-params] takes a path as the host writes it, and no word that is part of every sentence', () => {
    const code = `const { value } = await tools.box.get({ n: 1, countBy: 'folder' }); return { summary: '' + value };`;
    const counted = planOf([scriptNode('count', code, { params: { path: 'docs' } })], 'Done.');
    const run = runOf({ goal: 'Count lines in ./docs by folder', plan: counted });
    expect(recipeOf(run, { id: 'count_lines' }, project)).toMatchObject({
      value: {
        intentPatterns: ['count lines in {path} by folder'],
        params: [{ name: 'path', default: 'docs' }],
        plan: { nodes: [{ code }] },
      },
    });
  });

  it.each<[string, Partial<RunState>, object]>([
    ['was not done', { status: 'failed' }, {}],
    ['asked a model', { plan: planOf([{ id: 'a', title: 'a', kind: 'llm', prompt: 'x' }]) }, {}],
    ['would have a name nobody has', {}, { names: { nothing: 'x' } }],
    ['would have one name twice', {}, { names: { n: 'where' } }],
    ['would have a name that is none', {}, { names: { n: 'No Name' } }],
    ['has an id that is none', {}, { id: 'No Id' }],
  ])('[REC-unfit] is refused when the run %s', (_what, more, asked) => {
    expect(recipeOf(runOf(more), { id: 'double_it', ...asked }, project)).toMatchObject({
      error: { kind: 'HOST', code: 'INVALID_INPUT' },
    });
  });
});
