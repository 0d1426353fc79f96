import type { Result } from '#shared/result';
import type { App } from '../../app';
import type { SessionRepair } from '../../../core/ports/session-store';
import { damagedEvents } from '../../../core/session/session-reader';
import { describeError, fail, print, type ExitCode, type Terminal } from '../output';

const describe = ({ sessionId, fromUnreadable, fromCopies, damaged }: SessionRepair): string => {
  const restored = fromUnreadable + fromCopies;
  const back = restored === 0 ? 'nothing to restore' : `${restored} events restored`;
  return `${sessionId}: ${back}${damaged === 0 ? '' : `, ${damaged} still damaged: no copy contains them`}`;
};

/** Prints one document for all sessions; a session that could not be repaired appears as its error. */
function report(
  terminal: Terminal,
  ids: readonly string[],
  repairs: readonly Result<SessionRepair>[],
): ExitCode {
  const rows = repairs.map((repair, index) =>
    repair.ok ? repair.value : { sessionId: ids[index], error: repair.error },
  );
  print(terminal, { sessions: rows }, () =>
    repairs.length === 0
      ? 'No session is damaged.'
      : repairs
          .map((repair, at) =>
            repair.ok ? describe(repair.value) : `${ids[at]}: ${describeError(repair.error)}`,
          )
          .join('\n'),
  );
  return repairs.every((repair) => repair.ok && repair.value.damaged === 0) ? 0 : 1;
}

/**
 * `patina session repair [ID]`: repairs one session, or every session that is damaged or has quarantined
 * rows.
 */
export function sessionRepairCommand(app: Pick<App, 'log'>, terminal: Terminal, id?: string): ExitCode {
  if (id !== undefined) {
    const repaired = app.log.repair(id);
    return repaired.ok ? report(terminal, [id], [repaired]) : fail(terminal, repaired.error);
  }
  const all = app.log.ids();
  const aside = app.log.quarantinedSessions();
  if (!all.ok) return fail(terminal, all.error);
  const wanted = all.value.filter((each) => {
    const check = app.log.check(each);
    return (aside.ok && aside.value.includes(each)) || (check.ok && damagedEvents(check.value) > 0);
  });
  return report(
    terminal,
    wanted,
    wanted.map((each) => app.log.repair(each)),
  );
}

/** `patina session copies`: lists the daily copies, newest first. */
export function sessionCopiesCommand(app: Pick<App, 'log'>, terminal: Terminal): ExitCode {
  const copies = app.log.copies();
  if (!copies.ok) return fail(terminal, copies.error);
  print(terminal, copies.value, () =>
    copies.value.length === 0
      ? 'There is no copy yet; the window makes one per day.'
      : copies.value
          .map(({ name, bytes, sessions }) => {
            const contents = sessions === null ? 'cannot be read' : `${sessions} sessions`;
            return `${name}  ${(bytes / 1_000_000).toFixed(1)} MB  ${contents}`;
          })
          .join('\n'),
  );
  return 0;
}

/**
 * `patina session restore COPY`: restores what the copy has and the sessions file lacks, for one session or
 * all; never removes anything newer.
 */
export function sessionRestoreCommand(
  app: Pick<App, 'log'>,
  terminal: Terminal,
  copy: string,
  { session }: { readonly session?: string },
): ExitCode {
  if (session !== undefined) {
    const repaired = app.log.repair(session, copy);
    return repaired.ok ? report(terminal, [session], [repaired]) : fail(terminal, repaired.error);
  }
  const copied = app.log.copied(copy);
  if (!copied.ok) return fail(terminal, copied.error);
  const ids = copied.value.map(({ id }) => id);
  return report(
    terminal,
    ids,
    ids.map((each) => app.log.repair(each, copy)),
  );
}
