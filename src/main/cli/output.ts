import { otherProblems, problemLine, type AppError } from '#shared/app-error';
import type { Language } from '#shared/language';
import type { ReadLineOptions } from './line-reader';
import type { InTurn } from './turns';

export type LineStyle = 'added' | 'removed' | 'quiet';

/** The output of a command: results go to `out`, everything else to `log`. */
export interface Terminal {
  readonly out: (text: string) => void;
  /** Styles are colours on a terminal that shows colours; elsewhere they do nothing. */
  readonly log: (text: string, style?: LineStyle) => void;
  readonly json: boolean;
  /** Whether a user can be asked. */
  readonly interactive: boolean;
  /** The language in which a user may answer yes or no, beside English. */
  readonly language: Language;
  /** The next line of standard input; null at its end or when the signal aborts first. */
  readonly readLine: (prompt: string, options?: ReadLineOptions) => Promise<string | null>;
  /**
   * Gives each line that is typed while nothing reads to `take`, at an interactive terminal only; a line that it
   * does not take waits for `readLine`. Returns a function that ends this.
   */
  readonly onTyped: (take: (line: string) => boolean) => () => void;
  /**
   * Gives a dialogue exclusive use of the terminal. Every question to the user goes through it, so that a
   * line answers the question above it.
   */
  readonly inTurn: InTurn;
  /**
   * While active, Ctrl+C calls `stop` instead of ending the process. Returns a function that unsubscribes.
   */
  readonly onInterrupt: (stop: () => void) => () => void;
}

/** 0 success · 1 the work failed · 2 usage error · 3 invalid configuration. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Prints exactly one document with `--json`, otherwise text for people. */
export function print(terminal: Terminal, document: unknown, text: () => string): void {
  terminal.out(terminal.json ? `${JSON.stringify(document, null, 2)}\n` : `${text()}\n`);
}

export function exitCodeOf(error: AppError): ExitCode {
  return error.kind === 'CONFIG' ? 3 : 1;
}

/** Describes an error for people: what failed, where, and what to do next. */
export function describeError(error: AppError): string {
  const where =
    error.line === undefined
      ? ''
      : ` (line ${error.line}${error.column === undefined ? '' : `, column ${error.column}`})`;
  const problems = otherProblems(error).map((problem) => `  ${problemLine(problem)}`);
  const hint = error.hint ? [`→ ${error.hint}`] : [];
  // A message of several findings names the place of each.
  const message = error.message.includes(where) ? error.message : `${error.message}${where}`;
  return [`${error.kind}/${error.code}: ${message}`, ...problems, ...hint].join('\n');
}

/** Prints the error of an argument that no work can begin with. */
export function failUsage(terminal: Terminal, error: AppError): ExitCode {
  fail(terminal, error);
  return 2;
}

/** Prints the typed error as the command's result and returns the exit code. */
export function fail(terminal: Terminal, error: AppError): ExitCode {
  if (terminal.json) terminal.out(`${JSON.stringify(error, null, 2)}\n`);
  else terminal.log(describeError(error));
  return exitCodeOf(error);
}
