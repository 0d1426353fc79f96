import type { Readable, Writable } from 'node:stream';
import { createLineReader, type LineReader } from './line-reader';
import type { Terminal } from './output';
import { createTurns } from './turns';

type Maybe<T> = T & { readonly isTTY?: boolean };

interface TerminalStreams {
  readonly stdin: Maybe<Readable>;
  readonly stdout: Maybe<Writable>;
  readonly stderr: Maybe<Writable>;
}

/** The part of `process` that hears signals and ends. */
export type Signals = Pick<NodeJS.Process, 'on' | 'off' | 'exit'>;

interface OpenTerminal extends Terminal {
  /** Stops reading, so that the process can end. */
  close(): void;
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** What a shell shows for a program ended by Ctrl+C. */
const interruptedCode = 130;

/** Ctrl+C and SIGTERM: the first asks the work to stop, the second ends the process at once. */
function createInterrupts(signals: Signals, onUnheard: () => void) {
  let stop: (() => void) | null = null;
  let asked = false;
  const hear = (): void => {
    if (!stop) return onUnheard();
    if (asked) return signals.exit(interruptedCode);
    asked = true;
    stop();
  };
  const listen = (whatToStop: () => void): (() => void) => {
    stop = whatToStop;
    asked = false;
    for (const signal of stopSignals) signals.on(signal, hear);
    return () => {
      stop = null;
      for (const signal of stopSignals) signals.off(signal, hear);
    };
  };
  return { hear, listen };
}

/** The terminal of this process: results to standard output, everything else to standard error. */
export function createTerminal(streams: TerminalStreams, json: boolean, signals: Signals): OpenTerminal {
  const { stdin, stdout, stderr } = streams;
  const typed = stdin.isTTY ?? false;
  let lines: LineReader | null = null;
  const interrupts = createInterrupts(signals, () => lines?.close());
  const open = (): LineReader =>
    (lines ??= createLineReader({
      input: stdin,
      output: stderr,
      terminal: typed,
      onInterrupt: interrupts.hear,
    }));
  // A terminal obeys what a file only keeps.
  const shown = (stream: Maybe<Writable>, text: string) => (stream.isTTY ? withoutControls(text) : text);
  return {
    out: (text) => void stdout.write(shown(stdout, text)),
    log: (text) => void stderr.write(`${shown(stderr, text)}\n`),
    json,
    interactive: typed && (stderr.isTTY ?? false),
    readLine: (prompt, options) => open().next(prompt, options),
    inTurn: createTurns(),
    onInterrupt: interrupts.listen,
    close: () => lines?.close(),
  };
}
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** Where Unicode has the pictures of control characters. */
const pictures = 0x2400;
const pictureOfDelete = '\u2421';

/**
 * Text as a terminal may be given it: characters that would move its cursor, colour or rename it, write its clipboard or
 * turn the direction of what follows are shown as their pictures. Line ends and tabs stay.
 */
function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(controls, (one) => {
    const code = one.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(pictures + code);
    return code === 0x7f ? pictureOfDelete : '\uFFFD';
  });
}
