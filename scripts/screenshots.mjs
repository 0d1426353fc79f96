import fs from 'node:fs';
import { findElectron } from './lib/electron.mjs';
import { fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';
import { underDisplay } from './lib/under-display.mjs';

/**
 * Takes a screenshot of every state of the window. Passes arguments to Playwright: `-g agent` retakes one
 * scene and keeps the other pictures.
 */
async function main() {
  const rest = process.argv.slice(2);
  const output = fromRoot('demo-output/states');
  if (rest.length === 0) fs.rmSync(output, { recursive: true, force: true });
  const playwright = fromRoot('node_modules/@playwright/test/cli.js');
  const args = [playwright, 'test', '--config', fromRoot('e2e/screenshots.config.ts'), ...rest];
  const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: findElectron()?.dist };
  const code = await runForeground(...underDisplay(process.execPath, args), env);
  say(code === 0 ? 'pictures are in demo-output/states/' : 'some states were not reached; see above');
  return code;
}

process.exitCode = await main();
