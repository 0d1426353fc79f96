import { describe, expect, it } from 'vitest';
import { Recipe } from '#shared/recipe';
import type { OwnRecipes } from '../ports/own-recipes';
import { createRecipeRegistry } from './recipe-registry';

const recipe = (id: string, more: object = {}): Recipe =>
  Recipe.parse({
    id,
    title: id,
    intentPatterns: [`run ${id}`],
    plan: { goal: id, nodes: [{ id: 'n', title: 'n', kind: 'script', code: '' }], answer: 'Done.' },
    ...more,
  });

const rowOf = (row: Recipe) => ({ file: `/home/recipes/${row.id}.json`, row });
const unreadable = {
  file: 'C:\\recipes\\broken.json',
  field: 'plan',
  rule: 'json',
  reason: 'It is cut off.',
};
const goodIn = (registry: ReturnType<typeof createRecipeRegistry>) => registry.all.map(({ id }) => id);

/** A registry over the user's recipes, which `save` replaces. */
function registryOf(rows: readonly Recipe[], problems: ReturnType<OwnRecipes['read']>['problems'] = []) {
  let own = { stamp: '1', rows, problems };
  let reads = 0;
  const registry = createRecipeRegistry([recipe('first')], {
    stamp: () => own.stamp,
    read: () => ((reads += 1), { rows: own.rows.map(rowOf), problems: own.problems }),
  });
  const save = (stamp: string, saved: readonly Recipe[]) => (own = { stamp, rows: saved, problems: [] });
  return { registry, save, reads: () => reads };
}

describe('the recipes of the app and of the user', () => {
  it('are available by name, by pattern and as a suggestion, those of the app first', () => {
    const { registry } = registryOf([recipe('mine')]);
    expect(goodIn(registry)).toEqual(['first', 'mine']);
    expect(registry.suggest('run mine').map(({ id }) => id)).toEqual(['mine']);
    expect(registry.match('run mine', '/srv')).toMatchObject({ value: { recipe: { id: 'mine' } } });
    expect(registry.byId('mine', {}, '/srv')).toMatchObject({ value: { recipe: { id: 'mine' } } });
    expect(registry.problems).toEqual([]);
  });

  it('are read again once a file has changed, and not before', () => {
    const { registry, save, reads } = registryOf([recipe('mine')]);
    const changes: number[] = [];
    registry.onChange(() => changes.push(reads()));
    const version = registry.version();
    expect(registry.byId('other', {}, '/srv')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect([registry.version(), reads()]).toEqual([version, 1]);
    save('2', [recipe('other')]);
    expect(registry.byId('other', {}, '/srv').ok).toBe(true);
    expect(goodIn(registry)).toEqual(['first', 'other']);
    expect(registry.version()).toBeGreaterThan(version);
    expect(changes).toEqual([1, 2]);
  });

  it('leave out one with the id of another, one with an invalid pattern and one that cannot be read', () => {
    const wrong = [recipe('first'), recipe('bent', { intentPatterns: ['run (a|b'] }), recipe('broken')];
    const other = { ...unreadable, file: '/home/recipes/broken.json' };
    const { registry } = registryOf([...wrong, recipe('mine')], [other]);
    expect(goodIn(registry)).toEqual(['first', 'mine']);
    expect(registry.problems).toMatchObject([
      other,
      {
        file: '/home/recipes/first.json',
        field: 'id',
        rule: 'unique',
        reason: 'Patina or a pack already has a recipe "first".',
      },
      { file: '/home/recipes/bent.json', field: 'intentPatterns.0', rule: 'intent-pattern' },
    ]);
  });

  it('name the problems of a recipe whose file is not valid, and only those', () => {
    const bent = recipe('bent', { intentPatterns: ['run (a|b'] });
    const { registry } = registryOf([bent], [unreadable]);
    expect(registry.byId('broken', {}, '/srv')).toEqual({
      ok: false,
      error: expect.objectContaining({
        kind: 'CONFIG',
        code: 'INVALID',
        message: 'The recipe "broken" cannot be used: its file is not valid.',
        hint: 'Fix the file, then run the recipe again. The other recipes still work.',
        problems: [unreadable],
      }) as unknown,
    });
    expect(registry.byId('oken', {}, '/srv')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('keep a recipe of the app usable whose id a file of the user repeats', () => {
    const { registry } = registryOf([recipe('first')]);
    expect(registry.problems).toHaveLength(1);
    expect(registry.byId('first', {}, '/srv').ok).toBe(true);
  });
});
