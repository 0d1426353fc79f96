import { ContextItems, maxContextItems } from '#shared/context-item';
import { z } from 'zod';
import type { Drafts } from './drafts';
import type { ItemCommands } from './item-commands';
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

/**
 * Brings back what was attached before the window closed or its process died, reads again what was not read
 * completely, and from then on stores every change.
 */
export function persistDraftItems({
  view,
  drafts,
  commands,
}: {
  readonly view: View;
  readonly drafts: Drafts;
  readonly commands: Pick<ItemCommands, 'attachTo' | 'restoreItems'>;
}): () => void {
  const before = AllStored.safeParse(drafts.readItems());
  for (const [key, { items, paths }] of Object.entries(before.success ? before.data : {})) {
    commands.restoreItems(key, items);
    for (const { name, path } of paths) void commands.attachTo(key, { type: 'path', path }, name);
  }
  return view.store.subscribe((now, then) => {
    if (now.draftItems !== then.draftItems) drafts.writeItems(allStored(now));
  });
}
