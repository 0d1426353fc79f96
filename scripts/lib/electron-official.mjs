import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { runCommand } from './run-command.mjs';

const PACKAGE = path.join(ROOT, 'node_modules', 'electron');
const PROBE_MS = 8_000;
const INSTALL_MS = 15 * 60_000;

/** @param {string} version @returns {string | null} the folder of the official distribution when it is complete */
export function officialDist(version) {
  try {
    const dist = path.join(PACKAGE, 'dist');
    const found = fs.readFileSync(path.join(dist, 'version'), 'utf8').trim().replace(/^v/, '');
    const executable = fs.readFileSync(path.join(PACKAGE, 'path.txt'), 'utf8');
    return found === version && fs.existsSync(path.join(dist, executable)) ? dist : null;
  } catch {
    return null;
  }
}

/**
 * Downloads the pinned Electron with its own installer, which verifies the checksums in the package. Limits
 * the time: an unreachable site is detected in seconds, and a download may take a quarter of an hour.
 * @param {string} version
 * @returns {Promise<{ok: true, dist: string} | {ok: false, reason: string}>}
 */
export async function installOfficial(version) {
  const unreachable = await probe();
  if (unreachable) return { ok: false, reason: unreachable };
  // A dist folder without a path.txt is an incomplete install; the installer would unpack over it.
  fs.rmSync(path.join(PACKAGE, 'dist'), { recursive: true, force: true });
  const result = await runCommand(process.execPath, [path.join(PACKAGE, 'install.js')], {
    timeoutMs: INSTALL_MS,
  });
  const dist = officialDist(version);
  if (dist) return { ok: true, dist };
  return { ok: false, reason: reasonOf(result) };
}

/**
 * @returns {Promise<string | null>} why the download site is unreachable; null when it responds or cannot be
 * queried directly
 */
async function probe() {
  const { env } = process;
  const mirrored = env.ELECTRON_MIRROR ?? env.npm_config_electron_mirror;
  const proxied = env.HTTPS_PROXY ?? env.https_proxy ?? env.npm_config_https_proxy ?? env.npm_config_proxy;
  if (mirrored || proxied) return null;
  try {
    await fetch('https://github.com/electron/electron/releases/', {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    return null;
  } catch {
    return 'github.com does not answer';
  }
}

/** @param {import('./run-command.mjs').CommandResult} result */
function reasonOf(result) {
  if (result.code === 124) return 'the download took too long';
  const line = result.output.split('\n').find((text) => /error/i.test(text));
  return line ? line.trim().slice(0, 160) : 'the download failed';
}
