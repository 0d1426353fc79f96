import { createInterface, type Key } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface ReadLineOptions {
  /** Ends the wait; the next reader gets the line that arrives afterwards. */
  readonly signal?: AbortSignal | undefined;
  /** At a terminal, accepts only a line typed after the question: type-ahead answers nothing. */
  readonly discardTypeahead?: boolean;
}

export interface LineReader {
  /** The next line, or null at the end of the input. */
  next(prompt: string, options?: ReadLineOptions): Promise<string | null>;
  /**
   * Gives the lines typed at a terminal while nothing reads to `take`; a line that it does not take waits for the
   * next reader. Returns a function that ends this.
   */
  onTyped(take: (line: string) => boolean): () => void;
  close(): void;
}

/** Ask a terminal to put key sequences around what the user pastes, and to stop that. */
const markPaste = '\u001B[?2004h';
const plainPaste = '\u001B[?2004l';

export interface LineInput {
  readonly input: Readable;
  /** Where to show the prompt and the input. */
  readonly output: Writable;
  /** Whether the input is an interactive terminal. */
  readonly terminal: boolean;
  /** Called on Ctrl+C, which a terminal in raw mode sends as a key instead of a signal. */
  readonly onInterrupt: () => void;
}

/**
 * Reads lines in order. Lines that arrive early are queued, so that a pipe loses none. At a terminal, pasted text
 * of several lines is one line, line breaks included, and waits for the Enter key; Ctrl+U drops it.
 */
export function createLineReader({ input, output, terminal, onInterrupt }: LineInput): LineReader {
  const lines: string[] = [];
  let waiting: ((line: string | null) => void) | null = null;
  let take: ((line: string) => boolean) | null = null;
  let over = false;
  let pasting = false;
  let pasted: string[] = [];
  const onLine = (row: string): void => {
    if (pasting) return void pasted.push(row);
    const line = pasted.length === 0 ? row : [...pasted, row].join('\n').trimEnd();
    pasted = [];
    if (waiting) return waiting(line);
    // A line never overtakes one that was typed before it.
    const isTaken = terminal && lines.length === 0 && take?.(line) === true;
    if (!isTaken) lines.push(line);
  };
  /** The key that deletes a line deletes all pasted lines; the prompt shows that nothing waits. */
  const dropPasted = (): void => {
    pasted = [];
    output.write('\n');
    reader.prompt();
  };
  const reader = createInterface({ input, terminal, ...(terminal && { output }) });
  reader.on('line', onLine);
  if (terminal) {
    output.write(markPaste);
    input.on('keypress', (_, { name, ctrl = false }: Key) => {
      if (name === 'paste-start') pasting = true;
      if (name === 'paste-end') pasting = false;
      if (name === 'u' && ctrl && pasted.length > 0) dropPasted();
    });
  }
  reader.on('close', () => {
    over = true;
    if (terminal) output.write(plainPaste);
    waiting?.(null);
  });
  reader.on('SIGINT', onInterrupt);
  // After Ctrl+Z and "fg", Node leaves the input paused: no key would arrive any more, Ctrl+C included.
  reader.on('SIGCONT', () => {
    output.write(markPaste);
    reader.resume();
  });

  const wait = (signal: AbortSignal | undefined): Promise<string | null> =>
    new Promise((resolve) => {
      const give = (line: string | null): void => {
        waiting = null;
        signal?.removeEventListener('abort', onAbort);
        resolve(line);
      };
      const onAbort = (): void => {
        // What is printed next begins on a line of its own, not after the prompt.
        if (terminal) output.write('\n');
        give(null);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting = give;
    });

  return {
    async next(prompt, { signal, discardTypeahead = false } = {}) {
      if (signal?.aborted) return null;
      const mayQueue = !(discardTypeahead && terminal);
      const queued = mayQueue ? lines.shift() : undefined;
      if (queued !== undefined) return queued;
      if (over) return null;
      if (terminal) {
        reader.setPrompt(prompt);
        reader.prompt();
      }
      return wait(signal);
    },
    onTyped(next) {
      take = next;
      return () => void (take = null);
    },
    close: () => reader.close(),
  };
}
