import { findElectron } from './electron.mjs';
import { launchElectron } from './launch-electron.mjs';
import { problem } from './problem.mjs';

/**
 * Starts the app with a driver attached.
 * @param {{args?: string[], env?: NodeJS.ProcessEnv}} [options] extra arguments for the app, extra environment
 */
export async function driveElectron(options = {}) {
  const { args, env } = launchElectron(options);
  return driveArguments({ args, env });
}

/**
 * No executable is named: only then does Playwright put its own loader in, which holds "ready" back until the driver
 * is attached. With one, a window that opens while the driver attaches can leave the launch waiting for ever.
 * @param {{args: string[], env: Record<string, string>}} launch
 */
export async function driveArguments({ args, env }) {
  const home = findElectron();
  if (!home) throw problem('There is no Electron yet. Run "npm run setup" first.');
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] = home.dist;
  const { _electron } = await import('@playwright/test');
  return askingAgain(await _electron.launch({ args, env }));
}

/** What the driver says when the main process collected an answer before it was read: the driver holds it weakly only. */
const LOST = 'Resulting promise was garbage collected';
const MOST_LOST = 5;

/**
 * Asks the main process again when its answer was lost on the way, and only then; what is asked has to bear being done twice.
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
