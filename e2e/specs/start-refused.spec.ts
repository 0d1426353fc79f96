import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type ElectronApplication } from '@playwright/test';
import { driveElectron } from '../../scripts/lib/drive-electron.mjs';
import type { Bridge } from '../../src/shared/ipc';
import { axeFindings } from '../fixtures/axe';
import { scriptedKey, test } from '../fixtures/scripted';
import { composer } from '../fixtures/window';

/** A pack whose one mode breaks two rules. */
async function addBrokenPack(home: string): Promise<string> {
  const folder = join(home, 'packs', 'tickets');
  await mkdir(join(folder, 'modes'), { recursive: true });
  await writeFile(join(folder, 'pack.json'), JSON.stringify({ id: 'tickets', version: '1' }));
  const file = join(folder, 'modes', 'tickets.json');
  const mode = {
    id: 'not-a-guid',
    key: 'Tickets',
    displayName: 'Tickets',
    description: 'Working on tickets.',
    whenToUse: 'Use this mode for tickets.',
    isDefault: false,
    status: 'active',
    version: 'v1',
    ddr: 'TIC-001',
  };
  await writeFile(file, JSON.stringify(mode));
  return file;
}

/** The app without a finished start: the composer never appears. */
async function launchRefused(home: string, project: string, baseUrl: string): Promise<ElectronApplication> {
  const env = {
    ...process.env,
    PATINA_HOME: home,
    PATINA_DISCOVERY: 'off',
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: scriptedKey,
    PATINA_MODEL: 'scripted',
  };
  return driveElectron({ args: ['--project', project], env });
}

test('[START-refused] [START-without-pack] an invalid pack is reported rule by rule, and nothing else runs', async ({
  home,
  project,
  startModel,
  launchOn,
}) => {
  const file = await addBrokenPack(home);
  const model = await startModel({ replies: [{ text: 'never asked' }] });
  const app = await launchRefused(home, project, model.baseUrl);
  const page = await app.firstWindow();
  await expect(page.getByRole('heading', { name: 'Patina did not start' })).toBeVisible();
  const card = page.getByRole('region', { name: file });
  await expect(card).toContainText('id · mode-id-format');
  await expect(card).toContainText('key · mode-key-format');
  await expect(card).toContainText('32 uppercase hexadecimal characters');
  await expect(composer(page)).toBeHidden();
  expect(await axeFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Copy' }).click();
  const copied = await app.evaluate(({ clipboard }) => clipboard.readText());
  expect(copied).toContain('CONFIG/INVALID');
  expect(copied).toContain(`${file}\n  key · mode-key-format`);

  // The bridge itself refuses: the screen is not the only protection.
  const refused = await page.evaluate(() =>
    (window as unknown as { patina: Bridge }).patina.invoke('session-create', {}),
  );
  expect(refused).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
  expect(existsSync(join(home, 'sessions.db'))).toBe(false);
  expect(model.requests).toEqual([]);

  // A real restart would be a process outside this test: its start arguments are enough.
  const told = join(home, 'restarted-without');
  await app.evaluate(({ app: electron }, note) => {
    electron.relaunch = () =>
      process.getBuiltinModule('node:fs').writeFileSync(note, process.env['PATINA_WITHOUT_PACKS'] ?? '');
  }, told);
  const gone = once(app.process(), 'exit');
  await page.getByRole('button', { name: 'Start without this pack' }).click();
  expect(await gone).toEqual([3, null]);
  expect(readFileSync(told, 'utf8')).toBe('tickets');

  const { page: started } = await launchOn(model, { env: { PATINA_WITHOUT_PACKS: 'tickets' } });
  await expect(composer(started)).toBeVisible();
});

test('[START-refused] Quit ends a refused start with exit code 3', async ({ home, project, startModel }) => {
  await addBrokenPack(home);
  const model = await startModel({ replies: [] });
  const app = await launchRefused(home, project, model.baseUrl);
  const page = await app.firstWindow();
  const gone = once(app.process(), 'exit');
  await page.getByRole('button', { name: 'Quit' }).click();
  expect(await gone).toEqual([3, null]);
});

test('[DAMAGE-reported] the window opens in spite of an unreadable workflow and a pack with an unreadable mode, and names both', async ({
  home,
  launch,
}) => {
  const published = join(home, 'workflows', 'published', 'x_y_z.json');
  await mkdir(join(home, 'workflows', 'published'), { recursive: true });
  await writeFile(published, '{"half":');
  await mkdir(join(home, 'packs', 'torn', 'modes'), { recursive: true });
  await writeFile(join(home, 'packs', 'torn', 'pack.json'), '{"id":"torn","version":"1"}');
  await writeFile(join(home, 'packs', 'torn', 'modes', 'one.json'), '<<<<<<< HEAD');
  const { page } = await launch();
  await expect(composer(page)).toBeVisible();
  await expect(page.getByText('Some published workflows cannot be read')).toBeVisible();
  await expect(page.getByText(`${published}: It is not JSON.`, { exact: false })).toBeVisible();
  await expect(page.getByText(/Fix these files or move them elsewhere/)).toBeVisible();
  await expect(page.getByText('The pack "torn" is switched off')).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await writeFile(published, '');
  await rm(published);
  await expect(page.getByText('Some published workflows cannot be read')).toBeHidden();
});
