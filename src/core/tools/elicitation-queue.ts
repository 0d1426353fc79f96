import { appError } from '#shared/app-error';
import type { PendingElicitation, ElicitAnswer } from '#shared/elicitation';
import { elicitProblems } from '#shared/elicitation-check';
import { err, ok, type Result } from '#shared/result';
import type { Elicit } from '../ports/elicit';
import type { Ids } from '../ports/ids';

/** A window or terminal with a person who can answer. */
export interface ElicitationListener {
  readonly onAsked: (elicitation: PendingElicitation) => void;
  readonly over: (id: string) => void;
}

/** The open questions from servers to the user. An answer goes to the server and is stored nowhere. */
export interface ElicitationQueue {
  /** Declines at once when there is no listener. */
  readonly elicit: Elicit;
  /** Oldest first. */
  open(): readonly PendingElicitation[];
  /**
   * Reports every new question; returns an unsubscribe function. Open questions are cancelled when the last
   * listener leaves.
   */
  subscribe(listener: ElicitationListener): () => void;
  /**
   * HOST/STATE when the question is no longer open; HOST/INVALID_INPUT, with a reason per field, when the
   * answer does not fit.
   */
  answer(id: string, answer: ElicitAnswer): Result<null>;
  /**
   * Calls `onWaiting` for each open question of this server, and calls the function it returns when the
   * question closes; returns a stop function.
   */
  watchWaiting(server: string, onWaiting: () => () => void): () => void;
  /** Cancels all open questions. */
  close(): void;
}

interface Open {
  readonly elicitation: PendingElicitation;
  readonly complete: (answer: ElicitAnswer) => void;
}

interface Watch {
  readonly server: string;
  readonly onWaiting: () => () => void;
  readonly waits: Map<string, () => void>;
}

const closed = appError('HOST', 'STATE', 'That question is no longer open.');

function invalidAnswer(problems: Readonly<Record<string, string>>) {
  const listed = Object.entries(problems).map(([field, reason]) => ({
    file: 'answer',
    field,
    rule: 'form',
    reason,
  }));
  return appError('HOST', 'INVALID_INPUT', 'Some fields are not right yet.', { problems: listed });
}

/** Pauses the run clock of calls while their server waits for the user. */
function createWatches() {
  const watches = new Set<Watch>();
  const begin = (watch: Watch, { id, request }: PendingElicitation): void => {
    if (watch.server === request.server) watch.waits.set(id, watch.onWaiting());
  };
  const end = ({ waits }: Watch, id: string): void => {
    waits.get(id)?.();
    waits.delete(id);
  };
  return {
    began: (elicitation: PendingElicitation) => watches.forEach((watch) => begin(watch, elicitation)),
    ended: (id: string) => watches.forEach((watch) => end(watch, id)),
    add: (server: string, onWaiting: () => () => void): (() => void) => {
      const watch: Watch = { server, onWaiting, waits: new Map() };
      watches.add(watch);
      return () => {
        watches.delete(watch);
        for (const id of [...watch.waits.keys()]) end(watch, id);
      };
    },
  };
}

export function createElicitationQueue(ids: Ids): ElicitationQueue {
  const open = new Map<string, Open>();
  const listeners = new Set<ElicitationListener>();
  const watches = createWatches();
  const cancelAll = (): void => {
    for (const { complete } of [...open.values()]) complete({ action: 'cancel' });
  };
  const elicit: Elicit = (request, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve({ action: 'cancel' });
      if (listeners.size === 0) return resolve({ action: 'decline' });
      const elicitation = { id: ids.next('eli'), request: request };
      const { id } = elicitation;
      const complete = (answer: ElicitAnswer): void => {
        open.delete(id);
        signal.removeEventListener('abort', withdraw);
        watches.ended(id);
        for (const listener of listeners) listener.over(id);
        resolve(answer);
      };
      const withdraw = (): void => complete({ action: 'cancel' });
      open.set(id, { elicitation, complete });
      signal.addEventListener('abort', withdraw);
      watches.began(elicitation);
      for (const listener of listeners) listener.onAsked(elicitation);
    });
  return {
    elicit,
    open: () => [...open.values()].map(({ elicitation }) => elicitation),
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) cancelAll();
      };
    },
    answer(id, answer) {
      const question = open.get(id);
      if (!question) return err(closed);
      const { fields } = question.elicitation.request;
      const problems = answer.action === 'accept' ? elicitProblems(fields, answer.content) : {};
      if (Object.keys(problems).length > 0) return err(invalidAnswer(problems));
      question.complete(answer);
      return ok(null);
    },
    watchWaiting: watches.add,
    close: cancelAll,
  };
}
