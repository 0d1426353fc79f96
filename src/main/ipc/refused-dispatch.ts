import { appError, type AppError } from '#shared/app-error';
import { ipcCalls, type IpcHandlers } from '#shared/ipc';
import { err } from '#shared/result';
import { createDesktopHandlers, type Desktop } from './app-handlers';
import { createDispatch, type Dispatch } from './dispatch';

const notStarted = appError('HOST', 'STATE', 'Patina did not start, because its configuration is invalid.', {
  hint: 'Fix the problems that the window lists, then restart Patina.',
});

/**
 * The window's requests after a refused start: read the reason (`app-info` answers with the error), copy it,
 * quit, and restart without a pack. Any other request returns HOST/STATE, because nothing is running that
 * could serve it.
 */
export function createRefusedDispatch(error: AppError, desktop: Desktop): Dispatch {
  const refused = Object.fromEntries(Object.keys(ipcCalls).map((name) => [name, () => err(notStarted)]));
  return createDispatch({
    ...(refused as unknown as IpcHandlers),
    ...createDesktopHandlers(desktop),
    'app-info': () => err(error),
  });
}
