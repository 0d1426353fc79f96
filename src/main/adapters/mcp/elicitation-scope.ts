import type { Elicit } from '../../../core/ports/elicit';

/** Called when the server starts to wait for the user; returns a function that ends the wait. */
export type OnElicitation = () => () => void;

/** The pending calls of one server, and its permission to ask the user while there are any. */
export interface ElicitationScope {
  readonly elicit: Elicit | undefined;
  /** Makes a call; `onAsked` is called for each question that is open during the call. */
  readonly duringCall: <T>(onAsked: OnElicitation, call: () => Promise<T>) => Promise<T>;
}

/**
 * A server asks on behalf of a call, but the protocol does not always say which one. Therefore its questions
 * end with its last call, a question without any call is cancelled before anyone sees it, and the timers of
 * all its calls pause while a question is open.
 */
export function createElicitationScope(elicit: Elicit | undefined): ElicitationScope {
  const underWay = new Set<OnElicitation>();
  /** For each open question, the functions that end the wait of its calls. */
  const questions = new Set<(() => void)[]>();
  let noneLeft = new AbortController();
  const ask = async (elicitOf: Elicit, elicitation: Parameters<Elicit>[0], signal: AbortSignal) => {
    const waits = [...underWay].map((onAsked) => onAsked());
    questions.add(waits);
    try {
      return await elicitOf(elicitation, AbortSignal.any([signal, noneLeft.signal]));
    } finally {
      questions.delete(waits);
      for (const over of waits) over();
    }
  };
  return {
    elicit:
      elicit &&
      ((...params) => (underWay.size === 0 ? Promise.resolve({ action: 'cancel' }) : ask(elicit, ...params))),
    async duringCall(onAsked, call) {
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
