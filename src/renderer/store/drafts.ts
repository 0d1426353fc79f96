/** Persistent storage for drafts; the browser's `Storage` satisfies it. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export interface DraftDeps {
  readonly storage: DraftStorage;
  /** Calls back once typing pauses; a second call replaces the first. */
  readonly defer: (callback: () => void) => void;
}

/** A folded range of a draft, from `start` up to but not including `end`, in UTF-16 units. */
export type Fold = readonly [start: number, end: number];

export interface Draft {
  /** The whole text, exactly as it will be sent. */
  readonly text: string;
  /** Sorted and non-overlapping. */
  readonly folds: readonly Fold[];
}

export interface Drafts {
  /** The draft's text, including folded parts. */
  readonly read: (key: string) => string;
  readonly folds: (key: string) => readonly Fold[];
  /** Stores a draft. Without `folds`, a text that was just taken gets its previous folds back. */
  readonly write: (key: string, text: string, folds?: readonly Fold[]) => void;
  /** The drafts with stored attachments. */
  readonly keysWithItems: () => readonly string[];
  /** What was attached to a draft, as it was last written; null when there is nothing that can be read. */
  readonly readItems: (key: string) => unknown;
  /** Stores what is attached to a draft; null: nothing. */
  readonly writeItems: (key: string, items: object | null) => void;
  /** Another window stored something under this storage key: the draft is read again when it is next needed. */
  readonly forget: (storageKey: string | null) => void;
  /** Saves pending changes; call it before the page unloads. */
  readonly flush: () => void;
}

/** The draft key of a session that does not exist yet. */
export const newSessionDraft = 'new';

/** The draft key until the window has opened its last session. */
export const startingDraft = 'starting';

/** The draft key of a session's instructions. */
export const instructionsDraft = (sessionId: string): string => `instructions.session.${sessionId}`;

const storageKey = (key: string) => `patina.draft.${key}`;
const foldsKey = (key: string) => `patina.draft-folds.${key}`;
// One key per draft: several windows share the storage, and each writes only its own drafts.
const itemsPrefix = 'patina.draft-items.';
const itemsKey = (key: string) => `${itemsPrefix}${key}`;
const empty: Draft = { text: '', folds: [] };

const isPlace = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

/** Checks by hand, so that the first paint needs no schema. */
function isFolds(value: unknown): value is readonly Fold[] {
  return (
    Array.isArray(value) &&
    value.every((fold: unknown) => Array.isArray(fold) && fold.length === 2 && fold.every(isPlace))
  );
}

/** Folds that fit the text; if the stored folds are damaged, the text is shown unfolded. */
function readFolds(stored: string | null, text: string): readonly Fold[] {
  if (stored === null) return [];
  try {
    const folds: unknown = JSON.parse(stored);
    if (!isFolds(folds)) return [];
    const inOrder = folds.every(
      ([start, end], index) => start >= (folds[index - 1]?.[1] ?? 0) && end > start,
    );
    return inOrder && (folds.at(-1)?.[1] ?? 0) <= text.length ? folds : [];
  } catch {
    return [];
  }
}

function load(storage: DraftStorage, key: string): Draft {
  const text = storage.getItem(storageKey(key)) ?? '';
  return { text, folds: readFolds(storage.getItem(foldsKey(key)), text) };
}

function save(storage: DraftStorage, key: string, { text, folds }: Draft): void {
  const put = (at: string, value: string) =>
    value === '' ? storage.removeItem(at) : storage.setItem(at, value);
  try {
    put(storageKey(key), text);
    put(foldsKey(key), folds.length === 0 ? '' : JSON.stringify(folds));
  } catch {
    // The draft exceeds the storage quota: it lives only as long as the window.
    storage.removeItem(storageKey(key));
    storage.removeItem(foldsKey(key));
  }
}

function parsed(stored: string | null): unknown {
  try {
    return JSON.parse(stored ?? 'null') as unknown;
  } catch {
    return null;
  }
}

/** Earlier versions stored the items of all drafts under one key. */
function splitItems(storage: DraftStorage): void {
  const together = 'patina.draft-items';
  const all = parsed(storage.getItem(together));
  if (all === null || typeof all !== 'object') return;
  try {
    for (const [key, items] of Object.entries(all)) storage.setItem(itemsKey(key), JSON.stringify(items));
    storage.removeItem(together);
  } catch {
    // The storage is full: the next start tries again.
  }
}

/**
 * Unsent text by session. Updates memory immediately and saves when typing pauses, so typing never waits for
 * storage.
 */
export function createDrafts({ storage, defer }: DraftDeps): Drafts {
  splitItems(storage);
  const drafts = new Map<string, Draft>();
  const unsaved = new Set<string>();
  /** The last draft that became empty, usually because it was sent; it returns if sending fails. */
  let taken = empty;

  function draftOf(key: string): Draft {
    const known = drafts.get(key) ?? load(storage, key);
    drafts.set(key, known);
    return known;
  }

  function flush(): void {
    for (const key of unsaved) save(storage, key, draftOf(key));
    unsaved.clear();
  }

  return {
    read: (key) => draftOf(key).text,
    folds: (key) => draftOf(key).folds,
    write: (key, text, folds) => {
      const before = draftOf(key);
      if (text === '' && before.text !== '') taken = before;
      drafts.set(key, { text, folds: folds ?? (text === taken.text ? taken.folds : []) });
      unsaved.add(key);
      defer(flush);
    },
    keysWithItems: () =>
      Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '')
        .filter((key) => key.startsWith(itemsPrefix))
        .map((key) => key.slice(itemsPrefix.length)),
    readItems: (key) => parsed(storage.getItem(itemsKey(key))),
    writeItems: (key, items) => {
      try {
        if (items) storage.setItem(itemsKey(key), JSON.stringify(items));
        else storage.removeItem(itemsKey(key));
      } catch {
        // Beyond the storage quota, the items live only as long as the window.
        storage.removeItem(itemsKey(key));
      }
    },
    forget: (changed) => {
      for (const key of drafts.keys())
        if (!unsaved.has(key) && (changed === storageKey(key) || changed === foldsKey(key)))
          drafts.delete(key);
    },
    flush,
  };
}
