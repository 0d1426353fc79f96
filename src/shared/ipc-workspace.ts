import { z } from 'zod';
import { call } from './ipc-call';
import type { SentStepView } from './sent-step';
import { SnapshotHash, WorkspaceName } from './workspace';
import { WorkspaceCall, type WorkspaceView } from './workspace-call';

/** Calls about the agent workspace; the user makes each change. */
export const workspaceCalls = {
  /**
   * Executes a call and returns the workspace after it; without a session, that of the project
   * where new sessions begin.
   */
  'workspace-call': call<WorkspaceView>()(WorkspaceCall),
  /**
   * Lets the user choose a folder and allows it under a name; null when the user chose
   * none. Reads nothing from it.
   */
  'workspace-allow': call<{ readonly folder: string } | null>()(z.object({ name: WorkspaceName })),
  /**
   * Lets the user choose an empty folder, writes a starter workspace into it and allows it under a name; null
   * when the user chose none.
   */
  'workspace-create': call<{ readonly folder: string } | null>()(z.object({ name: WorkspaceName })),
  /** Exactly what each model call of a turn was sent before the conversation. */
  'turn-steps': call<readonly SentStepView[]>()(
    z.object({ sessionId: z.string().min(1).max(64), turn: z.number().int().nonnegative() }),
  ),
  /** An image that was or would be sent, from its snapshot. */
  'snapshot-image': call<{ readonly dataUrl: string }>()(
    z.object({ snapshot: SnapshotHash, path: z.string().min(1).max(256), sha256: SnapshotHash }),
  ),
} as const;
