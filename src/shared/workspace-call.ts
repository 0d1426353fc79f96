import { z } from 'zod';
import {
  ApplyWhen,
  ContentId,
  type SnapshotHash,
  VersionSelector,
  type WorkspaceFinding,
  type WorkspaceState,
} from './workspace';

/** Selects a session's workspace or, without a session, the default of a project (null: no project). */
const scope = {
  sessionId: z.string().min(1).max(200).optional(),
  project: z.string().max(4_096).nullable().optional(),
};
const op = <T extends string, S extends z.ZodRawShape>(name: T, shape: S) =>
  z.strictObject({ op: z.literal(name), ...scope, ...shape });

const HashStart = z
  .string()
  .regex(/^[0-9a-f]{8,64}$/, 'must be the hash of a version, or at least its first 8 digits');

/** All calls to the agent workspace, from the window, the command line or another process. */
export const WorkspaceCall = z.discriminatedUnion('op', [
  op('status', {}),
  op('sync', { workspace: z.string().max(64).optional(), version: VersionSelector.optional() }),
  op('apply', { when: ApplyWhen.optional() }),
  /** `null` restores the snapshot's default. */
  op('choose', { promptPack: ContentId.nullable().optional(), toolCatalog: ContentId.nullable().optional() }),
  /** `hash` may be a prefix of at least eight characters. */
  op('rollback', { hash: HashStart, when: ApplyWhen.optional() }),
  op('history', {}),
  op('diff', {
    from: HashStart.optional(),
    to: HashStart.optional(),
  }),
  /** `dryRun` only lists what would be removed. */
  op('gc', { dryRun: z.boolean().optional() }),
]);
export type WorkspaceCall = z.infer<typeof WorkspaceCall>;

export interface SnapshotDiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }[];
}

export interface SnapshotFileDiff {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Purpose of the file: a pack's template, static context, or a definition that groups content. */
  readonly kind: 'prompt' | 'context' | 'definition';
  /**
   * Empty for an image. A text too different to compare by line is one hunk: all old
   * lines, then all new ones.
   */
  readonly hunks: readonly SnapshotDiffHunk[];
}

/** A changed tool descriptor: its description and schema, by line. */
export interface DescriptorDiff {
  readonly tool: string;
  readonly hunks: readonly SnapshotDiffHunk[];
}

/** The difference between two snapshots, for display: texts by line, tools by name. */
export interface SnapshotDiff {
  readonly from: SnapshotHash | null;
  readonly to: SnapshotHash | null;
  readonly files: readonly SnapshotFileDiff[];
  readonly catalogs: readonly {
    readonly id: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** Tools with a changed description or schema. */
    readonly changed: readonly string[];
    /** One entry for each added, removed or changed descriptor. */
    readonly descriptors: readonly DescriptorDiff[];
  }[];
}

export interface SnapshotRow {
  readonly hash: SnapshotHash;
  readonly bytes: number;
  readonly at: number;
}

/** The contents of a snapshot, and the pack and catalog that are (or would be) in use. */
export interface WorkspaceContents {
  readonly hash: SnapshotHash;
  readonly legacy: boolean;
  readonly packs: readonly { readonly id: string; readonly files: readonly string[] }[];
  readonly catalogs: readonly { readonly id: string; readonly tools: readonly string[] }[];
  readonly promptPack: string | null;
  readonly toolCatalog: string;
}

/** The current agent workspace of a session, or of a project's new sessions. */
export interface WorkspaceView {
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly state: WorkspaceState;
  /** Whether a line is in progress. */
  readonly running: boolean;
  /** Names of workspaces that may be synced. */
  readonly workspaces: readonly string[];
  /** The folder that the binding refers to. */
  readonly folder: string | null;
  /** Whether this is Patina's built-in workspace; the user has no folder of their own yet. */
  readonly builtIn: boolean;
  /**
   * Whether the folder seems to have changed since it was last read; null when only reading it could tell.
   */
  readonly folderChanged: boolean | null;
  readonly contents: WorkspaceContents | null;
  /**
   * Contents of the pending snapshot, else of the one waiting for its boundary; null when nothing is staged
   * or it cannot be read.
   */
  readonly staged: WorkspaceContents | null;
  readonly findings: readonly WorkspaceFinding[];
  /**
   * The effect, in words, of each way to apply a snapshot now; `state` says whether there is one to apply.
   */
  readonly applyEffects: Readonly<Record<ApplyWhen, string>>;
  readonly snapshots: readonly SnapshotRow[];
  readonly diff?: SnapshotDiff;
  /** Snapshots that `gc` removed or, with `dryRun`, would remove. */
  readonly removed?: readonly SnapshotHash[];
}
