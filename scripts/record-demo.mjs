import fs from 'node:fs';
import { findElectron } from './lib/electron.mjs';
import { fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';
import { underDisplay } from './lib/under-display.mjs';

/** Records the animation of the README from the real app; only the replies of the model are scripted. */
async function main() {
  const playwright = fromRoot('node_modules/@playwright/test/cli.js');
  const args = [playwright, 'test', '--config', fromRoot('e2e/demo.config.ts')];
  const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: findElectron()?.dist };
  const code = await runForeground(...underDisplay(process.execPath, args), env);
  const { size } = fs.statSync(fromRoot('docs/images/demo.gif'));
  say(code === 0 ? `docs/images/demo.gif has ${Math.round(size / 1_000)} kB` : 'not recorded; see above');
  return code;
}

process.exitCode = await main();
