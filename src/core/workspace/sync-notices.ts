import type { Notice } from '#shared/notice';
import type { SessionEvent } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import { defaultWorkspace } from '#shared/workspace';
import { projectStream } from '../session/project-stream';

/** The effect of a sync's end on its notice: raise it, withdraw it, or neither. */
export type SyncNotice =
  | { readonly type: 'raise'; readonly notice: Notice }
  | { readonly type: 'withdraw'; readonly id: string }
  | null;

/** One notice per folder, because several sessions may sync it and find the same problem. */
function idOf({ project, workspace: { sync, binding } }: SyncedState): string {
  const name = sync?.workspace ?? binding.workspace;
  return `workspace-sync-${name === defaultWorkspace ? projectStream(project) : name}`;
}

type SyncedState = Pick<SessionState, 'project' | 'workspace'>;

/**
 * A failed sync is never silent (P3 §9). The next successful sync of the same folder withdraws the
 * notice, whichever session requested it. `state` is that of the stream after the event. Pure.
 */
export function syncNotice(event: SessionEvent, state: SyncedState): SyncNotice {
  if (event.type === 'workspace-snapshot-rejected') {
    const { message, hint } = event.error;
    const notice: Notice = {
      id: idOf(state),
      level: 'error',
      detail: message,
      title: 'The workspace could not be synced',
      hint: hint ?? 'What was active stays active. Sync again when this is mended.',
    };
    return { type: 'raise', notice };
  }
  const good = event.type === 'workspace-snapshot-ready' || event.type === 'workspace-sync-unchanged';
  return good ? { type: 'withdraw', id: idOf(state) } : null;
}
