import type { ControlReply } from '#shared/control-message';
import type { WorkspaceCall } from '#shared/workspace-call';
import type { SessionLog } from '../session/session-log';
import { projectStream } from '../session/project-stream';
import type { WorkspaceController } from './workspace-controller';

type Log = Pick<SessionLog, 'state' | 'open'>;

/**
 * Whether what a call is about is written by this process. A session it does not have open is left to the asker: opening
 * it here would keep the asker from it. The default of a project is taken over, as the window shows it.
 */
function isOwned(log: Log, { sessionId, project = null }: WorkspaceCall): boolean {
  if (sessionId !== undefined && !log.state(sessionId)) return false;
  const opened = log.open(sessionId ?? projectStream(project));
  return opened.ok ? opened.value.readOnly === null : opened.error.code === 'NOT_FOUND';
}

/** Answers the calls of other processes of the user: carried out here, so that what is open here hears of it at once. */
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
