import type { IpcInput, IpcOutput } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SentStepView } from '#shared/sent-step';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
import type { CommandDeps } from './command-deps';

/** Commands for the agent workspace; each returns its outcome to the panel that called it. */
export interface WorkspaceCommands {
  readonly callWorkspace: (call: WorkspaceCall) => Promise<Result<WorkspaceView>>;
  /** Asks for a folder and allows syncing it under `name`; null when the user chooses none. */
  readonly allowWorkspace: (name: string) => Promise<Result<IpcOutput<'workspace-allow'>>>;
  /** Asks for an empty folder and writes a starter workspace into it. */
  readonly createWorkspace: (name: string) => Promise<Result<IpcOutput<'workspace-create'>>>;
  /** An image stored in a snapshot. */
  readonly snapshotImage: (
    image: IpcInput<'snapshot-image'>,
  ) => Promise<Result<{ readonly dataUrl: string }>>;
  /** The requests that each model call of a turn in the session on the screen sent. */
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
