import { z } from 'zod';
import type { AppError, ConfigProblem } from './app-error';

/** A snapshot is named by the SHA-256 (hex) of its manifest: same bytes, same name, on every machine. */
export const SnapshotHash = z.string().regex(/^[0-9a-f]{64}$/);
export type SnapshotHash = z.infer<typeof SnapshotHash>;

/** What a binding follows: the folder as it is when a sync is asked for, or one snapshot (P3 Config Surface). */
export const VersionSelector = z.union([z.literal('latest'), SnapshotHash]);
export type VersionSelector = z.infer<typeof VersionSelector>;

export const WorkspaceName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/);
export type WorkspaceName = z.infer<typeof WorkspaceName>;

/** Which workspace a session takes its content from, and which version of it. */
export const WorkspaceBinding = z.strictObject({ workspace: WorkspaceName, version: VersionSelector });
export type WorkspaceBinding = z.infer<typeof WorkspaceBinding>;

/** When a pending snapshot is adopted (P3 Sync + Apply 4). */
export const ApplyWhen = z.enum(['next_run', 'next_step_boundary', 'immediate_if_idle']);
export type ApplyWhen = z.infer<typeof ApplyWhen>;

/** Where adoption may happen: nothing under way, a line's work begins, a model call or a node begins. */
export const ApplyBoundary = z.enum(['idle', 'run-start', 'step']);
export type ApplyBoundary = z.infer<typeof ApplyBoundary>;

/** Id of a prompt pack, a tool catalog or a context group. */
export const ContentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

/** What one line takes instead of its session's own (P3 Config Surface, run overrides). */
export const WorkspaceOverride = z.strictObject({
  promptPack: ContentId.optional(),
  toolCatalog: ContentId.optional(),
  snapshot: SnapshotHash.optional(),
});
export type WorkspaceOverride = z.infer<typeof WorkspaceOverride>;

/** What a new session takes over from its project's default state. */
export const WorkspaceInheritance = z.strictObject({
  binding: WorkspaceBinding,
  active: SnapshotHash,
  promptPack: ContentId.nullable(),
  toolCatalog: ContentId.nullable(),
});
export type WorkspaceInheritance = z.infer<typeof WorkspaceInheritance>;

/** A snapshot that was found to hold, and the binding it brings. */
export interface StagedSnapshot {
  readonly hash: SnapshotHash;
  readonly binding: WorkspaceBinding;
}

export interface AppliedSnapshot {
  readonly hash: SnapshotHash;
  readonly workspace: WorkspaceName;
  readonly at: number;
  readonly boundary: ApplyBoundary | 'start';
}

/** The last sync that was asked for. */
export interface SyncState {
  readonly requestId: string;
  readonly workspace: string;
  readonly version: VersionSelector;
  readonly status: 'syncing' | 'unchanged' | 'ready' | 'rejected';
  readonly error?: AppError;
}

/** The agent content of a session, or of a project before it has one: a fold of the workspace's facts. */
export interface WorkspaceState {
  readonly binding: WorkspaceBinding;
  /** What model calls are made from; null: what Patina brings. */
  readonly active: SnapshotHash | null;
  /** Read and found to hold, and nobody asked for it yet; at most one. */
  readonly pending: StagedSnapshot | null;
  /** Asked for, and waiting for its boundary; a later sync never touches it. */
  readonly waiting: (StagedSnapshot & { readonly when: ApplyWhen }) | null;
  readonly sync: SyncState | null;
  /** The user's choice; null: the snapshot's default. */
  readonly promptPack: string | null;
  readonly toolCatalog: string | null;
  /** Oldest first; the last is the active one. */
  readonly history: readonly AppliedSnapshot[];
}

export const defaultWorkspace: WorkspaceName = 'default';

export const initialWorkspace: WorkspaceState = {
  binding: { workspace: defaultWorkspace, version: 'latest' },
  active: null,
  pending: null,
  waiting: null,
  sync: null,
  promptPack: null,
  toolCatalog: null,
  history: [],
};

/** What a snapshot's content is about that is no reason to refuse it. */
export type WorkspaceFinding = ConfigProblem & { readonly level: 'error' | 'warning' };
