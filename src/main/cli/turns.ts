/** Serializes dialogues with the user: each one begins when the previous one has ended. */
export type InTurn = <T>(dialogue: () => Promise<T>) => Promise<T>;

/**
 * One queue for everything that reads the next line: two concurrent readers could answer each other's
 * questions.
 */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (dialogue) => {
    const mine = last.then(dialogue);
    // A failed dialogue rejects for its caller only; the next one still runs.
    last = mine.catch(() => undefined);
    return mine;
  };
}
