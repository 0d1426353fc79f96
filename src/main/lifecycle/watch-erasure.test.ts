import { expect, it } from 'vitest';
import { err, ok, type Result } from '#shared/result';
import { appError } from '#shared/app-error';
import { createManualClock } from '../../testing/manual-clock';
import { createNotices } from '../notices/notices';
import { watchErasure } from './watch-erasure';

/** A watch whose process completes when the test says so. */
function watch() {
  const notices = createNotices([]);
  const { clock, advance } = createManualClock();
  const runs: ((finding: Result<string | null>) => void)[] = [];
  let left = true;
  const { look, stop } = watchErasure({
    path: '/nowhere',
    due: () => left,
    startCheck: () => ({
      finding: new Promise((resolve) => void runs.push(resolve)),
      cancel: () => undefined,
    }),
    notices,
    clock,
  });
  const answer = (finding: Result<string | null>): void => {
    left = !finding.ok || finding.value !== null;
    runs.at(-1)?.(finding);
  };
  return { look, stop, advance, answer, runs, ids: () => notices.all().map(({ id }) => id) };
}

it('[SES-erase] erases immediately after a session was deleted, and reports when that takes a moment', async () => {
  const { look, advance, answer, runs, ids } = watch();
  look();
  look();
  expect(runs).toHaveLength(1);
  expect(ids()).toEqual([]);
  advance(1_000);
  expect(ids()).toEqual(['erasing']);
  answer(ok(null));
  await expect.poll(ids).toEqual([]);
  expect(runs).toHaveLength(1);
});

it('[SES-erase] finishes at the start what a killed process left, reports a failure and retries after an hour', async () => {
  const { advance, answer, runs, ids, stop } = watch();
  advance(5_000);
  expect(runs).toHaveLength(1);
  answer(err(appError('HOST', 'STORAGE', 'The disk is full.')));
  await expect.poll(ids).toEqual(['not-erased']);
  advance(3_600_000);
  expect(runs).toHaveLength(2);
  answer(ok(null));
  await expect.poll(ids).toEqual([]);
  stop();
});
