import type { Result } from '#shared/result';
import type { Notices } from '../notices/notices';
import type { Clock } from '../../core/ports/clock';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import type { Soundness } from '../../core/ports/session-store';
import { checkingNotice, damageFoundNotice } from '../notices/storage-notices';

export interface WatchSoundnessDeps {
  readonly path: string;
  readonly soundness: Soundness;
  readonly startCheck: StartDatabaseCheck;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** The first check starts after the window has requested its initial content. */
const firstCheckMs = 1_500;
/** A window stays open for weeks, so check again whether a check is due. */
const nextLookMs = 3_600_000;
/** A check that ends sooner is not announced. */
const worthSayingMs = 1_000;

/**
 * Checks the sessions file completely when a check is due, in a separate process beside all other work. The
 * window shows the progress and the result; the next start salvages a damaged file. Returns a function that
 * stops it.
 */
export function watchSoundness(deps: WatchSoundnessDeps): () => void {
  const { path, soundness, startCheck, notices, clock } = deps;
  let cancel = (): void => undefined;
  let stopped = false;

  const take = (finding: Result<string | null>): void => {
    if (stopped || !finding.ok) return;
    soundness.checked(finding.value);
    if (finding.value !== null) notices.raise(damageFoundNotice(finding.value));
  };

  const check = async (): Promise<void> => {
    const running = startCheck(path);
    cancel = running.cancel;
    const stopSaying = clock.after(worthSayingMs, () => notices.raise(checkingNotice));
    const finding = await running.finding;
    stopSaying();
    notices.withdraw(checkingNotice.id);
    take(finding);
  };

  const look = async (): Promise<void> => {
    if (soundness.checkDue()) await check();
    if (!stopped) stopTimer = clock.after(nextLookMs, () => void look());
  };

  let stopTimer = clock.after(firstCheckMs, () => void look());
  return () => {
    stopped = true;
    stopTimer();
    cancel();
  };
}
