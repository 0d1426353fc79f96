import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SessionState, Turn } from '#shared/session-state';
import { activePath, pathTo } from '#shared/turn-tree';
import { buildEntry } from '../../testing/build-entry';
import { timesOf } from '../../testing/full-counts';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

const rounds = timesOf(6, 80);
const edits = 6;
/** What the process says: that it is ready, and four lines for each edit. */
const lines = 1 + edits * 4;
const folder = mkdtempSync(join(tmpdir(), 'patina-branch-kill-'));
const project = join(folder, 'project');
let child = '';
beforeAll(async () => {
  child = await buildEntry('testing/branch-child.ts', ['libsql']);
  mkdirSync(project);
  writeFileSync(join(project, 'notes.txt'), 'Some notes.\n');
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Edits and forks in a process that is killed after its `after`-th line; returns what it said. */
function branchKilled(home: string, after: number): Promise<readonly string[]> {
  const running = spawn(process.execPath, [child, home, project, String(edits)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  return new Promise((settle) => {
    running.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.split('\n').length > after) running.kill('SIGKILL');
    });
    running.on('close', () => settle(said.split('\n').slice(0, -1)));
  });
}

const countOf = (said: readonly string[], word: string): number =>
  said.filter((line) => line.startsWith(word)).length;
const textsOf = (state: SessionState): readonly string[] => activePath(state).map(({ text }) => text);

const answersOf = (path: readonly Turn[]) =>
  path.map(({ text, reply }) => [text, reply?.text, reply?.status]);

/** Checks what every stored session has to have: whole turns that are over, and content for their items. */
function checkWhole({ app }: MainHarness, id: string): SessionState {
  const { state } = must(app.log.open(id));
  const turns = state.blocks.flat();
  expect(turns).toHaveLength(state.turnCount);
  for (const { text, reply } of turns) {
    expect(text).not.toBe('');
    expect(reply?.status).toMatch(/^(done|interrupted)$/);
  }
  expect(state.gaps).toBeUndefined();
  expect(must(app.log.replay(id))).toMatchObject({ equal: true });
  const [item] = turns[0]?.items ?? [];
  expect(new TextDecoder().decode(must(app.readItem(item?.hash ?? '')))).toBe('Some notes.\n');
  return state;
}

it(`[TREE-kill] ${rounds} kills during edits in place and forks lose nothing and leave nothing half done`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const home = mkdtempSync(join(folder, 'home-'));
    const said = await branchKilled(home, 1 + Math.floor(((round + 0.5) / rounds) * (lines - 1)));
    const original = said[0]?.replace('ready ', '') ?? '';
    const main = await startMain({ at: home, project });
    const state = checkWhole(main, original);
    const texts = state.blocks.flat().map(({ text }) => text);
    expect(texts.slice(0, 3)).toEqual(['first', 'second', 'third']);
    // An edit is there with its line, or not at all; one that was reported is there.
    expect(texts.slice(3)).toEqual(texts.slice(3).map((_, edit) => `edit ${edit}`));
    expect(texts.length - 3).toBeGreaterThanOrEqual(countOf(said, 'edited'));
    expect(texts.length - 3).toBeLessThanOrEqual(countOf(said, 'editing'));
    for (const { parent } of state.blocks.flat().slice(3)) expect(parent).toBe(0);
    expect(textsOf(state)).toEqual(['first', ...(texts.length > 3 ? texts.slice(-1) : ['second', 'third'])]);
    const forks = must(main.app.log.summaries({})).filter(
      ({ id }) => ![original, main.sessionId].includes(id),
    );
    expect(forks.length).toBeGreaterThanOrEqual(countOf(said, 'forked'));
    expect(forks.length).toBeLessThanOrEqual(countOf(said, 'forking'));
    for (const { id } of forks) {
      const fork = checkWhole(main, id);
      expect(fork.forked?.from.sessionId).toBe(original);
      expect(answersOf(activePath(fork))).toEqual(answersOf(pathTo(state, fork.forked?.from.turn ?? -1)));
    }
    await main.close();
  }
}, 240_000);
