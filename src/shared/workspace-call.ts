import { z } from 'zod';
import {
  ApplyWhen,
  ContentId,
  type SnapshotHash,
  VersionSelector,
  type WorkspaceFinding,
  type WorkspaceState,
} from './workspace';

/** Whose workspace: a session's, or without one the default of a project (null: no project). */
const scope = {
  sessionId: z.string().min(1).max(200).optional(),
  project: z.string().max(4_096).nullable().optional(),
};
const op = <T extends string, S extends z.ZodRawShape>(name: T, shape: S) =>
  z.strictObject({ op: z.literal(name), ...scope, ...shape });

const HashStart = z
  .string()
  .regex(/^[0-9a-f]{8,64}$/, 'must be the hash of a snapshot, or at least its first 8 digits');

/** Everything that can be asked of the agent workspace, from the window, the command line or another process. */
export const WorkspaceCall = z.discriminatedUnion('op', [
  op('status', {}),
  op('sync', { workspace: z.string().max(64).optional(), version: VersionSelector.optional() }),
  op('apply', { when: ApplyWhen.optional() }),
  /** `null` goes back to the snapshot's own default. */
  op('choose', { promptPack: ContentId.nullable().optional(), toolCatalog: ContentId.nullable().optional() }),
  /** `hash` may be the first characters of one, at least eight. */
  op('rollback', { hash: HashStart, when: ApplyWhen.optional() }),
  op('history', {}),
  op('diff', {
    from: HashStart.optional(),
    to: HashStart.optional(),
  }),
  /** `dryRun` only names what would be removed. */
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
  /** What the file is for: a pack's template, static context, or what says what belongs together. */
  readonly kind: 'prompt' | 'context' | 'definition';
  /** None for an image. A text too different to compare by line is one hunk: all of the old one, then all of the new one. */
  readonly hunks: readonly SnapshotDiffHunk[];
}

/** A tool whose descriptor is another one now: its words and its schema, by line. */
export interface DescriptorDiff {
  readonly tool: string;
  readonly hunks: readonly SnapshotDiffHunk[];
}

/** What differs between two snapshots, for people: texts by line, tools by name. */
export interface SnapshotDiff {
  readonly from: SnapshotHash | null;
  readonly to: SnapshotHash | null;
  readonly files: readonly SnapshotFileDiff[];
  readonly catalogs: readonly {
    readonly id: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    /** Described in other words, or with another schema. */
    readonly changed: readonly string[];
    /** One for each descriptor that was added, removed or changed. */
    readonly descriptors: readonly DescriptorDiff[];
  }[];
}

export interface SnapshotRow {
  readonly hash: SnapshotHash;
  readonly bytes: number;
  readonly at: number;
}

/** What a snapshot offers, and what of it is (or would be) in use. */
export interface WorkspaceContents {
  readonly hash: SnapshotHash;
  readonly legacy: boolean;
  readonly packs: readonly { readonly id: string; readonly files: readonly string[] }[];
  readonly catalogs: readonly { readonly id: string; readonly tools: readonly string[] }[];
  readonly promptPack: string | null;
  readonly toolCatalog: string;
}

/** The agent workspace of a session, or of a project's new sessions, as it stands. */
export interface WorkspaceView {
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly state: WorkspaceState;
  /** Whether a line is being worked on. */
  readonly running: boolean;
  /** The names that may be synced. */
  readonly workspaces: readonly string[];
  /** The folder the binding stands for. */
  readonly folder: string | null;
  /** Whether that is the workspace Patina brings: there is no folder of one's own yet. */
  readonly builtIn: boolean;
  /** Whether the folder looks other than what was last read; null: not known without reading it. */
  readonly folderChanged: boolean | null;
  readonly contents: WorkspaceContents | null;
  /** The same of what is pending, else of what waits for its boundary; null when nothing is staged or it cannot be read. */
  readonly staged: WorkspaceContents | null;
  readonly findings: readonly WorkspaceFinding[];
  /** What each way to apply a snapshot would do now, in words; whether there is one says `state`. */
  readonly applyEffects: Readonly<Record<ApplyWhen, string>>;
  readonly snapshots: readonly SnapshotRow[];
  readonly diff?: SnapshotDiff;
  /** What `gc` removed, or with `dryRun` would remove. */
  readonly removed?: readonly SnapshotHash[];
}
