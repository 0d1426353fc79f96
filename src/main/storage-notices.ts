import type { AppError } from '#shared/app-error';
import type { Notice } from '#shared/notice';
import type { Salvage } from './ports/session-store';

/** Tells what was lost with a damaged database, in numbers. */
export function salvageNotice({ setAside, eventsKept, rowsLost }: Salvage): Notice {
  const lost =
    rowsLost === 0 ? 'Nothing that could be counted was lost' : `${rowsLost} damaged rows could not be read`;
  return {
    id: 'database-salvaged',
    level: rowsLost === 0 ? 'warning' : 'error',
    title: 'The session database was damaged',
    detail: `${eventsKept} events were saved into a new database. ${lost}.`,
    hint: `The damaged file is kept as ${setAside}.`,
  };
}

/** Tells that a line or reply is on screen but not on disk. */
export function unsavedNotice(sessionId: string, error: AppError): Notice {
  return {
    id: `unsaved-${sessionId}`,
    level: 'error',
    title: 'This session cannot be saved right now',
    detail: error.message,
    hint: error.hint ?? 'Free some disk space or close the other program, then send again.',
  };
}
