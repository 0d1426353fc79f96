import type { Notices } from '../notices/notices';
import type { Clock } from '../../core/ports/clock';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import { copyRefusedNotice } from '../notices/storage-notices';

export interface WatchCopiesDeps {
  readonly path: string;
  /** Whether today's copy is missing. */
  readonly due: () => boolean;
  readonly startCheck: StartDatabaseCheck;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** Long after the first paint, and after the check that follows an unclean shutdown. */
const firstCheckMs = 20_000;
const nextLookMs = 3_600_000;

/**
 * Copies the sessions file once a day in a separate process. The window shows when a copy is impossible.
 * Returns a function that stops it.
 */
export function watchCopies({ path, due, startCheck, notices, clock }: WatchCopiesDeps): () => void {
  let cancel = (): void => undefined;
  let stopped = false;

  const copy = async (): Promise<void> => {
    const running = startCheck(path, 'copy');
    cancel = running.cancel;
    const finding = await running.finding;
    if (stopped || !finding.ok) return;
    if (finding.value === null) notices.withdraw(copyRefusedNotice('').id);
    else notices.raise(copyRefusedNotice(finding.value));
  };

  const look = async (): Promise<void> => {
    if (due()) await copy();
    if (!stopped) stopTimer = clock.after(nextLookMs, () => void look());
  };

  let stopTimer = clock.after(firstCheckMs, () => void look());
  return () => {
    stopped = true;
    stopTimer();
    cancel();
  };
}
