import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication } from '@playwright/test';
import { launchElectron } from '../../scripts/lib/launch-electron.mjs';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { composer, send, switchMode, turns } from '../fixtures/window';

const settingsOf = (home: string) =>
  JSON.parse(readFileSync(join(home, 'ui_settings.json'), 'utf8')) as Record<string, unknown>;

test('[UI-restart] [UI-mode] [SET-mode] [SET-unknown] mode and sessions are restored after a restart', async ({
  launch,
  home,
}) => {
  const first = await launch();
  await expect(first.page.getByRole('radio', { name: 'Ask' })).toBeChecked();
  await send(first.page, 'The first session');
  await settled(first.page, 1);
  await first.page.getByRole('button', { name: /^New session/ }).click();
  await send(first.page, 'The second session');
  await settled(first.page, 1);
  await first.app.close();
  expect(settingsOf(home)['mode']).toBe('ask');

  const foreign = { fromTheFuture: { depth: [1, 2, { three: null }] } };
  writeFileSync(join(home, 'ui_settings.json'), JSON.stringify({ ...settingsOf(home), ...foreign }));
  const second = await launch();
  await expect(turn(second.page, 1)).toContainText('The second session');
  await switchMode(second.page, 'Agent Mode');
  await second.app.close();
  expect(settingsOf(home)).toMatchObject({ mode: 'agent', ...foreign });

  const third = await launch();
  await expect(third.page.getByRole('radio', { name: 'Agent Mode' })).toBeChecked();
  const rail = third.page.getByRole('navigation', { name: 'Sessions' });
  await expect(rail.getByRole('button', { name: 'The second session', exact: true })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await rail.getByRole('button', { name: 'The first session', exact: true }).click();
  await expect(turn(third.page, 1)).toContainText('No model is connected');
});

/** Ends the process like a power cut, and waits until it is gone. */
async function killHard(app: ElectronApplication): Promise<void> {
  const process = app.process();
  const gone = once(process, 'exit');
  process.kill('SIGKILL');
  await gone;
}

test('[H54] [SES-kill] kill -9 while a reply streams loses nothing that was saved', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [{ text: ['Saved words. ', 'Never sent.'], gated: true }, { text: 'Going on.' }],
  });
  const before = await launchOn(model);
  await send(before.page, 'Tell me a long story');
  model.release(1);
  await expect(turn(before.page, 1)).toContainText('Saved words.');
  const sessionId = await newestSession(before.page);
  const saved = async () => {
    const { blocks } = await ask(before.page, 'session-open', { sessionId });
    return blocks.flat()[0]?.reply?.text;
  };
  await expect.poll(saved).toBe('Saved words. ');
  await killHard(before.app);

  const after = await launchOn(model);
  const half = await settled(after.page, 1);
  await expect(half).toContainText('Tell me a long story');
  await expect(half).toContainText('Saved words.');
  await expect(half).toContainText('Interrupted: Patina was closed while this reply was arriving');
  await expect(after.page.getByRole('region', { name: 'Notices' })).toHaveCount(0);
  await send(after.page, 'Go on');
  await expect(await settled(after.page, 2)).toContainText('Going on.');
});

const evilLink = 'patina://install?server=evil&command=touch&run=1';

/** State that a link could have changed. */
async function traces(app: ElectronApplication) {
  const processes = await app.evaluate(({ app: self, BrowserWindow }) => ({
    windows: BrowserWindow.getAllWindows().map((window) => window.webContents.getURL()),
    helpers: self.getAppMetrics().filter(({ name }) => name?.startsWith('Patina')),
  }));
  return processes;
}

test('[H57] [H68] a second start shows the first window and ignores the link it was given', async ({
  launch,
  home,
  project,
}) => {
  const { app, page } = await launch({ args: [evilLink] });
  await composer(page).fill('a draft');
  const before = await traces(app);
  expect(before.windows).toEqual(['app://patina/index.html?lang=en']);
  await app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    const record = globalThis as unknown as { focused: number };
    record.focused = 0;
    const focus = window?.focus.bind(window);
    if (window) window.focus = () => void (focus?.(), (record.focused += 1));
  });
  const { executablePath, args, env } = launchElectron({
    args: ['--project', project, evilLink],
    env: { ...process.env, PATINA_HOME: home },
  });
  const second = spawn(executablePath, args, { env, stdio: 'ignore' });
  const [code] = (await once(second, 'exit')) as [number | null];
  expect(code).toBe(0);
  await app.evaluate(({ app: self }, link) => {
    self.emit('open-url', { preventDefault: () => undefined }, link);
  }, evilLink);

  const focused = () => app.evaluate(() => (globalThis as unknown as { focused: number }).focused);
  await expect.poll(focused).toBe(2);
  expect(await traces(app)).toEqual(before);
  await expect(composer(page)).toHaveValue('a draft');
  await expect(turns(page)).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await ask(page, 'session-list', { archived: false })).toEqual([]);
  expect((await ask(page, 'model-list', { refresh: true })).map(({ source }) => source)).toEqual(['offline']);
});
