import type { Elicit } from '../../ports/elicit';

/** The calls that are with one server, and its leave to ask the user while there are any. */
export interface AskingCalls {
  readonly elicit: Elicit | undefined;
  readonly during: <T>(call: () => Promise<T>) => Promise<T>;
}

/**
 * A server asks on behalf of a call, and the protocol does not always say which: its questions end with its last call,
 * and one that comes without any call is cancelled unseen.
 */
export function createAskingCalls(elicit: Elicit | undefined): AskingCalls {
  let underWay = 0;
  let noneLeft = new AbortController();
  return {
    elicit:
      elicit &&
      ((asked, signal) =>
        underWay === 0
          ? Promise.resolve({ action: 'cancel' })
          : elicit(asked, AbortSignal.any([signal, noneLeft.signal]))),
    async during(call) {
      underWay += 1;
      try {
        return await call();
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          noneLeft.abort();
          noneLeft = new AbortController();
        }
      }
    },
  };
}
