import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildEntry } from '../../testing/build-entry';
import { timesOf } from '../../testing/full-counts';
import { startMain } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

const rounds = timesOf(4, 60);
const files = 50;
const folder = mkdtempSync(join(tmpdir(), 'patina-attach-kill-'));
const project = join(folder, 'project');
let child = '';
beforeAll(async () => {
  child = await buildEntry('testing/attach-child.ts', ['libsql']);
  mkdirSync(project);
  for (let file = 0; file < files; file += 1)
    writeFileSync(join(project, `${file}.txt`), `file ${file}\n`.repeat(2_000));
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Attaches the files in a process that is killed after its `after`-th line. */
function dropKilled(home: string, after: number): Promise<readonly string[]> {
  const running = spawn(process.execPath, [child, home, project, String(files)], {
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

/** The hashes of the contents on disk; throws for a content that is not whole. */
function contentsIn(home: string): ReadonlySet<string> {
  const root = join(home, 'items');
  const hashes = readdirSync(root).flatMap((part) => readdirSync(join(root, part)));
  const stored = hashes.filter((hash) => readdirSync(join(root, hash.slice(0, 2), hash)).includes('content'));
  for (const hash of stored) {
    const content = readFileSync(join(root, hash.slice(0, 2), hash, 'content'));
    expect(createHash('sha256').update(content).digest('hex')).toBe(hash);
  }
  return new Set(stored);
}

it(`[ITEM-kill] ${rounds} drops of ${files} files killed anywhere leave whole contents, and events that name only those`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const home = mkdtempSync(join(folder, 'home-'));
    const after = 1 + Math.floor(((round + 0.5) / rounds) * (files + 1));
    const said = await dropKilled(home, after);
    const stored = contentsIn(home);
    expect(stored.size).toBeGreaterThanOrEqual(said.filter((line) => line.startsWith('stored')).length);
    const { app, close } = await startMain({ at: home, project });
    for (const { id } of must(app.log.summaries({}))) {
      const turns = must(app.log.peek(id)).blocks.flat();
      for (const { hash } of turns.flatMap(({ items = [] }) => items)) expect(stored.has(hash)).toBe(true);
      if (said.includes('sent')) expect(turns.length === 0 || turns[0]?.items?.length === files).toBe(true);
      expect(must(app.log.replay(id))).toMatchObject({ equal: true });
    }
    await close();
  }
}, 240_000);
