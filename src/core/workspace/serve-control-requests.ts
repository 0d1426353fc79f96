import type { ControlReply } from '#shared/control-message';
import type { WorkspaceCall } from '#shared/workspace-call';
import type { SessionLog } from '../session/session-log';
import { projectStream } from '../session/project-stream';
import type { WorkspaceController } from './workspace-controller';

type Log = Pick<SessionLog, 'state' | 'open'>;

/**
 * Whether this process writes the scope of a call. A session that is not open here is left to the caller,
 * because opening it would lock the caller out. The default of a project is taken over, because the window
 * shows it.
 */
function isOwned(log: Log, { sessionId, project = null }: WorkspaceCall): boolean {
  if (sessionId !== undefined && !log.state(sessionId)) return false;
  const opened = log.open(sessionId ?? projectStream(project));
  return opened.ok ? opened.value.readOnly === null : opened.error.code === 'NOT_FOUND';
}

/**
 * Serves calls from the user's other processes. They run here, so that open sessions see their effects at
 * once.
 */
export function serveControlRequests(
  log: Log,
  controller: WorkspaceController,
): (call: WorkspaceCall) => Promise<ControlReply> {
  return async (call) => {
    if (!isOwned(log, call)) return { type: 'not-mine' };
    const answer = await controller.call(call);
    return answer.ok ? { type: 'answered', view: answer.value } : { type: 'refused', error: answer.error };
  };
}
