import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Recipe } from '#shared/recipe';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { createNodeHost } from '../adapters/cli/node-host';
import { compose } from '../compose/compose';

let harness: MainHarness;
afterEach(() => harness.close());

const offline = { providerId: 'offline', model: 'offline' };

// Only an approval: running the recipe needs no sandbox.
const recipe = (id: string, more: object = {}): Recipe => ({
  id,
  title: `Ask ${id}`,
  intentPatterns: [`ask about ${id.replaceAll('_', ' ')}`],
  params: [],
  plan: {
    goal: id,
    constraints: [],
    answer: 'Asked.',
    nodes: [{ id: 'ask', title: 'Ask', kind: 'approval', deps: [] }],
  },
  ...more,
});

const folderOf = (home: string): string => join(home, 'packs', 'my_recipes', 'recipes');

function put(home: string, name: string, content: unknown): void {
  mkdirSync(folderOf(home), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  // Written atomically, as the app does.
  writeFileSync(join(folderOf(home), `.${name}`), text);
  renameSync(join(folderOf(home), `.${name}`), join(folderOf(home), `${name}.json`));
}

const ids = (): readonly string[] => harness.app.recipes().map(({ id }) => id);

async function runs(text: string): Promise<string | undefined> {
  const line = {
    sessionId: harness.sessionId,
    model: offline,
    runMode: 'agent' as const,
    approve: 'all' as const,
  };
  const sent = must(harness.app.conversation.send({ ...line, text }));
  await sent.done;
  return harness.turn(sent.turn).run?.recipeId;
}

it('[REC-outside] a recipe that another process saved is listed, found by its patterns, and gone with its file', async () => {
  harness = await startMain();
  expect(ids()).not.toContain('the_weather');
  put(harness.home, 'the_weather', recipe('the_weather'));
  expect(await runs('ask about the weather')).toBe('the_weather');
  expect(ids()).toContain('the_weather');
  // Replaces the first recipe with another one.
  put(harness.home, 'the_weather', recipe('the_weather', { intentPatterns: ['is it raining'] }));
  expect(await runs('is it raining')).toBe('the_weather');
  rmSync(join(folderOf(harness.home), 'the_weather.json'));
  expect(ids()).not.toContain('the_weather');
});

it('[REC-outside] an invalid recipe file is reported by file, field and reason, and hides no other recipe, also at a start', async () => {
  harness = await startMain();
  const [seed] = ids();
  put(harness.home, 'good', recipe('good'));
  put(harness.home, 'torn', '{"id": "torn", ');
  put(harness.home, 'untitled', recipe('untitled', { title: 7 }));
  put(harness.home, 'stranger', recipe('stranger', { intentPatterns: ['ask {nobody}'] }));
  put(harness.home, seed ?? '', recipe(seed ?? ''));
  put(harness.home, 'named', recipe('other'));
  const check = async (app: MainHarness['app']): Promise<void> => {
    expect(app.recipes().map(({ id }) => id)).toEqual(expect.arrayContaining([seed, 'good']));
    const told = (await app.doctor()).find(({ name }) => name === 'recipes');
    expect(told).toMatchObject({ ok: false, error: { kind: 'CONFIG' } });
    const problems = told?.error?.problems ?? [];
    const found = problems.map(({ file, field, rule }) => [file.split(/[\\/]/).at(-1), field, rule]);
    expect(found.sort()).toEqual(
      [
        ['torn.json', '', 'json'],
        ['untitled.json', 'title', 'invalid_type'],
        ['stranger.json', 'intentPatterns.0', 'intent-pattern'],
        [`${seed}.json`, 'id', 'unique'],
        ['named.json', 'id', 'file-name'],
      ].sort(),
    );
    // The pack has no header, and is not disabled for it.
    expect(app.notices.all().map(({ id }) => id)).toEqual(['own-recipes']);
    expect(app.notices.all()[0]?.detail).toContain('torn.json');
  };
  await check(harness.app);
  const asked = {
    sessionId: harness.sessionId,
    model: offline,
    runMode: 'agent' as const,
    approve: 'all' as const,
  };
  const provided = { recipeId: 'torn', params: {} };
  const line = must(harness.app.conversation.send({ ...asked, text: 'torn', provided }));
  await line.done;
  expect(harness.turn(line.turn).run?.error).toMatchObject({ kind: 'CONFIG', code: 'INVALID' });
  const { home } = harness;
  const again = must(compose(must(createNodeHost(resolve('out/main'), { home, project: home }))));
  await check(again);
  await again.close();
  for (const name of ['torn', 'untitled', 'stranger', 'named', seed ?? ''])
    rmSync(join(folderOf(home), `${name}.json`));
  expect(ids()).toEqual(expect.arrayContaining([seed, 'good']));
  expect(harness.app.notices.all().some(({ id }) => id === 'own-recipes')).toBe(false);
});
