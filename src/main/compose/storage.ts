import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { artifactFolderOf, createArtifactFolder } from '../adapters/artifacts/artifact-folder';
import { createDdrFolder } from '../adapters/ddrs/ddr-folder';
import { createItemFolder, type ItemFolder } from '../adapters/items/item-folder';
import { copyDue } from '../adapters/storage/session-copies';
import { createOutboxFolder } from '../adapters/outbox/outbox-folder';
import { createSqliteSessionStore, type HomeStore } from '../adapters/storage/sqlite-session-store';
import { processAlive } from '../adapters/system/process-alive';
import { createSavedContents } from '../adapters/undo/saved-contents';
import { createUndoFiles } from '../adapters/undo/undo-files';
import { createWorkflowFolder } from '../adapters/workflows/workflow-folder';
import type { CoreDeps } from './core-deps';
import type { StoredWorkspace } from './workspace';
import { holderName } from '../adapters/process-host';
import { readOnlyNotice, readOnlyNoticeId, salvageNotice } from '../notices/storage-notices';
import type { LabelledArtifactStore } from '../../core/ports/sandbox';
import { createDdrs, type DdrsDeps } from '../../core/ddrs/create-ddrs';
import { createSessionLog, type SessionLog } from '../../core/session/session-log';
import { canonicalHash } from '../../core/tools/canonical-hash';
import { createGrantRegistry, type GrantRegistry } from '../../core/tools/grant-registry';
import { createToolPins, type ToolPins } from '../../core/tools/pins';
import { createWorkflowRegistry } from '../../core/workflows/registry';
import { watchErasure } from '../lifecycle/watch-erasure';
import { watchCopies } from '../lifecycle/watch-copies';
import { watchSoundness } from '../diagnostics/watch-soundness';
import { createSessionScans } from '../diagnostics/session-scans';

export const sessionsFile = (home: string): string => join(home, 'sessions.db');

/** Opens the sessions database of this home folder. */
function createStore({ host, clock, notices }: CoreDeps): HomeStore {
  return createSqliteSessionStore({
    path: sessionsFile(host.home),
    clock,
    holder: holderName(host),
    pid: process.pid,
    processAlive,
    onSalvage: (salvage) => notices.raise(salvageNotice(salvage)),
    onReadOnly: (readOnly) =>
      readOnly ? notices.raise(readOnlyNotice(host.home, readOnly)) : notices.withdraw(readOnlyNoticeId),
  });
}

interface StoreWatch {
  /** Erases the remaining data of a session that was just deleted. */
  erase(): void;
  stop(): void;
}

/**
 * Checks every page of the sessions file when a check is due while the app runs; the command line checks only
 * in `doctor`.
 */
function watchStore({ host, clock, notices }: CoreDeps, store: HomeStore): StoreWatch {
  if (host.kind !== 'app') return { erase: () => undefined, stop: () => undefined };
  const { soundness } = store;
  const { startDatabaseCheck: startCheck } = host;
  const path = sessionsFile(host.home);
  const stopChecks = watchSoundness({ path, soundness, startCheck, notices, clock });
  const due = (): boolean => copyDue(path, clock.now());
  const stopCopies = watchCopies({ path, due, startCheck, notices, clock });
  const erasure = watchErasure({ path, due: store.erasureDue, startCheck, notices, clock });
  return {
    erase: erasure.look,
    stop() {
      stopChecks();
      stopCopies();
      erasure.stop();
    },
  };
}

/**
 * Erases deleted sessions from the sessions file now, for the command line. Returns why some remain, or null.
 */
export async function eraseNow({ host }: CoreDeps, store: HomeStore): Promise<Result<string | null>> {
  if (host.kind === 'app' || !store.erasureDue()) return ok(null);
  return host.startDatabaseCheck(sessionsFile(host.home), 'erase').finding;
}

/** Saves everything of the home to one file, and prepares such a file for the next start. */
export function createBackup({ host }: CoreDeps) {
  const path = sessionsFile(host.home);
  return {
    /** Errors: HOST/STORAGE; HOST/INVALID_INPUT with the files whose names no backup can contain. */
    async make(archive: string): Promise<Result<null>> {
      const made = await host.startDatabaseCheck(path, 'backup', archive).finding;
      if (!made.ok) return err(backupError(archive, made.error.message));
      if (made.value === null) return ok(null);
      const hint = `Rename these files in ${host.home}, or move them to another folder, and save the backup again.`;
      return err(appError('HOST', 'INVALID_INPUT', `No backup was saved: ${made.value}.`, { hint }));
    },
    /** Errors: HOST/INVALID_INPUT with what is wrong with the file; nothing has changed then. */
    async prepareRestore(archive: string): Promise<Result<null>> {
      const prepared = await host.startDatabaseCheck(path, 'stage-restore', archive).finding;
      if (!prepared.ok) return err(backupError(archive, prepared.error.message));
      if (prepared.value === null) return ok(null);
      const hint = 'Nothing was changed. Choose a file that patina backup wrote.';
      const message = `${archive} cannot be restored: ${prepared.value}.`;
      return err(appError('HOST', 'INVALID_INPUT', message, { hint }));
    },
  };
}

const backupError = (archive: string, reason: string): AppError =>
  appError('HOST', 'STORAGE', `${archive}: ${reason}`, {
    hint: 'Check the folder and the free space on the disk.',
  });

/** Checks every page of the sessions file now and stores the result for the next start. */
export async function checkStore({ host }: CoreDeps, store: HomeStore): Promise<Result<string | null>> {
  const checked = await host.startDatabaseCheck(sessionsFile(host.home)).finding;
  if (checked.ok) store.soundness.checked(checked.value);
  return checked;
}

/** Composes the user's lasting decisions: saved permissions, and the tool definitions they refer to. */
function composeStanding(
  { ids, clock }: CoreDeps,
  store: HomeStore,
): { readonly pins: ToolPins; readonly grants: GrantRegistry } {
  const pins = createToolPins(store.pins);
  return {
    pins,
    grants: createGrantRegistry({ store: store.grants, ids, clock, definitionOf: pins.hashOf }),
  };
}

/** Stores the contents of context items. */
const createItems = ({ host, clock }: CoreDeps): ItemFolder =>
  createItemFolder({ folder: join(host.home, 'items'), now: clock.now });

/** After the first paint. */
const sweepItemsMs = 20_000;

/** Removes contents that nothing names any more, once while the app runs; returns a function that stops it. */
function sweepItems({ host, clock }: CoreDeps, items: ItemFolder, log: Pick<SessionLog, 'ids'>): () => void {
  if (host.kind !== 'app') return () => undefined;
  return clock.after(sweepItemsMs, () => {
    const ids = log.ids();
    if (ids.ok) items.sweep(ids.value);
  });
}

const waitForLock = (): Promise<void> => sleep(20);

/** Stores design records in `PATINA_HOME/ddrs`, over those that ship with Patina. */
function createDdrStore({ host, clock }: CoreDeps) {
  return createDdrFolder({
    folder: join(host.home, 'ddrs'),
    seeds: join(host.seeds, 'ddrs'),
    pid: process.pid,
    processAlive,
    now: clock.now,
    wait: waitForLock,
  });
}

/** Stores workflows in `PATINA_HOME/workflows`, over those of Patina and the packs. */
function createWorkflowStore({ host, clock, seeds }: CoreDeps) {
  return createWorkflowFolder({
    folder: join(host.home, 'workflows'),
    bundled: seeds.workflows,
    hash: canonicalHash,
    pid: process.pid,
    processAlive,
    now: clock.now,
    wait: waitForLock,
  });
}

/** The artifacts of a project folder. */
export const artifactsOf =
  ({ host }: Pick<CoreDeps, 'host'>) =>
  (project: string): LabelledArtifactStore =>
    createArtifactFolder(artifactFolderOf(project, host.env));

/** What the home folder stores, besides the workspace: sessions, design records, workflows, items, permissions. */
export type Storage = ReturnType<typeof composeStorage>;

/** Opens everything that the home folder stores. */
export function composeStorage(
  coreDeps: CoreDeps,
  stored: StoredWorkspace,
  user: Pick<DdrsDeps, 'userName' | 'localTime'>,
) {
  const { host, ids, clock } = coreDeps;
  const ddrs = createDdrs({ store: createDdrStore(coreDeps), ...user });
  const workflowStore = createWorkflowStore(coreDeps);
  const onDdrChange = ddrs.items.onChange ?? (() => () => undefined);
  const registry = createWorkflowRegistry({ store: workflowStore, ddr: ddrs.read, onDdrChange });
  const store = createStore(coreDeps);
  const watch = watchStore(coreDeps, store);
  const items = createItems(coreDeps);
  const log = createSessionLog({
    store,
    ids,
    workflows: registry.lockVersions,
    inherit: stored.inherit,
    items,
  });
  log.onRemoved(items.release);
  log.onRemoved(watch.erase);
  const stopItemSweep = sweepItems(coreDeps, items, log);
  const { startDatabaseCheck: startCheck } = host;
  const path = sessionsFile(host.home);
  const sessionScans = createSessionScans({ path, log, startCheck, clock, notices: coreDeps.notices });
  return {
    ddrs,
    workflowStore,
    registry,
    store,
    items,
    log,
    sessionScans,
    ...composeStanding(coreDeps, store),
    artifacts: artifactsOf(coreDeps),
    undoFiles: createUndoFiles(createSavedContents(join(host.home, 'undo'), clock.now)),
    outbox: createOutboxFolder({ folder: join(host.home, 'outbox'), now: clock.now }),
    /** Stops the checks in the background; the log closes last, after its writers. */
    stopWatching() {
      stopItemSweep();
      sessionScans.stop();
      watch.stop();
    },
  };
}
