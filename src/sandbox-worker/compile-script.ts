import { parse } from 'acorn';
import type { ScriptFailure } from '#shared/sandbox-protocol';

/** The file name a script has inside the engine, found again in the stacks of its errors. */
export const SCRIPT_FILE = 'script.js';
/** Lines of `wrapScript` before the script's own first line. */
const LINES_BEFORE = 1;

/** The script as the body of one async function, its own lines and columns kept. */
export function wrapScript(code: string): string {
  return `(async function (tools, params, inputs, artifacts, log) {\n${code}\n})`;
}

/**
 * Whether `code` is the body of an async function, and nothing that closes it and goes on outside.
 * Undefined when it is; else CODE/SYNTAX_ERROR with the script's line and column, both from 1.
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
    return { ...failure, message: 'the script is nested too deeply to read' };
  const { loc } = thrown as SyntaxError & { loc?: { line: number; column: number } };
  const message = thrown.message.replace(/ \(\d+:\d+\)$/, '').slice(0, 500);
  if (loc === undefined) return { ...failure, message };
  return { ...failure, message, line: loc.line, column: loc.column + 1 };
}

/** Where in the script an engine's stack begins, or nothing when the script is not in it. */
export function positionIn(stack: string, code: string): { line?: number; column?: number } {
  const found = /script\.js:(\d{1,6}):(\d{1,6})/.exec(stack);
  if (found === null) return {};
  const line = Number(found[1]) - LINES_BEFORE;
  const column = Number(found[2]);
  // A script can write its own stack; a place outside it helps nobody.
  const lines = code.split('\n').length;
  return line >= 1 && line <= lines && column >= 1 ? { line, column } : {};
}
