import { z } from 'zod';
import { call } from './ipc-call';
import type { SentStepView } from './sent-step';
import { SnapshotHash, WorkspaceName } from './workspace';
import { WorkspaceCall, type WorkspaceView } from './workspace-call';

/** What the window asks about the agent workspace; each change is the user's own. */
export const workspaceCalls = {
  /** Carries out a call and gives the workspace after it; without a session, that of the project new sessions begin in. */
  'workspace-call': call<WorkspaceView>()(WorkspaceCall),
  /** Asks for a folder and allows it under a name; null when none was chosen. Nothing of it is read by this. */
  'workspace-allow': call<{ readonly folder: string } | null>()(z.object({ name: WorkspaceName })),
  /** Asks for an empty folder, writes a workspace to start from into it and allows it under a name; null when none was chosen. */
  'workspace-create': call<{ readonly folder: string } | null>()(z.object({ name: WorkspaceName })),
  /** What each model call of a turn was sent before the conversation, exactly. */
  'turn-steps': call<readonly SentStepView[]>()(
    z.object({ sessionId: z.string().min(1).max(64), turn: z.number().int().nonnegative() }),
  ),
  /** An image that was sent, or would be, as its snapshot keeps it. */
  'snapshot-image': call<{ readonly dataUrl: string }>()(
    z.object({ snapshot: SnapshotHash, path: z.string().min(1).max(256), sha256: SnapshotHash }),
  ),
} as const;
