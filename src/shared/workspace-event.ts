import { z } from 'zod';
import { AppError } from './app-error';
import { SentImage } from './prompt-image';
import {
  ApplyBoundary,
  ApplyWhen,
  SnapshotHash,
  VersionSelector,
  WorkspaceBinding,
  WorkspaceName,
} from './workspace';

const requestId = z.string();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** A block of a system message, by the SHA-256 of its text. */
export const SentBlock = z.object({ source: z.string(), hash: SnapshotHash });
export type SentBlock = z.infer<typeof SentBlock>;

/** The workspace content that a step used. */
export const StepContent = z.object({
  snapshot: SnapshotHash,
  promptPack: z.string().nullable(),
  toolCatalog: z.string().nullable(),
});
export type StepContent = z.infer<typeof StepContent>;

/** Facts of the agent workspace (P3 §6). */
export const workspaceFacts = [
  about('workspace-sync-requested', {
    requestId,
    workspace: z.string(),
    version: VersionSelector,
    known: SnapshotHash.nullable(),
  }),
  about('workspace-sync-unchanged', { requestId, hash: SnapshotHash }),
  about('workspace-snapshot-ready', { requestId, hash: SnapshotHash, binding: WorkspaceBinding }),
  about('workspace-snapshot-rejected', { requestId, error: AppError }),
  about('workspace-apply-requested', { hash: SnapshotHash, when: ApplyWhen }),
  about('snapshot-applied', { hash: SnapshotHash, binding: WorkspaceBinding, boundary: ApplyBoundary }),
  about('workspace-content-chosen', {
    workspace: WorkspaceName,
    promptPack: z.string().nullable(),
    toolCatalog: z.string().nullable(),
  }),
  /** A model call began. `texts` contains the blocks that no earlier step of the session was sent. */
  about('model-step-started', {
    turn: z.number().int().nonnegative(),
    part: z.enum(['reply', 'plan', 'repair', 'replan', 'recipe', 'answer', 'node']),
    ...StepContent.shape,
    blocks: z.array(SentBlock),
    texts: z.record(SnapshotHash, z.string()),
    /** Images sent with the static context; their bytes are in the snapshot, which is retained for this. */
    images: z.array(SentImage).optional(),
    tools: z.array(z.string()),
    /** The plan's node that makes the call. */
    node: z.string().optional(),
  }),
] as const;
