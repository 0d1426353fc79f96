import type { Notice } from '#shared/notice';

export type Notices = ReturnType<typeof createNotices>;

/** Notices that the user has not dismissed; a notice with the same id replaces the earlier one. */
export function createNotices(initial: readonly Notice[]) {
  let open: readonly Notice[] = [...initial];
  const listeners = new Set<(notice: Notice) => void>();
  const withdrawn = new Set<(id: string) => void>();
  const without = (id: string): readonly Notice[] => open.filter((notice) => notice.id !== id);
  return {
    all: (): readonly Notice[] => open,
    raise(notice: Notice): void {
      open = [...without(notice.id), notice];
      for (const listener of listeners) listener(notice);
    },
    dismiss(id: string): void {
      open = without(id);
    },
    /** Removes a notice that no longer applies, and notifies listeners. */
    withdraw(id: string): void {
      if (!open.some((notice) => notice.id === id)) return;
      open = without(id);
      for (const listener of withdrawn) listener(id);
    },
    subscribe(listener: (notice: Notice) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onWithdrawn(listener: (id: string) => void): () => void {
      withdrawn.add(listener);
      return () => void withdrawn.delete(listener);
    },
  };
}
