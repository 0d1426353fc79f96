import type { Clock } from '../ports/clock';

export interface ReplyWriterDeps {
  readonly clock: Clock;
  /** Shows text at once; `offset` is in UTF-16 code units of the whole reply. */
  readonly show: (offset: number, text: string) => void;
  /** Commits text; false when the commit failed. */
  readonly save: (text: string) => boolean;
  /** Called when a save failed. */
  readonly onFailure: () => void;
}

/** Writes a reply: shows each piece as it arrives and saves in larger pieces. */
export type ReplyWriter = ReturnType<typeof createReplyWriter>;

const firstSaveMs = 50;
const saveMs = 500;
/** In UTF-16 code units; UTF-8 needs at most three bytes for each. */
const saveLength = 4_096;

/**
 * Saves the first piece within 50 ms, and after that at least every 500 ms or 4,096 units. A `kill -9`
 * therefore loses only text that was on screen for less than that, and a long reply takes a few hundred rows
 * instead of one per token.
 */
export function createReplyWriter({ clock, show, save, onFailure }: ReplyWriterDeps) {
  let whole = '';
  let unsaved = '';
  let saved = false;
  let cancelTimer: (() => void) | null = null;

  const flush = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    if (unsaved === '') return;
    if (save(unsaved)) {
      unsaved = '';
      saved = true;
    } else onFailure();
  };

  return {
    write(text: string): void {
      if (text === '') return;
      show(whole.length, text);
      whole += text;
      unsaved += text;
      if (unsaved.length >= saveLength) flush();
      else cancelTimer ??= clock.after(saved ? saveMs : firstSaveMs, flush);
    },
    /** Stops the timer and returns the unsaved text. */
    finish(): string {
      cancelTimer?.();
      cancelTimer = null;
      return unsaved;
    },
    /** The whole reply so far. */
    text: (): string => whole,
  };
}
