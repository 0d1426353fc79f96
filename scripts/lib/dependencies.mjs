import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { explainDisk, problem } from './problem.mjs';
import { runCommand } from './run-command.mjs';
import { say } from './say.mjs';

/**
 * @typedef {object} DependencyDeps
 * @property {string} [root]
 * @property {(root: string) => Promise<import('./run-command.mjs').CommandResult>} [install]
 */

/** @param {string} root */
const stampFile = (root) => path.join(root, 'node_modules', '.patina-stamp');

/** The inputs of an install: the lock file, the Node version, and the machine. @param {string} root */
function wantedStamp(root) {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  const hash = crypto.createHash('sha256').update(lock).digest('hex');
  return [hash, process.version, process.platform, process.arch].join(' ');
}

/**
 * @param {string} [root]
 * @returns {boolean} whether node_modules matches the lock file, according to the stamp and the packages
 * named in package.json
 */
export function hasDependencies(root = ROOT) {
  try {
    return fs.readFileSync(stampFile(root), 'utf8') === wantedStamp(root) && hasNamedPackages(root);
  } catch {
    return false;
  }
}

/** Deleting a folder does not change the stamp. @param {string} root */
function hasNamedPackages(root) {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return names.every((name) => fs.existsSync(path.join(root, 'node_modules', name, 'package.json')));
}

/**
 * Whether a developer's own `npm install` already installed what the lock file names: npm writes its own list
 * last.
 * @param {string} root
 */
function wasInstalledByHand(root) {
  try {
    const wanted = packagesOf(path.join(root, 'package-lock.json'));
    const found = packagesOf(path.join(root, 'node_modules', '.package-lock.json'));
    if (!hasNamedPackages(root)) return false;
    return Object.entries(wanted).every(([name, entry]) => {
      const left = found[name];
      if (name === '' || (!left && (entry.optional || entry.devOptional))) return true;
      return left?.version === entry.version && left?.integrity === entry.integrity;
    });
  } catch {
    return false;
  }
}

/**
 * @param {string} lockFile
 * @returns {Record<string, {version?: string, integrity?: string, optional?: boolean, devOptional?: boolean}>}
 */
function packagesOf(lockFile) {
  return JSON.parse(fs.readFileSync(lockFile, 'utf8')).packages;
}

/**
 * Runs `npm ci` when needed. Removes the stamp first and writes it last, so that a killed install runs again.
 * @param {DependencyDeps} [deps]
 */
export async function provideDependencies({ root = ROOT, install = npmCi } = {}) {
  if (hasDependencies(root)) return;
  if (wasInstalledByHand(root)) {
    fs.writeFileSync(stampFile(root), wantedStamp(root));
    return;
  }
  say('installing what package-lock.json names (npm ci) …');
  try {
    fs.rmSync(stampFile(root), { force: true });
    const result = await install(root);
    if (result.code !== 0) throw explainDisk(installFailure(result), 'installing packages', root);
    fs.writeFileSync(stampFile(root), wantedStamp(root));
  } catch (error) {
    throw explainDisk(error, 'installing packages', path.join(root, 'node_modules'));
  }
}

/** @param {string} root */
function npmCi(root) {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'];
  return runCommand('npm', args, { cwd: root, timeoutMs: 30 * 60_000 });
}

/** @param {import('./run-command.mjs').CommandResult} result */
function installFailure(result) {
  const { output } = result;
  const code = ['ENOSPC', 'EACCES', 'EPERM', 'EROFS'].find((name) => output.includes(name));
  if (code) return Object.assign(new Error(output), { code });
  if (/EINTEGRITY/.test(output)) {
    return problem(
      'A downloaded package is not the one package-lock.json names (EINTEGRITY). Run "npm cache verify" and start again.',
    );
  }
  if (/EUSAGE/.test(output))
    return problem('package-lock.json does not fit package.json. Run "npm install" and commit both.');
  const reason =
    output.split('\n').find((line) => /npm error/.test(line)) ?? output.trim().split('\n').pop() ?? '';
  return problem(
    `npm ci failed (${reason.replace(/^npm error\s*/, '').slice(0, 200)}). Fix that and start again.`,
  );
}
