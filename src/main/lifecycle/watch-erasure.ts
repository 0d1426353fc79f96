import type { Notices } from '../notices/notices';
import type { Clock } from '../../core/ports/clock';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import { erasingNotice, notErasedNotice } from '../notices/storage-notices';

export interface WatchErasureDeps {
  readonly path: string;
  /** Whether rows of deleted sessions are still in the file. */
  readonly due: () => boolean;
  readonly startCheck: StartDatabaseCheck;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** Behind the first picture: what a killed process left is erased then. */
const firstLookMs = 5_000;
const nextLookMs = 3_600_000;
/** Work that is over sooner is not worth a word. */
const worthSayingMs = 1_000;

/**
 * Has deleted sessions erased in a process of its own, at once when `look` is called, and at the start and every hour when something
 * is left. The window says so while it lasts, and when it could not be done.
 */
export function watchErasure(deps: WatchErasureDeps): { look(): void; stop(): void } {
  const { path, due, startCheck, notices, clock } = deps;
  let cancel = (): void => undefined;
  let running = false;
  let again = false;
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
      again = false;
      if (!due()) break;
      const left = await erase();
      if (stopped) return;
      if (left === null) notices.withdraw(notErasedNotice('').id);
      else notices.raise(notErasedNotice(left));
    } while (again);
    running = false;
  };

  const look = (): void => {
    if (stopped) return;
    if (running) again = true;
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
