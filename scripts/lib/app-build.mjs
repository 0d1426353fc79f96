import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { explainDisk, problem } from './problem.mjs';
import { runCommand } from './run-command.mjs';
import { say } from './say.mjs';

/** The inputs of the build. A test file cannot affect the result. */
const SOURCES = [
  'src',
  'seeds',
  'package.json',
  'electron.vite.config.ts',
  'vite.worker.config.ts',
  'tsconfig.base.json',
];

/** @param {string} root */
const stampFile = (root) => path.join(root, 'out', '.patina-stamp');

/** @param {string} [root] @returns {boolean} whether out/ is complete and was built from the current files */
export function hasBuild(root = ROOT) {
  try {
    const [sources, ...built] = fs.readFileSync(stampFile(root), 'utf8').split('\n');
    return (
      sources === wantedStamp(root) && built.every((name) => fs.existsSync(path.join(root, 'out', name)))
    );
  } catch {
    return false;
  }
}

/** @param {string} root @returns {string[]} every file of the build */
function builtFiles(root) {
  const out = path.join(root, 'out');
  const entries = fs.readdirSync(out, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(out, path.join(entry.parentPath, entry.name)));
}

/**
 * Builds the app when a source has changed. Removes the stamp first and writes it last, so that a killed
 * build runs again.
 * @param {{root?: string, build?: (root: string) => Promise<import('./run-command.mjs').CommandResult>}} [deps]
 */
export async function provideBuild({ root = ROOT, build = npmBuild } = {}) {
  if (hasBuild(root)) return;
  say('building the app …');
  try {
    fs.rmSync(stampFile(root), { force: true });
    // Computed before the build: after a change during the build, the stamp no longer matches.
    const stamp = wantedStamp(root);
    const result = await build(root);
    if (result.code !== 0) throw explainDisk(buildFailure(result.output), 'building', path.join(root, 'out'));
    fs.mkdirSync(path.join(root, 'out'), { recursive: true });
    fs.writeFileSync(stampFile(root), [stamp, ...builtFiles(root)].join('\n'));
  } catch (error) {
    throw explainDisk(error, 'building', path.join(root, 'out'));
  }
}

/** @param {string} root */
function npmBuild(root) {
  return runCommand('npm', ['run', '--silent', 'build'], { cwd: root, timeoutMs: 10 * 60_000 });
}

/** Lines that announce an error without describing it. */
const heading = /^(?:error during build|(?:.*error: )?build failed with \d+ errors?):?$/i;
/** The error's location as the bundler prints it: `╭─[ src/main/cli.ts:78:11 ]`. */
const place = /\[ (\S+:\d+:\d+) \]/;

/** @param {string} output */
function buildFailure(output) {
  const code = ['ENOSPC', 'EACCES', 'EROFS'].find((name) => output.includes(name));
  if (code) return Object.assign(new Error(output), { code });
  const plain = output.replaceAll(/\u001b\[[0-9;]*m/g, '');
  const lines = plain.split('\n').map((text) => text.trim());
  const after = lines
    .slice(lines.findLastIndex((text) => heading.test(text)) + 1)
    .filter((text) => text !== '');
  const announced = after.length > 0 && lines.some((text) => heading.test(text));
  const line = (announced ? after[0] : after.find((text) => /error/i.test(text))) ?? after.at(-1) ?? '';
  const where = place.exec(plain)?.[1];
  const reason = `${line.slice(0, 200)}${where ? `, ${where}` : ''}`;
  return problem(`The build failed (${reason}). "npm run build" shows the whole message.`);
}

/** @param {string} root */
function wantedStamp(root) {
  const hash = crypto.createHash('sha256').update(process.version);
  for (const source of SOURCES) hashEntry(hash, root, source);
  return hash.digest('hex');
}

/** @param {crypto.Hash} hash @param {string} root @param {string} name relative to the root */
function hashEntry(hash, root, name) {
  const full = path.join(root, name);
  const stat = fs.statSync(full, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isDirectory()) {
    for (const entry of fs.readdirSync(full).sort()) hashEntry(hash, root, path.join(name, entry));
  } else if (!/\.test\.tsx?$/.test(name)) {
    hash.update(`${name}\0${stat.size}\0${stat.mtimeMs}\n`);
  }
}
