import type { Elicit } from '../../../core/ports/elicit';

/** Is called when the server begins to wait for the user, and gives how to say that the wait is over. */
export type OnElicitation = () => () => void;

/** The calls that are with one server, and its leave to ask the user while there are any. */
export interface ElicitationScope {
  readonly elicit: Elicit | undefined;
  /** Makes a call; `onAsked` hears of each question that is open meanwhile. */
  readonly during: <T>(onAsked: OnElicitation, call: () => Promise<T>) => Promise<T>;
}

/**
 * A server asks on behalf of a call, and the protocol does not always say which: its questions end with its last call,
 * one that comes without any call is cancelled unseen, and the time of all its calls stands still while one is open.
 */
export function createElicitationScope(elicit: Elicit | undefined): ElicitationScope {
  const underWay = new Set<OnElicitation>();
  /** Of each open question, how to say to the calls that their wait is over. */
  const questions = new Set<(() => void)[]>();
  let noneLeft = new AbortController();
  const ask = async (elicitOf: Elicit, asked: Parameters<Elicit>[0], signal: AbortSignal) => {
    const waits = [...underWay].map((onAsked) => onAsked());
    questions.add(waits);
    try {
      return await elicitOf(asked, AbortSignal.any([signal, noneLeft.signal]));
    } finally {
      questions.delete(waits);
      for (const over of waits) over();
    }
  };
  return {
    elicit:
      elicit &&
      ((...asked) => (underWay.size === 0 ? Promise.resolve({ action: 'cancel' }) : ask(elicit, ...asked))),
    async during(onAsked, call) {
      underWay.add(onAsked);
      for (const waits of questions) waits.push(onAsked());
      try {
        return await call();
      } finally {
        underWay.delete(onAsked);
        if (underWay.size === 0) {
          noneLeft.abort();
          noneLeft = new AbortController();
        }
      }
    },
  };
}
