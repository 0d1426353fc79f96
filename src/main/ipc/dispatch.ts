import { appError } from '#shared/app-error';
import { ipcCalls, type IpcHandlers, type IpcName } from '#shared/ipc';
import { err, type Result } from '#shared/result';

export type Dispatch = (name: unknown, input: unknown) => Promise<Result<unknown>>;

function isIpcName(name: unknown): name is IpcName {
  return typeof name === 'string' && Object.hasOwn(ipcCalls, name);
}

/** Checks the name and the payload of a call from the window, then hands it to its handler; failures are values. */
export function createDispatch(handlers: IpcHandlers): Dispatch {
  return async (name, input) => {
    if (!isIpcName(name))
      return err(appError('HOST', 'INVALID_INPUT', 'The window asked for a call that does not exist.'));
    const parsed = ipcCalls[name].input.safeParse(input);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const field = issue?.path.map(String).join('.') || 'input';
      return err(appError('HOST', 'INVALID_INPUT', `${name}: ${field}: ${issue?.message ?? 'not valid'}`));
    }
    // The table gives each handler exactly the type its own schema has just checked.
    const handler = handlers[name] as (value: unknown) => Result<unknown> | Promise<Result<unknown>>;
    return handler(parsed.data);
  };
}
