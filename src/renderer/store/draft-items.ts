import { ContextItems, maxContextItems } from '#shared/context-item';
import { z } from 'zod';
import type { Drafts } from './drafts';
import type { ItemCommands } from './item-commands';
import type { SessionMirror } from './session-mirror';
import type { DraftItem, View, ViewState } from './view-state';

/** What is attached to one unsent line: items whose content is stored, and paths that were still being read. */
const StoredItems = z.object({
  items: ContextItems,
  paths: z.array(z.object({ name: z.string(), path: z.string().min(1) })).max(maxContextItems),
});
type StoredItems = z.infer<typeof StoredItems>;
const AllStored = z.record(z.string(), StoredItems);

/** An item that looks like a secret and was not confirmed is not stored. */
function storedOf(items: readonly DraftItem[]): StoredItems {
  return {
    items: items.flatMap((one) => (one.status === 'ready' ? [one.item] : [])),
    paths: items.flatMap((one) =>
      one.status === 'reading' && one.path !== undefined ? [{ name: one.name, path: one.path }] : [],
    ),
  };
}

const allStored = ({ draftItems }: Pick<ViewState, 'draftItems'>): Record<string, StoredItems> =>
  Object.fromEntries(
    Object.entries(draftItems)
      .map(([key, items]) => [key, storedOf(items)] as const)
      .filter(([, { items, paths }]) => items.length + paths.length > 0),
  );

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

function storedItems({ drafts }: Pick<ItemsApp, 'drafts'>): Record<string, StoredItems> {
  const stored = AllStored.safeParse(drafts.readItems());
  return stored.success ? stored.data : {};
}

function chosen(items: Record<string, StoredItems>, choose: (draftKey: string) => boolean) {
  return Object.fromEntries(Object.entries(items).filter(([draftKey]) => choose(draftKey)));
}

/** Takes over what is attached to the unsent lines of other windows: when such a window closes, it is here. */
export function takeItemsOfOtherWindows(
  app: Pick<ItemsApp, 'view' | 'mirror' | 'drafts' | 'commands'>,
): void {
  const { view, commands } = app;
  for (const draftKey of app.mirror.store.getState().ownWindows) {
    if (isMine(app, draftKey)) continue;
    view.set({ draftItems: { ...view.store.getState().draftItems, [draftKey]: [] } });
    commands.restoreItems(draftKey, storedItems(app)[draftKey]?.items ?? []);
  }
}

/**
 * Brings back what was attached before the window closed or its process died, reads again what was not read
 * completely, and from then on stores every change.
 */
export function persistDraftItems(app: ItemsApp): () => void {
  const { view, drafts, commands } = app;
  const mine = (draftKey: string): boolean => isMine(app, draftKey);
  for (const [key, { items, paths }] of Object.entries(chosen(storedItems(app), mine))) {
    commands.restoreItems(key, items);
    for (const { name, path } of paths) void commands.attachTo(key, { type: 'path', path }, name);
  }
  return view.store.subscribe((now, then) => {
    if (now.draftItems === then.draftItems) return;
    const others = chosen(storedItems(app), (key) => !mine(key));
    drafts.writeItems({ ...chosen(allStored(now), mine), ...others });
  });
}
