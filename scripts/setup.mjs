import { hasBuild, provideBuild } from './lib/app-build.mjs';
import { missingPackages, provideDebianPackages } from './lib/debian.mjs';
import { hasDependencies, provideDependencies } from './lib/dependencies.mjs';
import { findElectron, provideElectron } from './lib/electron.mjs';
import { assertNodeVersion } from './lib/node-version.mjs';
import { isProblem } from './lib/problem.mjs';
import { say } from './lib/say.mjs';
import { withSetupLock } from './lib/setup-lock.mjs';
import { startMode } from './lib/start-mode.mjs';

/**
 * @typedef {object} Needs the requirements of a command besides Node and the packages
 * @property {boolean} [electron]
 * @property {boolean} [virtualDisplay] Xvfb and fonts, for an invisible window
 * @property {boolean} [testTools] programs that only tests run
 * @property {boolean} [build]
 */

/** @type {Record<string, Needs>} */
const NEEDS = {
  window: { electron: true, build: true },
  chat: { build: true },
  demo: { electron: true, virtualDisplay: true, build: true },
  patina: { build: true },
  check: {},
  test: { electron: true, virtualDisplay: true, testTools: true, build: true },
  screenshots: { electron: true, virtualDisplay: true, build: true },
  bench: { electron: true, virtualDisplay: true, build: true },
  package: { electron: true, build: true },
  all: { electron: true, build: true },
};

/** @param {Needs} needs */
function isReady(needs) {
  return (
    hasDependencies() &&
    (!needs.build || hasBuild()) &&
    (!needs.electron || (findElectron() !== null && missingPackages(packages(needs)).length === 0))
  );
}

/** @param {Needs} needs */
const packages = (needs) => ({
  virtualDisplay: needs.virtualDisplay === true,
  testTools: needs.testTools === true,
});

/** @param {Needs} needs @param {boolean} fresh */
async function setUp(needs, fresh) {
  await provideDependencies();
  if (needs.electron) {
    await provideDebianPackages(packages(needs));
    await provideElectron({ fresh });
  }
  if (needs.build) await provideBuild();
}

async function main() {
  const [what = 'all', ...flags] = process.argv.slice(2);
  const fresh = flags.includes('--fresh');
  assertNodeVersion();
  const needs = NEEDS[what === 'start' ? startMode() : what];
  if (!needs) throw new Error(`unknown set-up "${what}"`);
  if (!fresh && isReady(needs)) return;
  await withSetupLock(() => setUp(needs, fresh));
}

main().catch((error) => {
  if (!isProblem(error)) throw error;
  say(error.message);
  process.exitCode = 1;
});
