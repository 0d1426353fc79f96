import { parse } from 'acorn';
import type { ScriptFailure } from '#shared/sandbox-protocol';

/** The script's file name inside the engine, used to locate it in the stacks of its errors. */
export const SCRIPT_FILE = 'script.js';
/** Lines of `wrapScript` before the script's first line. */
const LINES_BEFORE = 1;

/** Wraps the script as the body of one async function; preserves its lines and columns. */
export function wrapScript(code: string): string {
  return `(async function (tools, params, inputs, artifacts, log) {\n${code}\n})`;
}

/**
 * Checks that `code` is the body of an async function and contains nothing that closes the function and
 * continues outside. Undefined if so; else CODE/SYNTAX_ERROR with the script's line and column, both from 1.
 */
export function findSyntaxError(code: string): ScriptFailure | undefined {
  try {
    parse(code, {
      ecmaVersion: 2023,
      sourceType: 'script',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    });
    return undefined;
  } catch (thrown) {
    return syntaxError(thrown);
  }
}

function syntaxError(thrown: unknown): ScriptFailure {
  const failure = { kind: 'CODE', code: 'SYNTAX_ERROR' } as const;
  if (!(thrown instanceof SyntaxError))
    return { ...failure, message: 'The script is nested too deeply to read.' };
  const { loc } = thrown as SyntaxError & { loc?: { line: number; column: number } };
  const message = thrown.message.replace(/ \(\d+:\d+\)$/, '').slice(0, 500);
  if (loc === undefined) return { ...failure, message };
  return { ...failure, message, line: loc.line, column: loc.column + 1 };
}

/**
 * The topmost script position in an engine's stack, or nothing when the stack does not contain the script.
 */
export function positionIn(stack: string, code: string): { line?: number; column?: number } {
  const found = /script\.js:(\d{1,6}):(\d{1,6})/.exec(stack);
  if (found === null) return {};
  const line = Number(found[1]) - LINES_BEFORE;
  const column = Number(found[2]);
  // A script can forge its own stack; a position outside the script helps nobody.
  const lines = code.split('\n').length;
  return line >= 1 && line <= lines && column >= 1 ? { line, column } : {};
}
