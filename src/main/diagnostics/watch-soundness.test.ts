import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { ok, type Result } from '#shared/result';
import { buildEntry } from '../../testing/build-entry';
import { createManualClock } from '../../testing/manual-clock';
import { must, newDatabasePath, openStore, turnFacts } from '../../testing/stored-session';
import { createChildDatabaseCheck } from '../adapters/storage/child-database-check';
import { createNotices } from '../notices/notices';
import { watchSoundness } from './watch-soundness';

let checkProcess = '';
beforeAll(async () => {
  checkProcess = await buildEntry('main/adapters/storage/check-process.ts', ['libsql']);
}, 60_000);

/** A watch whose check completes when the test says so. */
function watch(due = true) {
  const notices = createNotices([]);
  const { clock, advance } = createManualClock();
  let started = 0;
  let cancelled = 0;
  let answer: (finding: Result<string | null>) => void = () => undefined;
  const kept: (string | null)[] = [];
  const finding = new Promise<Result<string | null>>((resolve) => (answer = resolve));
  const stop = watchSoundness({
    path: '/nowhere',
    soundness: { checkDue: () => due, checked: (problem) => void kept.push(problem) },
    startCheck: () => {
      started += 1;
      return { finding, cancel: () => (cancelled += 1) };
    },
    notices,
    clock,
  });
  const ids = (): readonly string[] => notices.all().map(({ id }) => id);
  return { ids, advance, stop, kept, answer, finding, counts: () => ({ started, cancelled }) };
}

it('[START-check-shown] a full check that takes a moment is shown while it runs, and its findings afterwards', async () => {
  const { ids, advance, answer, kept, counts } = watch();
  expect(counts().started).toBe(0);
  advance(1_600);
  expect(counts().started).toBe(1);
  expect(ids()).toEqual([]);
  advance(1_000);
  expect(ids()).toEqual(['database-check']);
  answer(ok('row 7 missing'));
  await expect.poll(ids).toEqual(['database-damaged']);
  expect(kept).toEqual(['row 7 missing']);
});

it('[START-check-shown] a sound file, and a check that is not due, show nothing; a stop ends the check', async () => {
  const sound = watch();
  sound.advance(5_000);
  sound.answer(ok(null));
  await expect.poll(() => sound.kept).toEqual([null]);
  expect(sound.ids()).toEqual([]);
  const idle = watch(false);
  idle.advance(10_000);
  expect(idle.counts().started).toBe(0);
  const stopped = watch();
  stopped.advance(5_000);
  stopped.stop();
  stopped.answer(ok('damaged'));
  await stopped.finding;
  expect(stopped.counts().cancelled).toBe(1);
  expect(stopped.kept).toEqual([]);
});

it('[START-check-process] the check runs in a separate process, beside an open writer', async () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(50, 'x'.repeat(1_000))));
  const start = createChildDatabaseCheck(checkProcess);
  const running = start(path);
  must(store.append('s', 54, [{ type: 'session-renamed', title: 'meanwhile' }]));
  expect(await running.finding).toEqual(ok(null));
  store.close();
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 8_192 * 4, 8_192 * 4 + 64);
  writeFileSync(path, bytes);
  expect(must(await start(path).finding)).toContain('SQLITE');
  expect(await start(`${path}.gone`).finding).toMatchObject({ ok: false, error: { code: 'STORAGE' } });
  const cancelled = start(path);
  cancelled.cancel();
  expect((await cancelled.finding).ok).toBe(false);
});
