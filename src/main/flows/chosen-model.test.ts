import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let home = '';
let harness: MainHarness | null = null;
const stored = { providerId: 'lab', model: 'stored' };
const settingsFile = () => join(home, 'ui_settings.json');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'patina-chosen-'));
  writeFileSync(settingsFile(), JSON.stringify({ model: stored }));
});
afterEach(async () => {
  await harness?.close();
  harness = null;
  rmSync(home, { recursive: true, force: true });
});

async function start(env: Readonly<Record<string, string>>) {
  await harness?.close();
  harness = await startMain({ at: home, env, replies: [{ text: 'Hello.' }] });
  return harness;
}
const storedModel = () => (JSON.parse(readFileSync(settingsFile(), 'utf8')) as { model: unknown }).model;

it('[MDL-variable] PATINA_MODEL wins over the stored model and leaves it in the file', async () => {
  const { app, say, model } = await start({ PATINA_MODEL: 'named' });
  expect(await app.chosenModel()).toMatchObject({ model: 'named' });
  expect(app.settings.get().model).toMatchObject({ model: 'named' });
  expect((await app.models.listModels(false))[0]).toMatchObject({ preferred: 'named' });
  await say('hi');
  expect(model.chats()[0]?.json).toMatchObject({ model: 'named' });

  must(app.settings.patch({ theme: 'dark' }));
  expect(app.settings.get().model).toMatchObject({ model: 'named' });
  expect(storedModel()).toEqual(stored);
  expect(await (await start({ PATINA_MODEL: '' })).app.chosenModel()).toEqual(stored);
});

it('[MDL-variable] a model that the user chooses applies until Patina closes', async () => {
  const { app } = await start({ PATINA_MODEL: 'named' });
  const seen: unknown[] = [];
  app.settings.onChange(({ model }) => seen.push(model));
  const picked = { providerId: 'lab', model: 'picked' };
  must(app.settings.patch({ model: picked }));
  expect(await app.chosenModel()).toEqual(picked);
  expect(seen).toEqual([picked]);
  expect(storedModel()).toEqual(picked);
  expect(await (await start({ PATINA_MODEL: 'named' })).app.chosenModel()).toMatchObject({ model: 'named' });
});
