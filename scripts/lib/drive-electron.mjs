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
  return _electron.launch({ args, env });
}
