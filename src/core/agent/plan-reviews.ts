import type { RecordedReview } from '../ports/agent';

/** The user's review of a plan that a run in progress waits for. */
export interface PlanReviews {
  /** Waits for the user; null when the signal aborts first. */
  readonly wait: (
    runId: string,
    record: (review: RecordedReview) => boolean,
    signal: AbortSignal,
  ) => Promise<RecordedReview | null>;
  /** Records a review and ends the wait; false when the run does not wait or cannot be saved. */
  readonly answer: (runId: string, review: RecordedReview) => boolean;
}

export function createPlanReviews(): PlanReviews {
  const open = new Map<string, (review: RecordedReview) => boolean>();
  return {
    wait: (runId, record, signal) =>
      new Promise((resolve) => {
        const end = (review: RecordedReview | null): void => {
          open.delete(runId);
          signal.removeEventListener('abort', onAbort);
          resolve(review);
        };
        const onAbort = (): void => end(null);
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        open.set(runId, (review) => {
          const recorded = record(review);
          if (recorded) end(review);
          return recorded;
        });
      }),
    answer: (runId, review) => open.get(runId)?.(review) ?? false,
  };
}
