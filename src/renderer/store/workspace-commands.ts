import type { IpcInput, IpcOutput } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SentStepView } from '#shared/sent-step';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
import type { CommandDeps } from './command-deps';

/** Commands about the agent workspace; each gives its outcome to the panel that asked. */
export interface WorkspaceCommands {
  readonly callWorkspace: (call: WorkspaceCall) => Promise<Result<WorkspaceView>>;
  /** Asks for a folder and lets it be synced under a name; null when none was chosen. */
  readonly allowWorkspace: (name: string) => Promise<Result<IpcOutput<'workspace-allow'>>>;
  /** Asks for an empty folder and has a workspace to start from written into it. */
  readonly createWorkspace: (name: string) => Promise<Result<IpcOutput<'workspace-create'>>>;
  /** An image of a snapshot, as it is kept. */
  readonly snapshotImage: (
    image: IpcInput<'snapshot-image'>,
  ) => Promise<Result<{ readonly dataUrl: string }>>;
  /** What each model call of a turn of the session on the screen was sent. */
  readonly sentSteps: (turn: number) => Promise<Result<readonly SentStepView[]>>;
}

export function createWorkspaceCommands({ bridge, view }: CommandDeps): WorkspaceCommands {
  return {
    callWorkspace: (call) => bridge.invoke('workspace-call', call),
    createWorkspace: (name) => bridge.invoke('workspace-create', { name }),
    allowWorkspace: (name) => bridge.invoke('workspace-allow', { name }),
    snapshotImage: (image) => bridge.invoke('snapshot-image', image),
    sentSteps: async (turn) => {
      const { sessionId } = view.store.getState();
      return sessionId === null ? ok([]) : bridge.invoke('turn-steps', { sessionId, turn });
    },
  };
}
