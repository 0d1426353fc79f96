/** A set of listeners; `add` returns a function that unsubscribes. */
export function createListeners<A extends readonly unknown[]>() {
  const listeners = new Set<(...about: A) => void>();
  return {
    notify: (...about: A): void => {
      for (const listener of listeners) listener(...about);
    },
    add(listener: (...about: A) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
