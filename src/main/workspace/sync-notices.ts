import type { Notice } from '#shared/notice';
import type { SessionEvent } from '#shared/session-event';

/** What a sync's end means for the notice about it: raised, withdrawn, or none of both. */
export type SyncNotice =
  | { readonly type: 'raise'; readonly notice: Notice }
  | { readonly type: 'withdraw'; readonly id: string }
  | null;

const idOf = (stream: string): string => `workspace-sync-${stream}`;

/** A failed sync is never silent (P3 Security 5); the next good one takes its notice away. Pure. */
export function syncNotice(event: SessionEvent, stream: string): SyncNotice {
  if (event.type === 'workspace-snapshot-rejected') {
    const { message, hint } = event.error;
    const notice: Notice = {
      ...{ id: idOf(stream), level: 'error', detail: message },
      title: 'The workspace could not be synced',
      hint: hint ?? 'What was active stays active. Sync again when this is mended.',
    };
    return { type: 'raise', notice };
  }
  const good = event.type === 'workspace-snapshot-ready' || event.type === 'workspace-sync-unchanged';
  return good ? { type: 'withdraw', id: idOf(stream) } : null;
}
