/** Lets what asks the person take turns: a dialogue begins when the one before it is over. */
export type InTurn = <T>(dialogue: () => Promise<T>) => Promise<T>;

/** One queue for everything that reads the next line: two that waited for it at once could answer each other's question. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (dialogue) => {
    const mine = last.then(dialogue);
    // One that fails fails its caller; the next is asked all the same.
    last = mine.catch(() => undefined);
    return mine;
  };
}
