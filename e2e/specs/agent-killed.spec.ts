import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import {
  allowEndlessRuns,
  allProcesses,
  cancelRun,
  isAlive,
  patinaProcesses,
  planReply,
  runCard,
  runOver,
  someCalls,
} from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

/** A read that needs its server, which is restarted if necessary. */
const listing = planOf(
  [
    scriptNode(
      'list',
      "await tools.project.list_files({ path: 'docs' }); await tools.ledger.read({}); return { summary: 'both answered' };",
      ['mcp://project.list_files', 'mcp://ledger.read'],
    ),
  ],
  'Both servers answered.',
);
/** Keeps calling both servers, each time for something not cached, with work between, until it is stopped. */
const both =
  "for (let n = 0; ; n += 1) { await tools.project.list_files({ path: 'docs', glob: '*' + n }); " +
  'await tools.ledger.read({}); for (let i = 0; i < 300000; i += 1); }';
const loop = scriptNode('loop', both, ['mcp://project.list_files', 'mcp://ledger.read']);
/** A step that declares that it may be repeated: once, after a temporary failure. */
const running = planOf([{ ...loop, idempotent: true }]);
const replies = [planReply('Run for ever', running), planReply('List', listing)];

/** The file in which the user's own server writes its process id. */
const pidFileIn = (home: string): string => join(home, 'ledger.pid');

/** A server of the user's own, a child process beside those that come with the app, allowed in the project. */
function addLedger(home: string, project: string): void {
  const lines = join(project, 'ledger.txt');
  writeFileSync(lines, 'one\n');
  const ledger = {
    command: process.execPath,
    args: [resolve('src/testing/mcp-peers/ledger-server.mjs'), lines, pidFileIn(home)],
    trusted: true,
  };
  mkdirSync(join(home, 'mcp'), { recursive: true });
  mkdirSync(join(project, '.patina'), { recursive: true });
  const mcpServers = { project: { bundled: 'project', trusted: true }, ledger };
  writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers }));
  allowEndlessRuns(project);
  const allow = ['mcp://project.*', 'mcp://ledger.*'];
  writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify({ allow, deny: [] }));
}

/** The content of the window, requested through main: Playwright no longer talks to a renderer that was killed. */
const shownText = (app: ElectronApplication): Promise<string> =>
  app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    return contents?.executeJavaScript('document.body.innerText') as Promise<string>;
  });

/** The number of colours in the window's picture: a window that is not drawn has one. */
const coloursDrawn = (app: ElectronApplication): Promise<number> =>
  app.evaluate(async ({ BrowserWindow }) => {
    const picture = await BrowserWindow.getAllWindows()[0]?.webContents.capturePage();
    const bitmap = picture?.toBitmap() ?? Buffer.alloc(0);
    const seen = new Set<number>();
    for (let at = 0; at + 4 <= bitmap.length; at += 4) seen.add(bitmap.readUInt32LE(at));
    return seen.size;
  });

/** A drawn window has text and lines, smoothed in many shades. */
const enoughColours = 20;

const gpuProcess = (app: ElectronApplication): Promise<number> =>
  app.evaluate(({ app: electron }) => electron.getAppMetrics().find(({ type }) => type === 'GPU')?.pid ?? 0);

const renderer = (app: ElectronApplication): Promise<number> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId() ?? 0);

const ledgerProcess = (home: string): number => Number(readFileSync(pidFileIn(home), 'utf8'));

/** Calls made so far by the run of the first line, as the window shows them. */
async function callsShown(app: ElectronApplication): Promise<number> {
  const shown = /([\d,]+) calls?/.exec(await shownText(app))?.[1] ?? '0';
  return Number(shown.replaceAll(',', ''));
}

interface Running {
  readonly app: ElectronApplication;
  readonly page: Page;
}

const runTest = test.extend<{ readonly startRun: () => Promise<Running> }>({
  /** The app with a run in progress that keeps calling tools. */
  startRun: async ({ startModel, launchOn, home, project }, use) => {
    await use(async () => {
      addLedger(home, project);
      const { app, page } = await launchOn(await startModel({ replies }));
      await switchMode(page, 'Agent Mode');
      await send(page, 'Run for ever');
      await expect(runCard(page, 1)).toContainText(someCalls);
      return { app, page };
    });
  },
});

/** Kills one process and waits until it has ended. */
async function kill(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
}

/** Ends the app as a user does: all of its processes, current and earlier, are gone then. */
async function leavesNothing(app: ElectronApplication, more: readonly number[]): Promise<void> {
  const pids = [...(await allProcesses(app)), ...more];
  expect(pids.length).toBeGreaterThan(2);
  await app.close();
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
}

/** The run of the first line makes further calls. */
async function goesOn(app: ElectronApplication): Promise<void> {
  const before = await callsShown(app);
  await expect.poll(() => callsShown(app), { timeout: 30_000 }).toBeGreaterThan(before);
}

/** After the failure in the first run, a run of both servers works, and the first line is still there. */
async function nextRunIsFine(page: Page): Promise<void> {
  await send(page, 'List');
  await expect(await runOver(page, 2)).toContainText('Both servers answered.');
  await expect(turn(page, 1)).toContainText('Run for ever');
}

const utility =
  (name: string) =>
  async (app: ElectronApplication): Promise<number> =>
    (await patinaProcesses(app)).get(name) ?? 0;

type FindProcess = (app: ElectronApplication, home: string) => number | Promise<number>;
const killed: Readonly<Record<string, FindProcess>> = {
  'a server that comes with the app': utility('Patina project server'),
  'a server of the user’s own': (_app, home) => ledgerProcess(home),
  'the sandbox': utility('Patina sandbox'),
  'the GPU process': gpuProcess,
};

for (const [name, find] of Object.entries(killed)) {
  runTest(
    `[H60] ${name} killed in a run: another takes its place and the run goes on`,
    async ({ startRun, home }) => {
      const { app, page } = await startRun();
      expect(await coloursDrawn(app)).toBeGreaterThan(enoughColours);
      const before = await find(app, home);
      await kill(before);
      // The process list still contains a dead process for a moment.
      await expect.poll(async () => [0, before].includes(await find(app, home))).toBe(false);
      await goesOn(app);
      await expect.poll(() => coloursDrawn(app)).toBeGreaterThan(enoughColours);
      await cancelRun(page, 1);
      await nextRunIsFine(page);
      await leavesNothing(app, [ledgerProcess(home)]);
    },
  );
}

runTest(
  '[H60] the window’s process killed in a run: it comes back and shows the run, which went on',
  async ({ startRun, launch, home }) => {
    const { app } = await startRun();
    const sandbox = (await patinaProcesses(app)).get('Patina sandbox');
    const before = await renderer(app);
    await kill(before);
    // A request to a process that has ended is never answered, so nothing is requested before there is another.
    await expect.poll(async () => [0, before].includes(await renderer(app))).toBe(false);
    // The window comes back part by part: each is waited for.
    for (const words of ['Run for ever', 'Cancel']) {
      await expect.poll(() => shownText(app).catch(() => ''), { timeout: 20_000 }).toContain(words);
    }
    await goesOn(app);
    expect((await patinaProcesses(app)).get('Patina sandbox')).toBe(sandbox);
    await leavesNothing(app, [ledgerProcess(home)]);
    const { page } = await launch();
    await expect(turn(page, 1)).toContainText('Run for ever');
  },
);

runTest(
  '[H60] the window’s process killed twice within seconds: it is loaded once more when the user says so',
  async ({ startRun, home }) => {
    const { app } = await startRun();
    await app.evaluate(({ dialog }) => {
      const asked: string[] = [];
      Object.assign(globalThis, { asked });
      dialog.showMessageBox = ((_window: unknown, { message }: { message: string }) => {
        asked.push(message);
        return new Promise((resolve) => Object.assign(globalThis, { answer: resolve }));
      }) as unknown as typeof dialog.showMessageBox;
    });
    const first = await renderer(app);
    await kill(first);
    await expect.poll(async () => [0, first].includes(await renderer(app))).toBe(false);
    await kill(await renderer(app));
    const asked = () => app.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
    await expect.poll(asked).toEqual(['The window stopped working twice within seconds.']);
    await app.evaluate(() =>
      (globalThis as unknown as { answer: (said: object) => void }).answer({ response: 0 }),
    );
    await expect.poll(() => renderer(app)).toBeGreaterThan(0);
    for (const words of ['Run for ever', 'Cancel']) {
      await expect.poll(() => shownText(app).catch(() => ''), { timeout: 20_000 }).toContain(words);
    }
    await leavesNothing(app, [ledgerProcess(home)]);
  },
);
