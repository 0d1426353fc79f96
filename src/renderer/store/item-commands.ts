import type { AttachOption, AttachSource, ContextItem, ItemContent } from '#shared/context-item';
import { maxAttachedFileBytes, maxContextItems } from '#shared/context-item';
import { appError, type AppError } from '#shared/app-error';
import { visibleControls } from '#shared/direction-controls';
import { err, ok, type Result } from '#shared/result';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import { newSessionDraft } from './drafts';
import type { DraftItem, View, ViewState } from './view-state';

/** Commands for what the user attaches to the next line. */
export interface ItemCommands {
  /** Adds an item to the next line; a failure is shown at once. */
  readonly attach: (source: AttachSource, name: string) => Promise<void>;
  /** The same for the draft of another session. */
  readonly attachTo: (draftKey: string, source: AttachSource, name: string) => Promise<void>;
  /** Adds items to a draft whose content is stored already. */
  readonly restoreItems: (draftKey: string, items: readonly ContextItem[]) => void;
  /** Adds files that the user dropped, pasted or chose. */
  readonly attachFiles: (files: readonly File[]) => Promise<void>;
  /** Adds an item that looks like a secret. */
  readonly confirmItem: (key: number) => Promise<void>;
  readonly removeItem: (key: number) => void;
  readonly attachOptions: (text: string) => Promise<Result<readonly AttachOption[]>>;
  readonly readItem: (hash: string) => Promise<Result<ItemContent>>;
}

const draftKeyOf = ({ store }: View): string => store.getState().sessionId ?? newSessionDraft;

function changeItems(
  { store }: View,
  draftKey: string,
  change: (items: readonly DraftItem[]) => readonly DraftItem[],
): void {
  store.setState(({ draftItems }) => ({
    draftItems: { ...draftItems, [draftKey]: change(draftItems[draftKey] ?? []) },
  }));
}

/** Reads in progress with the draft they are for; a line waits for those of its draft before it is sent. */
const reading = new Map<Promise<void>, string>();

/** Items that were taken from a draft, to be sent. */
interface TakenItems {
  readonly items: readonly ContextItem[];
  /** They were sent, or are in a draft again. */
  readonly left: () => void;
}

/**
 * Takes the items of a draft, after those that are still being read. What looks like a secret and was not confirmed
 * stays. `draftKey` is asked again then, because the draft of a new session moves once the session exists.
 */
export async function takeItems(view: View, draftKey: () => string): Promise<TakenItems> {
  const before = draftKey();
  await Promise.all([...reading].filter(([, key]) => key === before).map(([read]) => read));
  const key = draftKey();
  const items = view.store.getState().draftItems[key] ?? [];
  const ready = items.flatMap((one) => (one.status === 'ready' ? [one.item] : []));
  const changeLeaving =
    (change: (leaving: readonly ContextItem[]) => readonly ContextItem[]) =>
    ({ leavingItems }: ViewState) => ({
      leavingItems: { ...leavingItems, [key]: change(leavingItems[key] ?? []) },
    });
  if (ready.length > 0)
    view.store.setState((state) => ({
      ...changeLeaving((leaving) => [...leaving, ...ready])(state),
      draftItems: {
        ...state.draftItems,
        [key]: (state.draftItems[key] ?? []).filter(({ status }) => status !== 'ready'),
      },
    }));
  return {
    items: ready,
    left: () => view.store.setState(changeLeaving((all) => all.filter((item) => !ready.includes(item)))),
  };
}

/** Moves the items of a draft, also those that are being read, to another draft. */
export function moveItems(view: View, from: string, to: string): void {
  const moved = view.store.getState().draftItems[from] ?? [];
  for (const [read, key] of reading) if (key === from) reading.set(read, to);
  if (moved.length === 0) return;
  changeItems(view, from, () => []);
  changeItems(view, to, (items) => [...items, ...moved]);
}

let lastKey = 0;

/** Puts items into the draft of a session. */
export function putItems(view: View, draftKey: string, items: readonly ContextItem[]): void {
  const known = view.store.getState().draftItems[draftKey] ?? [];
  const isThere = (item: ContextItem) =>
    known.some((one) => one.status === 'ready' && isSame(one.item, item));
  const back = items.flatMap((item): readonly DraftItem[] => {
    if (isThere(item)) return [];
    lastKey += 1;
    return [{ key: lastKey, name: item.ref, status: 'ready', item }];
  });
  if (back.length > 0) changeItems(view, draftKey, (all) => [...back, ...all]);
}

const fileSize = (file: File) =>
  text('items.tooLarge', { name: visibleControls(file.name), max: maxAttachedFileBytes / 1e6 });

/** Whether two items have the same content under the same name, so that one of them is enough. */
const isSame = (a: ContextItem, b: ContextItem): boolean =>
  a.kind === b.kind && a.ref === b.ref && a.hash === b.hash;

/** One error for all; each says something else, and a hint stays if it applies to all. */
function joinedError(errors: readonly AppError[]): AppError | undefined {
  const [first, ...others] = errors;
  if (!first || others.length === 0) return first;
  const message = [...new Set(errors.map((each) => each.message))].join(' ');
  const { hint, ...rest } = first;
  const applies = hint !== undefined && others.every((each) => each.hint === hint);
  return { ...rest, message, ...(applies && { hint }) };
}

export function createItemCommands({ bridge, view }: CommandDeps): ItemCommands {
  const refused = (message: string) =>
    appError('HOST', 'INVALID_INPUT', message, { hint: text('items.part') });
  /** Reports in one card what could not be attached. */
  const report = (...errors: readonly (AppError | null)[]): void => {
    const error = joinedError(errors.filter((each) => each !== null));
    if (error) view.fail(text('items.failed'), error);
  };

  /** Reads an item and shows what became of it in its chip; returns why it could not be read. */
  const read = async (
    draft: DraftItem,
    source: AttachSource,
    confirmed: boolean,
    draftKey: string,
  ): Promise<AppError | null> => {
    /** The draft that holds the item now: that of a new session moves once the session exists. */
    const draftNow = () =>
      Object.entries(view.store.getState().draftItems).find(([, items]) =>
        items.some(({ key }) => key === draft.key),
      )?.[0] ?? draftKey;
    const replace = (next: DraftItem | null) =>
      changeItems(view, draftNow(), (items) =>
        items.flatMap((one) => (one.key === draft.key ? (next ?? []) : one)),
      );
    const attached = await bridge.invoke('item-attach', {
      source,
      ...(confirmed && { confirmed }),
      ...(draftKey !== newSessionDraft && { sessionId: draftKey }),
    });
    if (!attached.ok) {
      replace(null);
      return attached.error;
    }
    const { key } = draft;
    const { value } = attached;
    if (value.type === 'looks-secret') {
      replace({ key, name: value.ref, status: 'asks', why: value.why, source });
      view.announce(text('items.secret', { name: visibleControls(value.ref) }));
      return null;
    }
    const { item } = value;
    const known = view.store.getState().draftItems[draftNow()] ?? [];
    const twice = known.some((one) => one.status === 'ready' && isSame(one.item, item));
    replace(twice ? null : { key, name: item.ref, status: 'ready', item });
    view.announce(text('items.attached', { name: visibleControls(value.item.ref) }));
    return null;
  };
  const track = (draftKey: string, work: Promise<void>): Promise<void> => {
    reading.set(work, draftKey);
    return work.finally(() => reading.delete(work));
  };
  const start = async (draftKey: string, source: AttachSource, name: string): Promise<AppError | null> => {
    const known = view.store.getState().draftItems[draftKey] ?? [];
    if (known.length >= maxContextItems) return refused(text('items.tooMany', { max: maxContextItems }));
    lastKey += 1;
    const path = source.type === 'path' ? source.path : undefined;
    const draft: DraftItem = {
      key: lastKey,
      name,
      status: 'reading',
      ...(path !== undefined && { path }),
    };
    changeItems(view, draftKey, (items) => [...items, draft]);
    return read(draft, source, false, draftKey);
  };
  const attachTo: ItemCommands['attachTo'] = (draftKey, source, name) =>
    track(draftKey, start(draftKey, source, name).then(report));
  const attach: ItemCommands['attach'] = (source, name) => attachTo(draftKeyOf(view), source, name);
  const sourceOf = async (file: File): Promise<Result<AttachSource>> => {
    const path = bridge.pathOf(file);
    if (path !== '') return ok({ type: 'path', path });
    if (file.size > maxAttachedFileBytes) return err(refused(fileSize(file)));
    const bytes = new Uint8Array(await file.arrayBuffer());
    return ok({ type: 'content', name: file.name === '' ? text('items.pasted') : file.name, bytes });
  };
  return {
    attach,
    attachTo,
    restoreItems: (draftKey, items) => putItems(view, draftKey, items),
    attachFiles: async (files) => {
      const draftKey = draftKeyOf(view);
      const attaching = files.map(async (file) => {
        const source = await sourceOf(file);
        return source.ok ? start(draftKey, source.value, file.name) : source.error;
      });
      await track(
        draftKey,
        Promise.all(attaching).then((errors) => report(...errors)),
      );
    },
    confirmItem: async (key) => {
      const draftKey = draftKeyOf(view);
      const draft = view.store.getState().draftItems[draftKey]?.find((one) => one.key === key);
      if (draft?.status === 'asks')
        await track(draftKey, read(draft, draft.source, true, draftKey).then(report));
    },
    removeItem: (key) =>
      changeItems(view, draftKeyOf(view), (items) => items.filter((one) => one.key !== key)),
    attachOptions: (query) => {
      const { sessionId } = view.store.getState();
      return bridge.invoke('item-options', { text: query, ...(sessionId !== null && { sessionId }) });
    },
    readItem: (hash) => bridge.invoke('item-read', { hash }),
  };
}
