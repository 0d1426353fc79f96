import { electronExecutable, findElectron } from './electron.mjs';
import { ROOT } from './paths.mjs';
import { problem } from './problem.mjs';

/**
 * How to start the app with the installed Electron.
 * @param {{args?: string[], env?: NodeJS.ProcessEnv}} [options] extra arguments for the app, extra
 * environment
 * @returns {{executablePath: string, args: string[], env: Record<string, string>, version: string}}
 */
export function launchElectron(options = {}) {
  const home = findElectron();
  if (!home) throw problem('There is no Electron yet. Run "npm run setup" first.');
  const env = definedOnly({ ...process.env, ...options.env, ELECTRON_OVERRIDE_DIST_PATH: home.dist });
  // With this variable, Electron would run as plain Node.
  delete env.ELECTRON_RUN_AS_NODE;
  return {
    executablePath: electronExecutable(home),
    args: [...rootFlags(), ROOT, ...(options.args ?? [])],
    env,
    version: home.version,
  };
}

/** Chromium refuses to sandbox for root on Linux; no other user gets this flag. @returns {string[]} */
export function rootFlags() {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

/** @param {NodeJS.ProcessEnv} env @returns {Record<string, string>} */
function definedOnly(env) {
  return Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
