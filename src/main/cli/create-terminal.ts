import type { Readable, Writable } from 'node:stream';
import { languageOf } from '#shared/language';
import { createLineReader, type LineReader } from './line-reader';
import type { LineStyle, Terminal } from './output';
import { createTurns } from './turns';

type Maybe<T> = T & { readonly isTTY?: boolean };

interface TerminalStreams {
  readonly stdin: Maybe<Readable>;
  readonly stdout: Maybe<Writable>;
  readonly stderr: Maybe<Writable>;
}

/** The part of `process` that receives signals and exits. */
export type Signals = Pick<NodeJS.Process, 'on' | 'off' | 'exit'>;

interface OpenTerminal extends Terminal {
  /** Stops reading, so that the process can exit. */
  close(): void;
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** The exit code shells expect after Ctrl+C. */
const interruptedCode = 130;

/**
 * Handles Ctrl+C and SIGTERM: the first one asks the work to stop, the second one ends the process at once.
 */
function createInterrupts(signals: Signals, onUnheard: () => void) {
  let stop: (() => void) | null = null;
  let prompted = false;
  const onInterrupt = (): void => {
    if (!stop) return onUnheard();
    if (prompted) {
      onUnheard();
      return signals.exit(interruptedCode);
    }
    prompted = true;
    stop();
  };
  const listen = (whatToStop: () => void): (() => void) => {
    stop = whatToStop;
    prompted = false;
    for (const signal of stopSignals) signals.on(signal, onInterrupt);
    return () => {
      stop = null;
      for (const signal of stopSignals) signals.off(signal, onInterrupt);
    };
  };
  return { onInterrupt, listen };
}

/** The terminal of this process: results go to standard output, everything else to standard error. */
export function createTerminal(
  streams: TerminalStreams,
  json: boolean,
  signals: Signals,
  locale = Intl.DateTimeFormat().resolvedOptions().locale,
): OpenTerminal {
  const { stdin, stdout, stderr } = streams;
  const interactive = stdin.isTTY ?? false;
  let lines: LineReader | null = null;
  const interrupts = createInterrupts(signals, () => lines?.close());
  const open = (): LineReader =>
    (lines ??= createLineReader({
      input: stdin,
      output: stderr,
      terminal: interactive,
      onInterrupt: interrupts.onInterrupt,
    }));
  // A terminal executes control characters; a file only stores them.
  const shown = (stream: Maybe<Writable>, text: string) => (stream.isTTY ? withoutControls(text) : text);
  const colours = stderr.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
  const styled = (text: string, style: LineStyle | undefined): string =>
    style && colours ? `${styles[style]}${text}\u001B[0m` : text;
  return {
    out: (text) => void stdout.write(shown(stdout, text)),
    log: (text, style) => void stderr.write(`${styled(shown(stderr, text), style)}\n`),
    json,
    interactive: interactive && (stderr.isTTY ?? false),
    language: languageOf('system', [locale]),
    readLine: (prompt, options) => open().next(prompt, options),
    onTyped: (take) => (interactive ? open().onTyped(take) : () => undefined),
    inTurn: createTurns(),
    onInterrupt: interrupts.listen,
    close: () => lines?.close(),
  };
}
const styles: Readonly<Record<LineStyle, string>> = {
  added: '\u001B[32m',
  removed: '\u001B[31m',
  quiet: '\u001B[2m',
};

const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** Start of the Unicode block with visible control characters. */
const pictures = 0x2400;
const pictureOfDelete = '\u2421';

/**
 * Makes text safe for a terminal: replaces characters that could move the cursor, change colours or the
 * title, write the clipboard or reverse the text direction with visible symbols. Line ends and tabs stay.
 */
function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(controls, (one) => {
    const code = one.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(pictures + code);
    return code === 0x7f ? pictureOfDelete : '\uFFFD';
  });
}
