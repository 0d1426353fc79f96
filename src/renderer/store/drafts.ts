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

/** A text that is on its way; if the window ends before, it is in its draft at the next start. */
export interface SendingText {
  readonly sent: () => void;
  /** Puts the text before what was typed since, in its draft or in the one that this draft has become. */
  readonly refused: (key: string) => void;
}

export interface Drafts {
  /** The draft's text, including folded parts. */
  readonly read: (key: string) => string;
  readonly folds: (key: string) => readonly Fold[];
  /** Stores a draft. Without `folds`, a text that was just taken gets its previous folds back. */
  readonly write: (key: string, text: string, folds?: readonly Fold[]) => void;
  /** Puts a text before a draft. */
  readonly prepend: (key: string, text: string) => void;
  /** Stores a text that was just taken from a draft, until it is sent or returns to the draft. */
  readonly sending: (key: string, text: string) => SendingText;
  /** The drafts with stored attachments. */
  readonly keysWithItems: () => readonly string[];
  /** What was attached to a draft, as it was last written; null when there is nothing that can be read. */
  readonly readItems: (key: string) => unknown;
  /** Stores what is attached to a draft; null: nothing. */
  readonly writeItems: (key: string, items: object | null) => void;
  /** The ids of the waiting lines of a session whose edit was not saved. */
  readonly editedLines: (sessionId: string) => readonly string[];
  /** The cards with typed text: of a session, or of servers. */
  readonly typedCards: (owner: string) => readonly string[];
  /** Deletes the unsent edits of a session, also those of its cards. */
  readonly dropEdits: (sessionId: string) => void;
  /** Another window stored something under this storage key: the draft is read again when it is next needed. */
  readonly forget: (storageKey: string | null) => void;
  /** Saves pending changes; call it before the page unloads. */
  readonly flush: () => void;
}

/** The draft key of a session that does not exist yet. */
export const newSessionDraft = 'new';

/** The draft key until the window has opened its last session. */
export const startingDraft = 'starting';

/** The draft key of an edit that was not sent: of a turn's line by its number, of a waiting line by its id. */
export const editDraft = (sessionId: string, line: number | string): string => `edit.${sessionId}.${line}`;

/** The draft key of what was typed into a card: of a session by its id, or of a server's question. */
export const cardDraft = (owner: string, card: string): string => `card.${owner}.${card}`;

/** What the user can type into or choose on the cards of a session, by name. */
export const draftCards = {
  choices: (approvalId: string) => `choices.${approvalId}`,
  instead: (approvalId: string) => `instead.${approvalId}`,
  arguments: (approvalId: string) => `arguments.${approvalId}`,
  plan: (runId: string, planHash: string) => `plan.${runId}.${planHash}`,
  inputs: (workflowRunId: string) => `inputs.${workflowRunId}`,
} as const;

/** Owns the questions of servers, which belong to no session. */
export const serverQuestions = 'servers';

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

/** One draft before another, with a blank line between them. */
function joined(first: Draft, second: Draft): Draft {
  if (first.text === '' || second.text === '') return first.text === '' ? second : first;
  const text = `${first.text}\n\n`;
  const moved = second.folds.map(([start, end]): Fold => [start + text.length, end + text.length]);
  return { text: text + second.text, folds: [...first.folds, ...moved] };
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
  /** The texts that are being sent, by the draft that each was taken from. */
  const leaving = new Map<string, readonly Draft[]>();
  /** The last draft that became empty, usually because it was sent; it returns if sending fails. */
  let taken = empty;

  function draftOf(key: string): Draft {
    const known = drafts.get(key) ?? load(storage, key);
    drafts.set(key, known);
    return known;
  }

  function put(key: string, draft: Draft): void {
    drafts.set(key, draft);
    unsaved.add(key);
    defer(flush);
  }

  function flush(): void {
    for (const key of unsaved)
      save(
        storage,
        key,
        [...(leaving.get(key) ?? []), draftOf(key)].reduceRight((after, before) => joined(before, after)),
      );
    unsaved.clear();
  }

  const takenAs = (text: string): Draft => ({ text, folds: text === taken.text ? taken.folds : [] });
  const prepend = (key: string, draft: Draft) => put(key, joined(draft, draftOf(key)));

  function sending(key: string, text: string): SendingText {
    const draft = takenAs(text);
    leaving.set(key, [...(leaving.get(key) ?? []), draft]);
    const leave = () => {
      leaving.set(key, leaving.get(key)?.filter((other) => other !== draft) ?? []);
      put(key, draftOf(key));
    };
    put(key, draftOf(key));
    return {
      sent: leave,
      refused: (now) => {
        leave();
        prepend(now, draft);
      },
    };
  }

  const storedKeys = (prefix: string): readonly string[] =>
    Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '')
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
  const keysWith = (prefix: string): readonly string[] =>
    [...new Set([...drafts.keys(), ...storedKeys(storageKey(''))])].filter((key) => key.startsWith(prefix));
  /** What follows the prefix in the keys of drafts that are not empty. */
  const typedWith = (prefix: string): readonly string[] =>
    keysWith(prefix).flatMap((key) => (draftOf(key).text === '' ? [] : [key.slice(prefix.length)]));

  return {
    read: (key) => draftOf(key).text,
    folds: (key) => draftOf(key).folds,
    write: (key, text, folds) => {
      const before = draftOf(key);
      if (text === '' && before.text !== '') taken = before;
      put(key, { text, folds: folds ?? takenAs(text).folds });
    },
    prepend: (key, text) => prepend(key, takenAs(text)),
    sending,
    keysWithItems: () => storedKeys(itemsPrefix),
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
    editedLines: (sessionId) => typedWith(editDraft(sessionId, '')).filter((line) => !/^\d+$/.test(line)),
    typedCards: (owner) => typedWith(cardDraft(owner, '')),
    dropEdits: (sessionId) =>
      [editDraft(sessionId, ''), cardDraft(sessionId, '')]
        .flatMap(keysWith)
        .forEach((key) => put(key, empty)),
    forget: (changed) => {
      for (const key of drafts.keys())
        if (!unsaved.has(key) && (changed === storageKey(key) || changed === foldsKey(key)))
          drafts.delete(key);
    },
    flush,
  };
}
