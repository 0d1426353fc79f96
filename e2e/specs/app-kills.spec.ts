import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import { launchElectron } from '../../scripts/lib/launch-electron.mjs';
import { fullCounts, timesOf } from '../../src/testing/full-counts';
import { writeOldDatabase } from '../../src/testing/old-database';
import type { ScriptedModel } from '../../src/testing/scripted-model';
import { planOf, scriptNode, test as command, type Ran } from '../fixtures/command-line';
import { ask, newestSession, turn } from '../fixtures/conversation';
import { expect } from '../fixtures/patina';
import { planReply } from '../fixtures/run';
import { composer, send, switchMode } from '../fixtures/window';

/** `npm test` kills the app a few times; `npm run soak -- "app kills"` as often as was promised. */
const rounds = timesOf(6, 500);
/** A soak runs beside other work for hours: a slow moment is not a failure there. */
const patienceMs = 300_000;
const words = Array.from({ length: 60 }, (_, index) => `word${index} `);

/** Another `PATINA_SEED` kills at other moments, so that shorter soaks add up. */
const seed = Number(process.env['PATINA_SEED'] ?? 57);

/** The same numbers for the same seed, so that a failure can be repeated. */
function createSeededNumbers(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Lets some turns of this process pass: they are moments of the app. */
const hops = (count: number): Promise<void> =>
  new Promise((done) => {
    const hop = (left: number): unknown => (left === 0 ? done() : setImmediate(() => hop(left - 1)));
    hop(count);
  });

async function killApp(app: ElectronApplication): Promise<void> {
  const gone = once(app.process(), 'exit');
  app.process().kill('SIGKILL');
  await gone;
}

interface Round {
  readonly n: number;
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly model: ScriptedModel;
  /** A seeded number from 0 to `below`, without `below`. */
  readonly next: (below: number) => number;
}

/** What the window showed as done at the kill: the next start must still know it. */
interface Shown {
  readonly sessionId: string;
  readonly question?: string;
}

/** Kills the app while words of a reply arrive. */
async function inStream({ n, app, page, model, next }: Round): Promise<Shown> {
  await switchMode(page, 'Ask');
  const question = `Question number ${n}.`;
  await send(page, question);
  await page.getByRole('article').filter({ hasText: question }).waitFor();
  const sessionId = await newestSession(page);
  model.release(next(words.length));
  await hops(next(40_000));
  await killApp(app);
  return { sessionId, question };
}

/** Kills the app at some moment after the user approved a write of a run. */
async function inRun({ n, app, page, next }: Round): Promise<Shown> {
  await switchMode(page, 'Agent Mode');
  const question = `Add entry ${n} to the ledger`;
  await send(page, question);
  const asked = page.getByRole('article').filter({ hasText: question });
  const approve = asked.getByRole('button', { name: 'Approve: ' });
  // On an overloaded machine the sandbox may not start in time: then the kill follows that failure.
  await approve
    .or(asked.getByRole('button', { name: /^Try again/ }))
    .first()
    .waitFor();
  if (await approve.isVisible()) await approve.click();
  const sessionId = await newestSession(page);
  await hops(next(40_000));
  await killApp(app);
  return { sessionId, question };
}

/** Kills the app while it deletes a session permanently. */
async function inDelete({ n, app, page, next }: Round): Promise<Shown> {
  await app.evaluate(({ dialog }) => {
    dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false });
  });
  await page.getByRole('button', { name: /^New session/ }).click();
  await switchMode(page, 'Ask');
  await send(page, `/recipe nothing called ${n}`);
  await turn(page, 1).waitFor();
  const sessionId = await newestSession(page);
  await ask(page, 'session-archive', { sessionId });
  const deleting = ask(page, 'session-delete', { sessionId }).catch(() => undefined);
  await hops(next(10_000));
  await killApp(app);
  await deleting;
  return { sessionId };
}

const kinds = [inStream, inRun, inDelete];

type Patina = (args: readonly string[]) => Promise<Ran>;

/** The session is complete and replays, or, if it was being deleted, it is completely gone. */
async function expectWhole(patina: Patina, { sessionId, question }: Shown): Promise<void> {
  const replay = await patina(['--json', 'session', 'replay', sessionId]);
  if (question === undefined && replay.code !== 0) {
    expect(replay.json()).toMatchObject({ kind: 'HOST', code: 'NOT_FOUND' });
    return;
  }
  expect(replay.json()).toMatchObject({ equal: true });
  const events = await patina(['--json', 'session', 'events', sessionId]);
  const sent = (JSON.parse(events.stdout) as { type: string; text?: string }[]).filter(
    ({ type }) => type === 'message-sent',
  );
  const texts = sent.map(({ text }) => text ?? '');
  if (question !== undefined) expect(texts.filter((text) => text === question)).toEqual([question]);
  expect(new Set(texts).size).toBe(texts.length);
}

command(
  `[STO-app-kills] ${rounds} kills of the app in replies, runs and deletions lose nothing shown and repeat no write`,
  async ({ startModel, launchOn, patina, home, project }) => {
    command.setTimeout(rounds * 60_000);
    const ledger = join(home, 'ledger.txt');
    const server = resolve('src/testing/mcp-peers/ledger-server.mjs');
    mkdirSync(join(home, 'mcp'), { recursive: true });
    mkdirSync(join(project, '.patina'), { recursive: true });
    writeFileSync(ledger, '');
    const row = { command: process.execPath, args: [server, ledger], trusted: true };
    writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers: { ledger: row } }));
    writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify({ allow: ['mcp://ledger.*'] }));
    const addEntry = (n: number) =>
      planReply(
        `Add entry ${n} to the ledger`,
        planOf([
          scriptNode('add', `await tools.ledger.add({ n: ${n} }); return { summary: 'added' };`, [
            'mcp://ledger.add',
          ]),
        ]),
      );
    const runs = Array.from({ length: rounds }, (_, n) => addEntry(n));
    const model = await startModel({ replies: [...runs, { match: /^Question/, text: words, gated: true }] });
    const next = createSeededNumbers(seed);
    for (let n = 0; n < rounds; n += 1) {
      const { app, page } = await launchOn(model);
      if (fullCounts) page.setDefaultTimeout(patienceMs);
      await composer(page).waitFor();
      const round = kinds[n % kinds.length];
      const shown = await round?.({ n, app, page, model, next });
      if (shown) await expectWhole(patina, shown);
      const entries = readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
      expect(new Set(entries).size).toBe(entries.length);
      if (fullCounts) process.stdout.write(`${n + 1} of ${rounds} kills, all clean\n`);
    }
    const last = await launchOn(model);
    await expect(last.page.getByRole('region', { name: 'Notices' })).toHaveCount(0);
    await last.app.close();
  },
);

/** Homes that are raised and checked; `npm run soak` kills each of its starts at some moment. */
const homes = timesOf(1, 50);
const startsKilled = 3;

command(
  `[STO-start-kills] kills in ${homes * startsKilled} starts that raise and check an old sessions file lose none of it`,
  async ({ patina, home, project }) => {
    command.setTimeout(homes * 120_000);
    const next = createSeededNumbers(seed + 14);
    for (let round = 0; round < homes; round += 1) {
      const own = join(home, String(round));
      mkdirSync(own, { recursive: true });
      const events = writeOldDatabase(join(own, 'sessions.db'), 10_000);
      for (let start = 0; start < startsKilled; start += 1) {
        const { executablePath, args, env } = launchElectron({
          args: ['--project', project],
          env: { ...process.env, PATINA_HOME: own, PATINA_DISCOVERY: 'off' },
        });
        const app = spawn(executablePath, args, { env, stdio: 'ignore' });
        const gone = once(app, 'exit');
        await hops(next(1_500_000));
        app.kill('SIGKILL');
        await gone;
      }
      const replay = await patina(['--json', '--home', own, 'session', 'replay', 's']);
      expect(replay.json()).toMatchObject({ events, equal: true, damaged: 0 });
      if (fullCounts) process.stdout.write(`${(round + 1) * startsKilled} kills of starts, all clean\n`);
    }
  },
);
