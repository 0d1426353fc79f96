import { appError } from '#shared/app-error';
import { ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { App } from '../app';
import type { Terminal } from './output';
import { reportDamage } from './report-damage';

/** A blank line is refused before a session is created for it. */
export const nothingToSend = appError('HOST', 'INVALID_INPUT', 'There is nothing to send.', {
  hint: 'Put the line in quotes.',
});

/** Opens the named session, or creates one for the current project. */
export function openSession(app: Pick<App, 'log' | 'project'>, id: string | undefined): Result<SessionState> {
  if (id === undefined) return app.log.create(app.project());
  const opened = app.log.open(id);
  if (!opened.ok) return opened;
  return opened.value.readOnly ? { ok: false, error: opened.value.readOnly } : ok(opened.value.state);
}

/** What opening a session and looking for its damage needs. */
export type OpenParts = Pick<App, 'log' | 'project' | 'sessionScans'>;

/**
 * Like `openSession`; says on standard error when a part of the named session cannot be read. A long one is
 * scanned while the command works, because a scan takes seconds and a new line follows the snapshot, which is
 * intact; a command whose work depends on single earlier events waits for `sessionScans.finished()`.
 */
export function openNamedSession(
  app: OpenParts,
  terminal: Pick<Terminal, 'log'>,
  id: string | undefined,
): Result<SessionState> {
  const opened = openSession(app, id);
  if (!opened.ok) return opened;
  const { id: sessionId, gaps } = opened.value;
  if (gaps?.length) reportDamage(app, terminal, app.log.check(sessionId));
  else if (app.log.unscanned(sessionId))
    app.sessionScans.scan(sessionId, (found) => reportDamage(app, terminal, found));
  return opened;
}
