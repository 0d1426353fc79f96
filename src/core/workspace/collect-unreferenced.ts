import { ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { SnapshotStore } from '../ports/snapshot-store';
import type { SessionLog } from '../session/session-log';

/** The snapshots that a session may still need, including those that contain the images it sent. */
function referenced({ workspace, imageSnapshots = [] }: SessionState): readonly string[] {
  const { active, pending, waiting, history } = workspace;
  const hashes = [
    active,
    pending?.hash,
    waiting?.hash,
    ...history.map(({ hash }) => hash),
    ...imageSnapshots,
  ];
  return hashes.flatMap((hash) => hash ?? []);
}

/**
 * Removes the stored snapshots that no session and no project refers to, and returns their hashes; a dry run
 * only returns the hashes. A session that cannot be read stops the collection before anything is removed,
 * because its references are unknown.
 */
export function collectUnreferenced(
  log: Pick<SessionLog, 'ids' | 'peek'>,
  store: Pick<SnapshotStore, 'list' | 'remove'>,
  { builtIn, dryRun }: { readonly builtIn: string; readonly dryRun: boolean },
): Result<readonly string[]> {
  const ids = log.ids();
  if (!ids.ok) return ids;
  const used = new Set([builtIn]);
  for (const id of ids.value) {
    const state = log.peek(id);
    if (!state.ok) return state;
    for (const hash of referenced(state.value)) used.add(hash);
  }
  const stored = store.list();
  if (!stored.ok) return stored;
  const unused = stored.value.map(({ hash }) => hash).filter((hash) => !used.has(hash));
  for (const hash of dryRun ? [] : unused) {
    const removed = store.remove(hash);
    if (!removed.ok) return removed;
  }
  return ok(unused);
}
