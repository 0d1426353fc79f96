import type { SessionFact } from './session-event';

/** What the session list shows of a session beside its title. */
export interface SessionMarks {
  /** The user keeps it above the others. */
  readonly pinned: boolean;
  /** Work ended in it that the user has not seen, or they marked it so. */
  readonly unread: boolean;
  /** Its last reply or run failed; one that ended because the user declined a write did not. */
  readonly failed: boolean;
}

export const noMarks: SessionMarks = { pinned: false, unread: false, failed: false };

const failures: ReadonlySet<string> = new Set(['failed', 'interrupted']);

/** The marks after one more fact; the same object where it changes none. */
export function marksAfter(marks: SessionMarks, fact: SessionFact): SessionMarks {
  switch (fact.type) {
    case 'session-marked':
      return { ...marks, pinned: fact.pinned ?? marks.pinned, unread: fact.unread ?? marks.unread };
    case 'message-sent':
      return marks.failed ? { ...marks, failed: false } : marks;
    case 'reply-ended':
    case 'run-ended':
      return { ...marks, failed: failures.has(fact.outcome) && fact.error?.code !== 'APPROVAL_DENIED' };
    case 'run-interrupted':
      return { ...marks, failed: true };
    default:
      return marks;
  }
}

const quiet: ReadonlySet<SessionFact['type']> = new Set([
  'session-renamed',
  'session-archived',
  'session-restored',
  'session-marked',
]);

/** When a session was last used: tidying the list moves no session within it. */
export const usedAt = (before: number, event: { readonly type: SessionFact['type']; readonly at: number }) =>
  quiet.has(event.type) ? before : event.at;
