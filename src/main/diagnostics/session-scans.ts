import { appError, type AppError } from '#shared/app-error';
import { parseJson } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../../core/ports/clock';
import { SessionDamage, type RunningCheck, type StartDatabaseCheck } from '../../core/ports/database-check';
import { SessionRepair } from '../../core/ports/session-store';
import { damagedEvents } from '../../core/session/session-reader';
import type { SessionLog } from '../../core/session/session-log';
import type { Notices } from '../notices/notices';
import { gapsNotice, gapsNoticeId, scanningNotice } from '../notices/storage-notices';

export interface SessionScansDeps {
  readonly path: string;
  readonly log: Pick<SessionLog, 'ids' | 'leave' | 'state' | 'takeGaps' | 'unscanned'>;
  readonly startCheck: StartDatabaseCheck;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** The window has loaded the session by then. */
const firstLookMs = 1_000;
/** A scan that ends sooner is not announced. */
const worthSayingMs = 2_000;

/** What the check process answered, read by `parse`; null when it has nothing to say. */
function readFinding<T>(finding: Result<string | null>, parse: (value: unknown) => T): Result<T | null> {
  if (!finding.ok) return finding;
  if (finding.value === null) return ok(null);
  const value = parseJson(finding.value);
  return value.ok ? ok(parse(value.value)) : err(appError('HOST', 'STORAGE', value.error));
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

  const report = (
    sessionId: string,
    check: Pick<SessionDamage, 'gaps' | 'broken'>,
    restorable: number,
  ): void => {
    const state = log.state(sessionId);
    const events = damagedEvents(check);
    if (!state || events === 0) return;
    const placed = check.gaps.length > 0;
    notices.raise(gapsNotice(sessionId, { title: state.title, events, repairable: restorable > 0, placed }));
  };

  const find = async (sessionId: string): Promise<Result<SessionDamage | null>> => {
    current = { ...startCheck(path, 'session', sessionId), sessionId };
    const finding = await current.finding;
    current = null;
    return readFinding(finding, SessionDamage.parse);
  };

  /** What a repair would restore, as far as it was counted since the last repair; one process counts for all. */
  const counts = new Map<string, Promise<Result<number>>>();
  const countRestorable = async (sessionId: string): Promise<Result<number>> => {
    const found = readFinding(await startCheck(path, 'session', sessionId).finding, SessionDamage.parse);
    if (!found.ok) counts.delete(sessionId);
    return found.ok ? ok(found.value?.restorable ?? 0) : found;
  };
  /** No process is started for an id that the window made up. */
  const refusal = (sessionId: string): AppError | null => {
    const ids = log.ids();
    if (!ids.ok || ids.value.includes(sessionId)) return null;
    return appError('HOST', 'NOT_FOUND', `There is no session "${sessionId}".`);
  };
  const restorable = (sessionId: string): Promise<Result<number>> => {
    const refused = refusal(sessionId);
    if (refused) return Promise.resolve(err(refused));
    const counted = counts.get(sessionId) ?? countRestorable(sessionId);
    counts.set(sessionId, counted);
    return counted;
  };

  const reportKnown = async (sessionId: string, gaps: SessionDamage['gaps']): Promise<void> => {
    const found = await restorable(sessionId);
    // A repair is offered when nobody knows whether it would help.
    if (!stopped) report(sessionId, { gaps, broken: [] }, found.ok ? found.value : 1);
  };

  const repair = async (sessionId: string): Promise<Result<SessionRepair>> => {
    const refused = refusal(sessionId);
    if (refused) return err(refused);
    const left = log.leave(sessionId);
    if (!left.ok) return left;
    // A scan that began before the repair says nothing about the events after it.
    waiting.delete(sessionId);
    counts.delete(sessionId);
    if (current?.sessionId === sessionId) current.cancel();
    const repaired = readFinding(await startCheck(path, 'repair', sessionId).finding, SessionRepair.parse);
    if (!repaired.ok) return repaired;
    if (repaired.value?.damaged === 0) notices.withdraw(gapsNoticeId(sessionId));
    return ok(repaired.value ?? { sessionId, fromUnreadable: 0, fromCopies: 0, damaged: 0 });
  };

  const scan = async (sessionId: string): Promise<void> => {
    if (stopped || !log.unscanned(sessionId)) return;
    const stopSaying = clock.after(worthSayingMs, () => notices.raise(scanningNotice));
    const found = await find(sessionId);
    stopSaying();
    notices.withdraw(scanningNotice.id);
    if (stopped || !found.ok) return;
    counts.set(sessionId, Promise.resolve(ok(found.value?.restorable ?? 0)));
    log.takeGaps(sessionId, found.value?.gaps ?? []);
    if (found.value) report(sessionId, found.value, found.value.restorable);
  };

  const scanNext = (sessionId: string): void => {
    last = last.then(() => scan(sessionId)).finally(() => waiting.delete(sessionId));
  };

  return {
    /** Reports what is damaged in a session that the window opened, for a long one as soon as it was scanned. */
    opened(sessionId: string): void {
      const gaps = log.state(sessionId)?.gaps ?? [];
      if (gaps.length > 0) void reportKnown(sessionId, gaps);
      if (stopped || waiting.has(sessionId) || !log.unscanned(sessionId)) return;
      waiting.add(sessionId);
      clock.after(firstLookMs, () => scanNext(sessionId));
    },
    /** The number of events that a repair would restore, counted in the check process. */
    restorable,
    /** Repairs a session in the check process, which is its writer meanwhile; HOST/STATE while work in it is running. */
    repair,
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
