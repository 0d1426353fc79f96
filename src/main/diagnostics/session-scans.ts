import { appError } from '#shared/app-error';
import { parseJson } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../../core/ports/clock';
import { SessionDamage, type RunningCheck, type StartDatabaseCheck } from '../../core/ports/database-check';
import type { SessionCheck } from '../../core/ports/session-store';
import { damagedEvents } from '../../core/session/session-reader';
import type { SessionLog } from '../../core/session/session-log';
import type { Notices } from '../notices/notices';
import { gapsNotice, gapsNoticeId, scanningNotice } from '../notices/storage-notices';

export interface SessionScansDeps {
  readonly path: string;
  readonly log: Pick<SessionLog, 'restorable' | 'state' | 'takeGaps' | 'unscanned'>;
  readonly startCheck: StartDatabaseCheck;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** The window has loaded the session by then. */
const firstLookMs = 1_000;
/** A scan that ends sooner is not announced. */
const worthSayingMs = 2_000;

/** What the check process found; null when nothing is damaged. */
function damageIn(finding: Result<string | null>): Result<SessionDamage | null> {
  if (!finding.ok) return finding;
  if (finding.value === null) return ok(null);
  const value = parseJson(finding.value);
  return value.ok ? ok(SessionDamage.parse(value.value)) : err(appError('HOST', 'STORAGE', value.error));
}

/**
 * Looks for damage in sessions that are too long to be read when they are opened: every event, in a separate
 * process beside all other work, one session at a time.
 */
export type SessionScans = ReturnType<typeof createSessionScans>;

export function createSessionScans({ path, log, startCheck, notices, clock }: SessionScansDeps) {
  /** The sessions that wait for a scan or are being scanned for the window. */
  const waiting = new Set<string>();
  const pending = new Set<Promise<unknown>>();
  let current: (RunningCheck & { readonly sessionId: string }) | null = null;
  let last: Promise<void> = Promise.resolve();
  let stopped = false;

  const report = (sessionId: string, check: Pick<SessionCheck, 'gaps' | 'broken'>): void => {
    const state = log.state(sessionId);
    const events = damagedEvents(check);
    if (!state || events === 0) return;
    const restorable = log.restorable(sessionId);
    const repairable = !restorable.ok || restorable.value > 0;
    const placed = check.gaps.length > 0;
    notices.raise(gapsNotice(sessionId, { title: state.title, events, repairable, placed }));
  };

  const find = async (sessionId: string): Promise<Result<SessionDamage | null>> => {
    current = { ...startCheck(path, 'session', sessionId), sessionId };
    const finding = await current.finding;
    current = null;
    return damageIn(finding);
  };

  const scan = async (sessionId: string): Promise<void> => {
    if (stopped || !log.unscanned(sessionId)) return;
    const stopSaying = clock.after(worthSayingMs, () => notices.raise(scanningNotice));
    const found = await find(sessionId);
    stopSaying();
    notices.withdraw(scanningNotice.id);
    if (stopped || !found.ok) return;
    log.takeGaps(sessionId, found.value?.gaps ?? []);
    if (found.value) report(sessionId, found.value);
  };

  const scanNext = (sessionId: string): void => {
    last = last.then(() => scan(sessionId)).finally(() => waiting.delete(sessionId));
  };

  return {
    /** Reports what is damaged in a session that the window opened, for a long one as soon as it was scanned. */
    opened(sessionId: string): void {
      report(sessionId, { gaps: log.state(sessionId)?.gaps ?? [], broken: [] });
      if (stopped || waiting.has(sessionId) || !log.unscanned(sessionId)) return;
      waiting.add(sessionId);
      clock.after(firstLookMs, () => scanNext(sessionId));
    },
    /** A repair changed the events: a scan that began before it says nothing about them. */
    repaired(sessionId: string, damaged: number): void {
      waiting.delete(sessionId);
      if (current?.sessionId === sessionId) current.cancel();
      if (damaged === 0) notices.withdraw(gapsNoticeId(sessionId));
    },
    /** Scans a session now, for the command line; `take` is given null when nothing is damaged. */
    scan(sessionId: string, take: (found: Result<SessionDamage | null>) => void): void {
      const done = find(sessionId).then(take);
      pending.add(done);
      void done.finally(() => pending.delete(done));
    },
    /** Resolves when the scans for the command line have ended. */
    async finished(): Promise<void> {
      await Promise.all(pending);
    },
    stop(): void {
      stopped = true;
      current?.cancel();
    },
  };
}
