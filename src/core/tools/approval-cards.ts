import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { FactBuffer } from './fact-buffer';

/** A question that waits for the card that will show it. */
export interface BatchedQuestion {
  /** Place of the call among those of its step. */
  readonly order: number;
  readonly request: (card: string) => SessionFact;
  readonly withdraw: () => void;
}

/** One step's part in the cards of its run. */
export interface StepCards {
  /** Starts to track a call of the step; returns a function that ends it. */
  readonly trackCall: () => () => void;
  /** Stops counting a call that waits for another call's answer; returns a function that counts it again. */
  readonly suspendCall: () => () => void;
  /**
   * Resolves once no other call of the step is being made. Most scripts fail at a refusal, and the calls that were
   * approved beside it would then never be made.
   */
  readonly deferRefusal: () => Promise<void>;
  readonly add: (question: BatchedQuestion) => void;
  readonly remove: (question: BatchedQuestion) => void;
  /** No card waits for the step any longer. */
  readonly end: () => void;
}

/** The cards of a run: the questions that wait at the same time share one card, whichever step asks them. */
export interface ApprovalCards {
  /** Begins a step; `place` orders its questions among those of the steps beside it. */
  readonly begin: (place?: number) => StepCards;
}

/** A card waits at most this many milliseconds for a slow read that runs beside its writes. */
const batchWindowMs = 400;

/** A card waits this many milliseconds more for a step that has just begun and has made no call yet. */
const startWindowMs = 3_000;

interface Step {
  running: number;
  waiting: number;
  /** Calls that wait for the answer to another call. */
  suspended: number;
  called: boolean;
  /** Release the refusals that the script has not received yet. */
  readonly deferred: (() => void)[];
}

/** All calls of the step wait for the user, so it does nothing before an answer. */
const isBlocked = ({ running, waiting, suspended }: Step): boolean =>
  waiting + suspended > 0 && waiting >= running;

function releaseIfQuiet({ running, waiting, deferred }: Step): void {
  if (running - waiting > deferred.length) return;
  for (const release of deferred.splice(0)) release();
}

export interface ApprovalCardsDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly facts: FactBuffer;
}

/** Shows a card as soon as every running step waits for the user, or after the batch window. */
export function createApprovalCards({ clock, ids, facts }: ApprovalCardsDeps): ApprovalCards {
  const steps = new Set<Step>();
  let batched: { readonly place: number; readonly question: BatchedQuestion }[] = [];
  let cancelTimer: (() => void) | null = null;
  const show = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    // The files that calls change are read at the same time, so questions arrive in any order.
    const batch = batched
      .toSorted((a, b) => a.place - b.place || a.question.order - b.question.order)
      .map(({ question }) => question);
    batched = [];
    if (batch.length === 0) return;
    const card = ids.next('card');
    if (!facts.record(batch.map(({ request }) => request(card))))
      for (const { withdraw } of batch) withdraw();
  };
  const showIfAllWait = (): void => {
    if ([...steps].every(isBlocked)) show();
  };
  const onWindowEnd = (): void => {
    if ([...steps].every(({ called }) => called)) show();
    else cancelTimer = clock.after(startWindowMs, show);
  };
  return {
    begin: (place = 0) => {
      const step: Step = { running: 0, waiting: 0, suspended: 0, called: false, deferred: [] };
      steps.add(step);
      return {
        trackCall: () => {
          step.called = true;
          step.running += 1;
          return () => {
            step.running -= 1;
            releaseIfQuiet(step);
            showIfAllWait();
          };
        },
        suspendCall: () => {
          step.running -= 1;
          step.suspended += 1;
          releaseIfQuiet(step);
          queueMicrotask(showIfAllWait);
          return () => {
            step.running += 1;
            step.suspended -= 1;
          };
        },
        deferRefusal: () =>
          new Promise((release) => {
            step.deferred.push(release);
            releaseIfQuiet(step);
          }),
        add: (question) => {
          step.called = true;
          step.waiting += 1;
          releaseIfQuiet(step);
          batched.push({ place, question });
          cancelTimer ??= clock.after(batchWindowMs, onWindowEnd);
          // Calls that the script starts in the same tick have not arrived yet.
          queueMicrotask(showIfAllWait);
        },
        remove: (question) => {
          step.waiting -= 1;
          batched = batched.filter((other) => other.question !== question);
        },
        end: () => {
          steps.delete(step);
          showIfAllWait();
        },
      };
    },
  };
}
