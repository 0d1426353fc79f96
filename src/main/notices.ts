import type { Notice } from '#shared/notice';

export interface Notices {
  all(): readonly Notice[];
  raise(notice: Notice): void;
  dismiss(id: string): void;
  subscribe(listener: (notice: Notice) => void): () => void;
}

/** What the user must know and has not put away; the same id replaces what it said before. */
export function createNotices(initial: readonly Notice[]): Notices {
  let open = [...initial];
  const listeners = new Set<(notice: Notice) => void>();
  return {
    all: () => open,
    raise(notice) {
      open = [...open.filter((other) => other.id !== notice.id), notice];
      for (const listener of listeners) listener(notice);
    },
    dismiss(id) {
      open = open.filter((notice) => notice.id !== id);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
