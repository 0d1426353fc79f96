import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { findElectron } from './lib/electron.mjs';
import { CACHE, ROOT } from './lib/paths.mjs';
import { isProblem, problem } from './lib/problem.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';
import { collectNotices, formatNotices } from './lib/third-party-notices.mjs';

/** Licences that forbid distributing the app. */
const FORBIDDEN = /\b(A?GPL|SSPL|BUSL|unknown|UNLICENSED)/;

function writeNotices() {
  const notices = collectNotices(ROOT);
  const forbidden = notices.filter(({ license }) => FORBIDDEN.test(license.replaceAll('LGPL', '')));
  if (forbidden.length > 0) {
    throw problem(
      `The package may not carry ${forbidden.map(({ name, license }) => `${name} (${license})`).join(', ')}.`,
    );
  }
  fs.mkdirSync(CACHE, { recursive: true });
  fs.writeFileSync(path.join(CACHE, 'THIRD-PARTY-NOTICES.txt'), formatNotices(notices));
  say(`notices of ${notices.length} packages written`);
}

/** @returns {string[]} arguments for electron-builder in addition to electron-builder.yml */
function builderArguments() {
  const given = process.argv.slice(2);
  const home = findElectron();
  if (!home) throw problem('There is no Electron yet. Run "npm run setup" first.');
  if (home.kind === 'official') return given;
  say(
    `packing Electron ${home.version} from ${home.dist}, unpacked folder only: installers need the official Electron.`,
  );
  return ['--linux', 'dir', `-c.electronDist=${home.dist}`, `-c.electronVersion=${home.version}`, ...given];
}

try {
  writeNotices();
  const cli = createRequire(import.meta.url).resolve('electron-builder/cli.js');
  process.exitCode = await runForeground(
    process.execPath,
    [cli, '--publish', 'never', ...builderArguments()],
    process.env,
    ROOT,
  );
} catch (error) {
  if (!isProblem(error)) throw error;
  say(error.message);
  process.exitCode = 1;
}
