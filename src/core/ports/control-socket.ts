import type { ControlEndpointOwner, ControlReply } from '#shared/control-message';
import type { Result } from '#shared/result';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';

/** A call that a running app handled, and its result. */
export interface ControlAnswer {
  readonly by: ControlEndpointOwner;
  readonly result: Result<WorkspaceView>;
}

/** Lets other processes of the same user send calls to the running apps of one home folder. */
export interface ControlSocket {
  /** Starts listening and returns a stop function. HOST/STORAGE when no socket can be created. */
  readonly serve: (
    answer: (call: WorkspaceCall) => Promise<ControlReply>,
  ) => Promise<Result<() => Promise<void>>>;
  /**
   * Asks the running apps one after another until one handles the call; null when none
   * runs or none is concerned.
   */
  readonly ask: (call: WorkspaceCall) => Promise<ControlAnswer | null>;
}
