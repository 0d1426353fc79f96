import type { Notice } from '#shared/notice';
import type { SessionState } from '#shared/session-state';
import type { Clock } from '../ports/clock';
import type { WorkspaceFolder, WorkspaceFolders } from '../ports/workspace-files';
import type { SessionLog } from '../session/session-log';
import { newestSnapshot } from './decide';
import type { Snapshots } from './snapshots';
import type { WorkspaceReader } from './sync-workspace';

export interface SuggestSyncDeps {
  readonly log: Pick<SessionLog, 'peek' | 'subscribe'>;
  readonly folders: Pick<WorkspaceFolders, 'open'>;
  readonly snapshots: Pick<Snapshots, 'builtIn' | 'files'>;
  readonly reader: Pick<WorkspaceReader, 'differs'>;
  /**
   * Notifies the listener of any change in these folders, excluding subfolders. Returns the function that
   * stops watching.
   */
  readonly watch: (folders: readonly string[], listener: () => void) => () => void;
  readonly clock: Pick<Clock, 'after'>;
  readonly raise: (notice: Notice) => void;
  readonly withdraw: (id: string) => void;
}

/** Suggests a sync when files change; never starts one (P3 §6). */
export type SyncSuggestions = ReturnType<typeof createSyncSuggestions>;

/** Programs write several files at once; one suggestion covers all of them. */
const debounceMs = 400;
/** Maximum watched folders; a sync finds changes in the others. */
const maxFolders = 64;

const noticeId = 'workspace-files-changed';
const suggestion = (root: string): Notice => ({
  id: noticeId,
  level: 'info',
  title: "The workspace's files changed",
  detail: `${root} has changed since the last sync.`,
  hint: 'Sync to see what changed. Changes take effect only after you apply them.',
});

/** The watched folder, and the snapshot it is compared with. */
interface Target {
  readonly folder: WorkspaceFolder;
  readonly hash: string;
}

const sameTarget = (a: Target | null, b: Target | null): boolean =>
  a?.hash === b?.hash && a?.folder.root === b?.folder.root;

function targetOf({ folders, snapshots }: SuggestSyncDeps, state: SessionState): Target | null {
  const { workspace, project } = state;
  const folder = folders.open(workspace.binding.workspace, project);
  if (!folder.ok) return null;
  return { folder: folder.value, hash: newestSnapshot(workspace)?.hash ?? snapshots.builtIn.hash };
}

/** The folders that contain the files of a snapshot. A file elsewhere counts once a watched file names it. */
function foldersOf({ snapshots }: SuggestSyncDeps, { folder, hash }: Target): readonly string[] {
  const files = snapshots.files(hash);
  const below = files.ok ? [...files.value.keys()].map((path) => path.split('/').slice(0, -1).join('/')) : [];
  const all = new Set([
    folder.root,
    ...below.map((each) => (each === '' ? folder.root : `${folder.root}/${each}`)),
  ]);
  return [...all].slice(0, maxFolders);
}

/** Creates the suggestions over a log; watches nothing until it follows a session. */
export function createSyncSuggestions(deps: SuggestSyncDeps) {
  const { log, reader, watch, clock, raise, withdraw } = deps;
  let followed: string | null = null;
  let target: Target | null = null;
  let stopWatching: () => void = () => undefined;
  let cancelCompare: () => void = () => undefined;

  const compare = async (watched: Target): Promise<void> => {
    const differs = await reader.differs(watched.folder, watched.hash);
    if (target !== watched) return;
    if (differs) raise(suggestion(watched.folder.root));
    else withdraw(noticeId);
  };
  const onFilesChanged = (watched: Target): void => {
    cancelCompare();
    cancelCompare = clock.after(debounceMs, () => void compare(watched));
  };
  const watchTarget = (next: Target | null): void => {
    if (sameTarget(target, next)) return;
    cancelCompare();
    stopWatching();
    withdraw(noticeId);
    target = next;
    stopWatching = next ? watch(foldersOf(deps, next), () => onFilesChanged(next)) : () => undefined;
  };
  const updateTarget = (): void => {
    const found = followed === null ? null : log.peek(followed);
    watchTarget(found?.ok ? targetOf(deps, found.value) : null);
  };
  const unsubscribe = log.subscribe((events, id) => {
    const about = events.some(({ type }) => type === 'snapshot-applied' || type.startsWith('workspace-'));
    if (id === followed && (about || target === null)) updateTarget();
  });
  return {
    /** Watches the workspace of the session on the screen, and no other. */
    follow(sessionId: string | null): void {
      if (sessionId === followed && target) return;
      followed = sessionId;
      updateTarget();
    },
    close(): void {
      unsubscribe();
      watchTarget(null);
    },
  };
}
