import type { AppError } from '#shared/app-error';
import type { Notice } from '#shared/notice';
import type { ReadOnlyStore, Salvage } from '../../core/ports/session-store';

/** Reports the loss from a damaged database, in numbers. */
export function salvageNotice({ quarantined, eventsSaved, rowsLost }: Salvage): Notice {
  if (eventsSaved === 0) {
    return {
      id: 'database-salvaged',
      level: 'error',
      title: 'The session database was damaged or empty',
      detail: 'No event could be recovered from it; Patina starts with a new database.',
      hint: `The damaged file is kept as ${quarantined}. Restore sessions from the daily copies with “patina session copies” and “patina session restore”.`,
    };
  }
  const lost = rowsLost === 0 ? 'No loss was found' : `${rowsLost} damaged rows could not be read`;
  return {
    id: 'database-salvaged',
    level: rowsLost === 0 ? 'warning' : 'error',
    title: 'The session database was damaged',
    detail: `${eventsSaved} events were recovered into a new database. ${lost}.`,
    hint: `The damaged file is kept as ${quarantined}.`,
  };
}

/** Reports that a line or reply is on screen but not on disk. */
export function unsavedNotice(sessionId: string, error: AppError): Notice {
  return {
    id: `unsaved-${sessionId}`,
    level: 'error',
    title: 'This session cannot be saved right now',
    detail: error.message,
    hint: error.hint ?? 'Free some disk space or close the other program, then send again.',
  };
}

/** Shown while every page of the sessions file is checked in the background. */
export const checkingNotice: Notice = {
  id: 'database-check',
  level: 'info',
  title: 'Checking your sessions…',
  detail: 'You can continue to use Patina.',
  effect: 'busy',
};

/** Shown while every event of a long session is checked in the background after it was opened. */
export const scanningNotice: Notice = {
  id: 'session-scan',
  level: 'info',
  title: 'Checking a long session for damage…',
  detail: 'You can continue to use Patina.',
  effect: 'busy',
};

/** Reports that the file is damaged; `problem` is SQLite's own message. */
export function damageFoundNotice(problem: string): Notice {
  return {
    id: 'database-damaged',
    level: 'error',
    title: 'The session database is damaged',
    detail: `A check of every page found: ${problem}.`,
    hint: 'Restart Patina: it keeps the damaged file and saves its readable part into a new one.',
    effect: 'restart',
  };
}

export const readOnlyNoticeId = 'home-read-only';

/** Reports that the sessions are read-only; stays until they can be written again. */
export function readOnlyNotice(home: string, { reason, hint }: ReadOnlyStore): Notice {
  return {
    id: readOnlyNoticeId,
    level: 'warning',
    title: 'Your sessions are read-only',
    detail: `${reason} Nothing can be sent or changed. Patina's folder is ${home}.`,
    hint,
    effect: 'sending-off',
  };
}

/** Reports that today's copy failed; the older ones remain. */
export const copyRefusedNotice = (reason: string): Notice => ({
  id: 'copy-refused',
  level: 'warning',
  title: 'No copy of your sessions was made today',
  detail: `The copy failed because ${reason}. The copies of earlier days are kept.`,
  hint: 'Repair damaged sessions with “patina session repair”, or free some disk space.',
});

/** Shown while the remaining data of a deleted session is erased from the file in the background. */
export const erasingNotice: Notice = {
  id: 'erasing',
  level: 'info',
  title: 'Erasing a deleted session…',
  detail: 'You can continue to use Patina.',
  effect: 'busy',
};

/** Reports that a deleted session is hidden but not erased yet. */
export const notErasedNotice = (reason: string): Notice => ({
  id: 'not-erased',
  level: 'warning',
  title: 'A deleted session is not erased yet',
  detail: `It is hidden, but parts of it are still in the sessions file or its copies: ${reason}.`,
  hint: 'Patina tries again within an hour and at the next start.',
});

/** The id of the notice about a session's unreadable events. */
export const gapsNoticeId = (sessionId: string): string => `gaps-${sessionId}`;

interface Gaps {
  readonly title: string;
  readonly events: number;
  /** Whether a repair can restore any of the events. */
  readonly repairable: boolean;
  /** Whether the conversation shows where they are missing; otherwise events were replaced. */
  readonly placed: boolean;
}

function repairHint(sessionId: string, { repairable, placed }: Gaps): string {
  if (!repairable)
    return 'No daily copy contains them, so they cannot be repaired. You can continue the conversation.';
  return placed
    ? 'Choose “Repair from a copy” at that place in the conversation to restore them from the daily copies.'
    : `Close Patina and run “patina session repair ${sessionId}” to restore them from the daily copies.`;
}

/** Reports that an opened session has unreadable events. */
export const gapsNotice = (sessionId: string, gaps: Gaps): Notice => ({
  id: gapsNoticeId(sessionId),
  level: 'warning',
  title: `A part of “${gaps.title || 'New session'}” cannot be read`,
  detail: `${gaps.events === 1 ? '1 event is' : `${gaps.events} events are`} damaged or missing; everything else is here.`,
  hint: repairHint(sessionId, gaps),
});
