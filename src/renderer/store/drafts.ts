/** Where drafts outlive the page; `Storage` of the browser fits. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface DraftDeps {
  readonly storage: DraftStorage;
  /** Calls back once typing has paused; a second call replaces the first. */
  readonly later: (callback: () => void) => void;
}

export interface Drafts {
  readonly read: (key: string) => string;
  readonly write: (key: string, text: string) => void;
  /** Saves what has not been saved yet (the page is about to go). */
  readonly flush: () => void;
}

/** The draft of a session that does not exist yet. */
export const newSessionDraft = 'new';

const storageKey = (key: string) => `patina.draft.${key}`;

/** Text typed and not sent, by session. Kept in memory at once and saved when typing pauses, so typing never waits. */
export function createDrafts({ storage, later }: DraftDeps): Drafts {
  const texts = new Map<string, string>();
  const unsaved = new Set<string>();

  function save(key: string): void {
    const text = texts.get(key) ?? '';
    try {
      if (text === '') storage.removeItem(storageKey(key));
      else storage.setItem(storageKey(key), text);
    } catch {
      // Over the storage's quota: a draft of many megabytes lives as long as the window does.
      storage.removeItem(storageKey(key));
    }
  }

  function flush(): void {
    for (const key of unsaved) save(key);
    unsaved.clear();
  }

  return {
    read: (key) => texts.get(key) ?? storage.getItem(storageKey(key)) ?? '',
    write: (key, text) => {
      texts.set(key, text);
      unsaved.add(key);
      later(flush);
    },
    flush,
  };
}
