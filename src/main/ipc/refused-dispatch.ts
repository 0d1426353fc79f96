import { appError, type AppError } from '#shared/app-error';
import { ipcCalls, type IpcHandlers } from '#shared/ipc';
import { err } from '#shared/result';
import { createDesktopHandlers, type Desktop } from './app-handlers';
import { createDispatch, type Dispatch } from './dispatch';

const notStarted = appError('HOST', 'STATE', 'Patina did not start: its configuration is not valid.', {
  hint: 'Mend what the window names, then start Patina again.',
});

/**
 * What the window may ask of a Patina that refused to start: why (`app-info` answers with the error), to copy that, to
 * quit, and to start again without a pack. Everything else is HOST/STATE, because there is nothing that could do it.
 */
export function createRefusedDispatch(error: AppError, desktop: Desktop): Dispatch {
  const refused = Object.fromEntries(Object.keys(ipcCalls).map((name) => [name, () => err(notStarted)]));
  return createDispatch({
    ...(refused as unknown as IpcHandlers),
    ...createDesktopHandlers(desktop),
    'app-info': () => err(error),
  });
}
