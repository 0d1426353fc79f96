import { ContextItems, maxContextItems, type ContextItem } from '#shared/context-item';
import { z } from 'zod';
import type { Drafts } from './drafts';
import type { ItemCommands } from './item-commands';
import type { SessionMirror } from './session-mirror';
import type { DraftItem, View } from './view-state';

/** What is attached to one unsent line: items whose content is stored, and paths that were still being read. */
const StoredItems = z.object({
  items: ContextItems,
  paths: z.array(z.object({ name: z.string(), path: z.string().min(1) })).max(maxContextItems),
});
type StoredItems = z.infer<typeof StoredItems>;

/**
 * What to store of a draft's items, those of lines that are being sent included, if anything; an item that looks like
 * a secret and was not confirmed is not.
 */
function storedOf(draftItems: readonly DraftItem[], leaving: readonly ContextItem[]): StoredItems | null {
  const attached = draftItems.flatMap((one) => (one.status === 'ready' ? [one.item] : []));
  const items = [...leaving, ...attached].slice(0, maxContextItems);
  const paths = draftItems.flatMap((one) =>
    one.status === 'reading' && one.path !== undefined ? [{ name: one.name, path: one.path }] : [],
  );
  return items.length + paths.length > 0 ? { items, paths } : null;
}

interface ItemsApp {
  readonly view: View;
  readonly mirror: Pick<SessionMirror, 'store'>;
  readonly drafts: Drafts;
  readonly commands: Pick<ItemCommands, 'attachTo' | 'restoreItems'>;
}

/** Whether this window stores the items of a draft; a session with a window of its own is left to that window. */
function isMine({ view, mirror }: Pick<ItemsApp, 'view' | 'mirror'>, draftKey: string): boolean {
  const { ownSession } = view.store.getState();
  return ownSession === null
    ? !mirror.store.getState().ownWindows.includes(draftKey)
    : draftKey === ownSession;
}

function storedItems({ drafts }: Pick<ItemsApp, 'drafts'>, draftKey: string): StoredItems {
  const stored = StoredItems.safeParse(drafts.readItems(draftKey));
  return stored.success ? stored.data : { items: [], paths: [] };
}

/** Takes over what is attached to the unsent lines of other windows: when such a window closes, it is here. */
export function takeItemsOfOtherWindows(
  app: Pick<ItemsApp, 'view' | 'mirror' | 'drafts' | 'commands'>,
): void {
  const { view, commands } = app;
  for (const draftKey of app.mirror.store.getState().ownWindows) {
    if (isMine(app, draftKey)) continue;
    view.set({ draftItems: { ...view.store.getState().draftItems, [draftKey]: [] } });
    commands.restoreItems(draftKey, storedItems(app, draftKey).items);
  }
}

/** The keys whose values differ. */
function changedKeys<T>(
  then: Readonly<Record<string, T>>,
  now: Readonly<Record<string, T>>,
): readonly string[] {
  return Object.keys({ ...then, ...now }).filter((key) => now[key] !== then[key]);
}

/**
 * Brings back what was attached before the window closed or its process died, reads again what was not read
 * completely, and from then on stores every change.
 */
export function persistDraftItems(app: ItemsApp): () => void {
  const { view, drafts, commands } = app;
  for (const draftKey of drafts.keysWithItems().filter((key) => isMine(app, key))) {
    const { items, paths } = storedItems(app, draftKey);
    commands.restoreItems(draftKey, items);
    for (const { name, path } of paths) void commands.attachTo(draftKey, { type: 'path', path }, name);
  }
  return view.store.subscribe((now, then) => {
    if (now.draftItems === then.draftItems && now.leavingItems === then.leavingItems) return;
    const changed = [
      ...changedKeys(then.draftItems, now.draftItems),
      ...changedKeys(then.leavingItems, now.leavingItems),
    ];
    for (const draftKey of new Set(changed))
      if (isMine(app, draftKey))
        drafts.writeItems(
          draftKey,
          storedOf(now.draftItems[draftKey] ?? [], now.leavingItems[draftKey] ?? []),
        );
  });
}
