import type { IpcHandlers } from '#shared/ipc';
import type { grantCalls } from '#shared/ipc-grants';
import { ok } from '#shared/result';
import type { App } from '../app';

type RunCalls =
  keyof typeof grantCalls | 'approval-answer' | 'approval-edit' | 'run-pause' | 'run-again' | 'write-settle';

/** What the window does with a run. */
export function createRunHandlers({ runs, grants, pins, editApproval }: App): Pick<IpcHandlers, RunCalls> {
  return {
    'approval-answer': ({ answers, wish, ...place }) => runs.answer(place, answers, wish),
    'grant-list': () => grants.list(),
    'tool-change': ({ uri }) => {
      const changes = pins.changes();
      return changes.ok ? ok(changes.value.find((change) => change.uri === uri) ?? null) : changes;
    },
    'tool-accept': ({ uri, hash }) => {
      const accepted = pins.accept(uri, hash);
      return accepted.ok ? ok(null) : accepted;
    },
    'tool-keep-blocked': ({ uri, hash }) => pins.keepBlocked(uri, hash),
    'grant-revoke': ({ id }) => grants.revoke([id]),
    'approval-edit': ({ edit }) => editApproval(edit),
    'run-pause': ({ paused, ...place }) => runs.pause(place, paused),
    'run-again': ({ sessionId, turn, from }) =>
      runs.again({ sessionId, turn, ...(from !== undefined && { from }) }),
    'write-settle': ({ callId, happened, ...place }) => runs.settleWrite(place, callId, happened),
  };
}
