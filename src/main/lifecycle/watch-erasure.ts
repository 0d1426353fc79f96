import type { Notices } from '../notices/notices';
import type { Clock } from '../../core/ports/clock';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import { erasingNotice, notErasedNotice } from '../notices/storage-notices';

export interface WatchErasureDeps {
  readonly path: string;
  /** Whether the file still contains rows of deleted sessions. */
  readonly due: () => boolean;
  readonly startCheck: StartDatabaseCheck;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** After the first paint; erases what a killed process left over. */
const firstLookMs = 5_000;
const nextLookMs = 3_600_000;
/** Work that ends sooner is not announced. */
const worthSayingMs = 1_000;

/**
 * Erases deleted sessions in a separate process: at once when `look` is called, and at the start and every
 * hour when any remain. The window shows the progress, and a failure. `stop` ends the watch.
 */
export function watchErasure(deps: WatchErasureDeps): { look(): void; stop(): void } {
  const { path, due, startCheck, notices, clock } = deps;
  let cancel = (): void => undefined;
  let running = false;
  let requestedAgain = false;
  let stopped = false;

  const erase = async (): Promise<string | null> => {
    const check = startCheck(path, 'erase');
    cancel = check.cancel;
    const stopSaying = clock.after(worthSayingMs, () => notices.raise(erasingNotice));
    const finding = await check.finding;
    stopSaying();
    notices.withdraw(erasingNotice.id);
    return finding.ok ? finding.value : finding.error.message;
  };

  const run = async (): Promise<void> => {
    running = true;
    do {
      requestedAgain = false;
      if (!due()) break;
      const left = await erase();
      if (stopped) return;
      if (left === null) notices.withdraw(notErasedNotice('').id);
      else notices.raise(notErasedNotice(left));
    } while (requestedAgain);
    running = false;
  };

  const look = (): void => {
    if (stopped) return;
    if (running) requestedAgain = true;
    else void run();
  };
  const lookAndRepeat = (): void => {
    look();
    stopTimer = clock.after(nextLookMs, lookAndRepeat);
  };
  let stopTimer = clock.after(firstLookMs, lookAndRepeat);
  return {
    look,
    stop() {
      stopped = true;
      stopTimer();
      cancel();
    },
  };
}
