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

/** Like `openSession`; says on standard error when a part of the named session cannot be read. */
export function openNamedSession(
  app: Pick<App, 'log' | 'project'>,
  terminal: Pick<Terminal, 'log'>,
  id: string | undefined,
): Result<SessionState> {
  const opened = openSession(app, id);
  if (opened.ok && opened.value.gaps?.length) reportDamage(app, terminal, app.log.check(opened.value.id));
  return opened;
}
