import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import {
  allProcesses,
  isAlive,
  patinaProcesses,
  planReply,
  restless,
  runCard,
  runOver,
  someCalls,
} from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

/** Starts the filesystem server again, then goes on calling the other one. */
const listing = "await tools.filesystem.list_directory({ path: 'docs' }); ";
const running = planOf([
  scriptNode('loop', listing + restless.code, ['mcp://filesystem.list_directory', ...restless.tools]),
]);
const write =
  "await tools.filesystem.write_file({ path: 'new.txt', content: 'new' }); return { summary: 'written' };";
const writing = planOf([scriptNode('write', write, ['mcp://filesystem.write_file'])], 'Written.');

/** What the window shows, asked through main: a renderer that crashed is none that Playwright still talks to. */
const shownText = (app: ElectronApplication): Promise<string> =>
  app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    return contents?.executeJavaScript('document.body.innerText') as Promise<string>;
  });

/**
 * Approves the first turn's write while its server is held still, and gives the server's process id: the server takes
 * the call and does nothing, so that the write is announced, is under way, and has no outcome.
 */
async function startHeldWrite(app: ElectronApplication, page: Page): Promise<number> {
  const approve = turn(page, 1).getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  const server = (await patinaProcesses(app)).get('Patina filesystem server') ?? 0;
  process.kill(server, 'SIGSTOP');
  await approve.click();
  await expect(runCard(page, 1)).not.toContainText('Needs you');
  await expect(runCard(page, 1)).toContainText('Running');
  return server;
}

test('[H60] a killed server, GPU process and renderer are recovered from in a run; nothing outlives the app', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [planReply('Write it', writing), planReply('Run for ever', running)],
  });
  const { app, page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Write it');
  const server = await startHeldWrite(app, page);
  process.kill(server, 'SIGKILL');
  const failed = await runOver(page, 1);
  await expect(failed.getByRole('region', { name: 'A tool server is not running' }).first()).toContainText(
    'TOOL/UNAVAILABLE',
  );

  await send(page, 'Run for ever');
  await expect(runCard(page, 2)).toContainText(someCalls);
  const again = (await patinaProcesses(app)).get('Patina filesystem server') ?? 0;
  expect(again).toBeGreaterThan(0);
  expect(again).not.toBe(server);
  const gpu = await app.evaluate(
    ({ app: electron }) => electron.getAppMetrics().find(({ type }) => type === 'GPU')?.pid,
  );
  if (gpu !== undefined) process.kill(gpu, 'SIGKILL');
  await app.evaluate(async ({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    const loaded = new Promise((resolve) => contents?.once('did-finish-load', () => resolve(null)));
    contents?.forcefullyCrashRenderer();
    await loaded;
  });
  // The window comes back part by part: each is waited for.
  for (const words of ['Run for ever', 'A tool server is not running', 'Cancel']) {
    await expect.poll(() => shownText(app), { timeout: 20_000 }).toContain(words);
  }
  expect((await patinaProcesses(app)).get('Patina sandbox')).toBeGreaterThan(0);

  const pids = await allProcesses(app);
  expect(pids.length).toBeGreaterThan(4);
  await app.close();
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test('[H58] kill -9 in a write: the run is interrupted, the write unknown, and it is not made again', async ({
  startModel,
  launchOn,
  project,
}) => {
  const model = await startModel({ replies: [planReply('Write it', writing)] });
  const first = await launchOn(model);
  await switchMode(first.page, 'Agent Mode');
  await send(first.page, 'Write it');
  const server = await startHeldWrite(first.app, first.page);
  const gone = once(first.app.process(), 'exit');
  // The app first: it must not live to hear that its server is gone, or the write's outcome is known.
  first.app.process().kill('SIGKILL');
  await gone;
  process.kill(server, 'SIGKILL');

  const second = await launchOn(model);
  const interrupted = turn(second.page, 1);
  await expect(interrupted).toContainText('Interrupted: Patina was closed during this run');
  await expect(interrupted).toContainText('It is unknown whether it happened; it is not repeated.');
  await expect(interrupted).toContainText('"path":"new.txt"');
  expect([...(await patinaProcesses(second.app)).keys()]).toEqual([]);
  expect(existsSync(join(project, 'new.txt'))).toBe(false);
  expect(model.chats()).toHaveLength(1);
});
