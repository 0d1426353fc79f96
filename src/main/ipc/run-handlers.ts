import type { IpcHandlers } from '#shared/ipc';
import type { App } from '../app';

type RunCalls = 'approval-answer' | 'approval-edit' | 'run-pause' | 'run-again' | 'write-settle';

/** What the window does with a run. */
export function createRunHandlers({ runs, editApproval }: App): Pick<IpcHandlers, RunCalls> {
  return {
    'approval-answer': ({ answers, ...place }) => runs.answer(place, answers),
    'approval-edit': ({ edit }) => editApproval(edit),
    'run-pause': ({ paused, ...place }) => runs.pause(place, paused),
    'run-again': ({ sessionId, turn, from }) =>
      runs.again({ sessionId, turn, ...(from !== undefined && { from }) }),
    'write-settle': ({ callId, happened, ...place }) => runs.settleWrite(place, callId, happened),
  };
}
