import type { ControlEndpointOwner, ControlReply } from '#shared/control-message';
import type { Result } from '#shared/result';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';

/** A call that a running app took, and how it went there. */
export interface ControlAnswer {
  readonly by: ControlEndpointOwner;
  readonly result: Result<WorkspaceView>;
}

/** How the running apps of one user and one home folder are asked for something by other processes of that user. */
export interface ControlSocket {
  /** Listens from now on; gives the way to stop. HOST/STORAGE when no place to listen can be made. */
  readonly serve: (
    answer: (call: WorkspaceCall) => Promise<ControlReply>,
  ) => Promise<Result<() => Promise<void>>>;
  /** Asks the running apps, one after another, until one takes the call; null: none runs, or none that this is about. */
  readonly ask: (call: WorkspaceCall) => Promise<ControlAnswer | null>;
}
