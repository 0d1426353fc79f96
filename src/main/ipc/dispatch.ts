import { appError, type AppError } from '#shared/app-error';
import { ipcCalls, type IpcHandlers, type IpcName } from '#shared/ipc';
import { err, type Result } from '#shared/result';

export type Dispatch = (name: unknown, input: unknown) => Promise<Result<unknown>>;

function isIpcName(name: unknown): name is IpcName {
  return typeof name === 'string' && Object.hasOwn(ipcCalls, name);
}

/** Called for every handler that throws: a bug, or a value that the system rejects. */
export type ReportThrow = (name: IpcName, error: unknown) => void;

const logThrow: ReportThrow = (name, error) =>
  console.error(`The call ${name} of the window failed unexpectedly.`, error);

/**
 * Recognizes Node's errors for invalid values: a path with a NUL, a number out of range, a value nested too
 * deeply.
 */
function isBadValue(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_INVALID_') || code === 'ERR_OUT_OF_RANGE';
}

function thrown(name: IpcName, error: unknown): AppError {
  if (isBadValue(error)) {
    const hint = 'Correct the value, for example a path with a NUL or a deeply nested list, and try again.';
    return appError('HOST', 'INVALID_INPUT', `${name}: the input has a value that the system refuses.`, {
      hint,
    });
  }
  const hint = 'Try again. If it happens again, restart Patina; the log has the details.';
  return appError('HOST', 'STATE', `${name}: Patina failed unexpectedly, and the call may not be complete.`, {
    hint,
  });
}

/**
 * Validates the name and the payload of a call from the window, then passes it to its handler. Every failure
 * is a value, even when a handler throws: Electron would keep only the message of an error thrown through
 * IPC.
 */
export function createDispatch(handlers: IpcHandlers, report: ReportThrow = logThrow): Dispatch {
  const checked = (name: IpcName, input: unknown): Promise<Result<unknown>> | Result<unknown> => {
    const parsed = ipcCalls[name].input.safeParse(input);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const field = issue?.path.map(String).join('.') || 'input';
      return err(appError('HOST', 'INVALID_INPUT', `${name}: ${field}: ${issue?.message ?? 'not valid'}`));
    }
    // The table gives each handler exactly the type that its own schema has just validated.
    const handler = handlers[name] as (value: unknown) => Result<unknown> | Promise<Result<unknown>>;
    return handler(parsed.data);
  };
  return async (name, input) => {
    if (!isIpcName(name))
      return err(appError('HOST', 'INVALID_INPUT', 'The window asked for a call that does not exist.'));
    try {
      return await checked(name, input);
    } catch (error) {
      report(name, error);
      return err(thrown(name, error));
    }
  };
}
