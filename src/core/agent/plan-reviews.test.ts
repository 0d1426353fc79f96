import { expect, it } from 'vitest';
import type { RecordedReview } from '../ports/agent';
import { createPlanReviews } from './plan-reviews';

const review = { type: 'run' } as unknown as RecordedReview;
const never = new AbortController().signal;

it('a review ends the wait of its run once it is saved', async () => {
  const { wait, answer } = createPlanReviews();
  const saved: RecordedReview[] = [];
  let canSave = false;
  const waiting = wait('r', (one) => (canSave ? saved.push(one) > 0 : false), never);
  expect(answer('other', review)).toBe(false);
  expect(answer('r', review)).toBe(false);
  canSave = true;
  expect(answer('r', review)).toBe(true);
  expect(await waiting).toBe(review);
  expect(saved).toEqual([review]);
  expect(answer('r', review)).toBe(false);
});

it('the end of the run ends the wait, also before it began', async () => {
  const { wait, answer } = createPlanReviews();
  const stop = new AbortController();
  const waiting = wait('r', () => true, stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
  expect(answer('r', review)).toBe(false);
  expect(await wait('r', () => true, stop.signal)).toBeNull();
  expect(answer('r', review)).toBe(false);
});
