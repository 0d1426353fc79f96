import type { Notice } from '#shared/notice';
import type { SessionEvent } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import { defaultWorkspace } from '#shared/workspace';
import { projectStream } from '../session/project-stream';
import type { SessionLog } from '../session/session-log';

/** The effect of a sync's end on its notice: raise it, withdraw it, or neither. */
type SyncNotice =
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
function syncNotice(event: SessionEvent, state: SyncedState): SyncNotice {
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

export interface SyncNoticeDeps {
  readonly log: Pick<SessionLog, 'peek' | 'subscribe'>;
  readonly notices: {
    readonly raise: (notice: Notice) => void;
    readonly withdraw: (id: string) => void;
  };
}

/** Shows the user every failed sync, no matter which process requested it. */
export function raiseSyncNotices({ log, notices }: SyncNoticeDeps): void {
  log.subscribe((events, stream) => {
    for (const event of events.filter(({ type }) => type.startsWith('workspace-'))) {
      const state = log.peek(stream);
      const change = state.ok ? syncNotice(event, state.value) : null;
      if (change?.type === 'raise') notices.raise(change.notice);
      if (change?.type === 'withdraw') notices.withdraw(change.id);
    }
  });
}
