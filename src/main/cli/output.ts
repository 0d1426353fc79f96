import type { AppError } from '#shared/app-error';
import type { ReadLineOptions } from './line-reader';
import type { InTurn } from './turns';

/** Where a command writes: results to `out`, everything else to `log`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly log: (text: string) => void;
  readonly json: boolean;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  /** The next line of standard input; null at its end or when the signal aborts first. */
  readonly readLine: (prompt: string, options?: ReadLineOptions) => Promise<string | null>;
  /** Has a dialogue to itself: whatever asks a person goes through here, so that a line answers the question above it. */
  readonly inTurn: InTurn;
  /** While it listens, Ctrl+C calls `stop` instead of ending the process. Returns the way to stop listening. */
  readonly onInterrupt: (stop: () => void) => () => void;
}

/** 0 done · 1 the work failed · 2 usage · 3 invalid configuration. */
export type ExitCode = 0 | 1 | 2 | 3;

/** With `--json` exactly one document; otherwise the text for people. */
export function print(terminal: Terminal, document: unknown, text: () => string): void {
  terminal.out(terminal.json ? `${JSON.stringify(document, null, 2)}\n` : `${text()}\n`);
}

export function exitCodeOf(error: AppError): ExitCode {
  return error.kind === 'CONFIG' ? 3 : 1;
}

/** An error for people: what failed, where, and what to do next. */
export function describeError(error: AppError): string {
  const where =
    error.line === undefined
      ? ''
      : ` (line ${error.line}${error.column === undefined ? '' : `, column ${error.column}`})`;
  const problems = (error.problems ?? [])
    .map(({ file, field, reason }) => [file, field, reason].filter((part) => part !== '').join(': '))
    // The first may be the message already.
    .filter((line) => !error.message.includes(line))
    .map((line) => `  ${line}`);
  const hint = error.hint ? [`→ ${error.hint}`] : [];
  return [`${error.kind}/${error.code}: ${error.message}${where}`, ...problems, ...hint].join('\n');
}

/** Prints the typed error as the command's result and gives the exit code. */
export function fail(terminal: Terminal, error: AppError): ExitCode {
  if (terminal.json) terminal.out(`${JSON.stringify(error, null, 2)}\n`);
  else terminal.log(describeError(error));
  return exitCodeOf(error);
}
