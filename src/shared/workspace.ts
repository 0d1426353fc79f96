import { z } from 'zod';
import type { AppError, ConfigProblem } from './app-error';

/**
 * A snapshot's name is the SHA-256 (hex) of its manifest: the same bytes have the same name on every machine.
 */
export const SnapshotHash = z.string().regex(/^[0-9a-f]{64}$/);
export type SnapshotHash = z.infer<typeof SnapshotHash>;

/**
 * The version that a binding follows: the folder's content at each sync, or one fixed
 * snapshot (P3 §7).
 */
export const VersionSelector = z.union([z.literal('latest'), SnapshotHash]);
export type VersionSelector = z.infer<typeof VersionSelector>;

export const WorkspaceName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/);
export type WorkspaceName = z.infer<typeof WorkspaceName>;

/** The workspace and version that a session takes its content from. */
export const WorkspaceBinding = z.strictObject({ workspace: WorkspaceName, version: VersionSelector });
export type WorkspaceBinding = z.infer<typeof WorkspaceBinding>;

/** When a pending snapshot is applied (P3 §6). */
export const ApplyWhen = z.enum(['next_run', 'next_step_boundary', 'immediate_if_idle']);
export type ApplyWhen = z.infer<typeof ApplyWhen>;

/**
 * Where a snapshot may be applied: while idle, before a line's work begins, or before a model call or a node.
 */
export const ApplyBoundary = z.enum(['idle', 'run-start', 'step']);
export type ApplyBoundary = z.infer<typeof ApplyBoundary>;

/** Id of a prompt pack, a tool catalog or a context group. */
export const ContentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

/** Per-line overrides of the session's content (P3 §7). */
export const WorkspaceOverride = z.strictObject({
  promptPack: ContentId.optional(),
  toolCatalog: ContentId.optional(),
  snapshot: SnapshotHash.optional(),
});
export type WorkspaceOverride = z.infer<typeof WorkspaceOverride>;

/** What a new session inherits from its project's default state. */
export const WorkspaceInheritance = z.strictObject({
  binding: WorkspaceBinding,
  active: SnapshotHash,
  promptPack: ContentId.nullable(),
  toolCatalog: ContentId.nullable(),
});
export type WorkspaceInheritance = z.infer<typeof WorkspaceInheritance>;

/** A validated snapshot, and the binding it brings. */
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

/** The last requested sync. */
export interface SyncState {
  readonly requestId: string;
  readonly workspace: string;
  readonly version: VersionSelector;
  readonly status: 'syncing' | 'unchanged' | 'ready' | 'rejected';
  readonly error?: AppError;
}

/**
 * The agent content of a session, or of a project before its first session: a fold of the workspace facts.
 */
export interface WorkspaceState {
  readonly binding: WorkspaceBinding;
  /** The snapshot that model calls use; null means Patina's built-in content. */
  readonly active: SnapshotHash | null;
  /** A validated snapshot that nobody has asked to apply yet; at most one. */
  readonly pending: StagedSnapshot | null;
  /** A requested snapshot that waits for its boundary; a later sync never changes it. */
  readonly waiting: (StagedSnapshot & { readonly when: ApplyWhen }) | null;
  readonly sync: SyncState | null;
  /** The user's choice; null means the snapshot's default. */
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

/** A problem in a snapshot's content that does not make Patina reject it. */
export type WorkspaceFinding = ConfigProblem & { readonly level: 'error' | 'warning' };
