import type { Notice } from '#shared/notice';

export interface Notices {
  all(): readonly Notice[];
  raise(notice: Notice): void;
  dismiss(id: string): void;
  /** Removes a notice that no longer applies, and notifies listeners. */
  withdraw(id: string): void;
  subscribe(listener: (notice: Notice) => void): () => void;
  onWithdrawn(listener: (id: string) => void): () => void;
}

/** Notices that the user has not dismissed; a notice with the same id replaces the earlier one. */
export function createNotices(initial: readonly Notice[]): Notices {
  let open: readonly Notice[] = [...initial];
  const listeners = new Set<(notice: Notice) => void>();
  const withdrawn = new Set<(id: string) => void>();
  const without = (id: string): readonly Notice[] => open.filter((notice) => notice.id !== id);
  return {
    all: () => open,
    raise(notice) {
      open = [...without(notice.id), notice];
      for (const listener of listeners) listener(notice);
    },
    dismiss(id) {
      open = without(id);
    },
    withdraw(id) {
      if (!open.some((notice) => notice.id === id)) return;
      open = without(id);
      for (const listener of withdrawn) listener(id);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onWithdrawn(listener) {
      withdrawn.add(listener);
      return () => void withdrawn.delete(listener);
    },
  };
}
