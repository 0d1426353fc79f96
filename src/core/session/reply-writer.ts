import type { Clock } from '../ports/clock';

export interface ReplyWriterDeps {
  readonly clock: Clock;
  /** Shows text at once; `offset` in UTF-16 units of the whole reply. */
  readonly show: (offset: number, text: string) => void;
  /** Commits text; false when it could not be. */
  readonly save: (text: string) => boolean;
  /** Called when a piece could not be saved. */
  readonly onFailure: () => void;
}

/** A reply being written: shown piece by piece as it comes, saved in larger ones. */
export interface ReplyWriter {
  write(text: string): void;
  /** Stops the timer and gives back what is not saved yet. */
  finish(): string;
  /** The whole reply so far. */
  text(): string;
}

const firstSaveMs = 50;
const saveMs = 500;
/** UTF-16 units, so at most three times as many bytes. */
const saveLength = 4_096;

/**
 * Saves the first piece within 50 ms and after that at least every 500 ms or 4,096 units: what a `kill -9` can take
 * is what was on the screen for less than that, and a long reply is some hundred rows, not one per token.
 */
export function createReplyWriter({ clock, show, save, onFailure }: ReplyWriterDeps): ReplyWriter {
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
    write(text) {
      if (text === '') return;
      show(whole.length, text);
      whole += text;
      unsaved += text;
      if (unsaved.length >= saveLength) flush();
      else cancelTimer ??= clock.after(saved ? saveMs : firstSaveMs, flush);
    },
    finish() {
      cancelTimer?.();
      cancelTimer = null;
      return unsaved;
    },
    text: () => whole,
  };
}
