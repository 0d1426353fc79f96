import { findElectron } from './electron.mjs';
import { launchElectron } from './launch-electron.mjs';
import { problem } from './problem.mjs';

/**
 * Starts the app with a driver attached.
 * @param {{args?: string[], env?: NodeJS.ProcessEnv}} [options] extra arguments for the app, extra
 * environment
 */
export async function driveElectron(options = {}) {
  const { args, env } = launchElectron(options);
  return driveArguments({ args, env });
}

/**
 * Names no executable: only then does Playwright inject its own loader, which delays "ready" until the driver
 * is attached. With an executable, a window that opens while the driver attaches can block the launch
 * forever.
 * @param {{args: string[], env: Record<string, string>}} launch
 */
export async function driveArguments({ args, env }) {
  const home = findElectron();
  if (!home) throw problem('There is no Electron yet. Run "npm run setup" first.');
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] = home.dist;
  const { _electron } = await import('@playwright/test');
  return askingAgain(await _electron.launch({ args, env }));
}

/**
 * The driver's error when the main process garbage-collected an answer before it was read: the driver
 * references it only weakly.
 */
const LOST = 'Resulting promise was garbage collected';
const MOST_LOST = 5;

/**
 * Repeats a request to the main process only when its answer was lost, so requests must tolerate repetition.
 * @param {import('@playwright/test').ElectronApplication} app
 */
export function askingAgain(app) {
  const evaluate = /** @type {(...given: unknown[]) => Promise<unknown>} */ (app.evaluate.bind(app));
  const again = async (/** @type {unknown[]} */ ...given) => {
    for (let lost = 0; ; lost += 1) {
      try {
        return await evaluate(...given);
      } catch (error) {
        if (lost === MOST_LOST || !(error instanceof Error && error.message.includes(LOST))) throw error;
      }
    }
  };
  app.evaluate = /** @type {typeof app.evaluate} */ (again);
  return app;
}
