import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline/promises';
import { problem } from './problem.mjs';
import { runCommand } from './run-command.mjs';
import { say } from './say.mjs';

/**
 * @typedef {object} Need
 * @property {string[]} names the same package under its names in different releases; any one suffices
 * @property {boolean} vital whether Electron fails to start without it
 */

/** @param {...string} names @returns {Need} */
const vital = (...names) => ({ names, vital: true });
/** @param {...string} names @returns {Need} */
const nice = (...names) => ({ names, vital: false });

const WINDOW = [
  vital('libgtk-3-0', 'libgtk-3-0t64'),
  vital('libnss3'),
  vital('libasound2', 'libasound2t64'),
  vital('libgbm1'),
  vital('libatk-bridge2.0-0', 'libatk-bridge2.0-0t64'),
  vital('libxss1'),
  vital('libcups2', 'libcups2t64'),
  vital('libdrm2'),
];
const VIRTUAL_DISPLAY = [
  vital('xvfb'),
  vital('xauth'),
  nice('fonts-noto-core', 'fonts-dejavu-core'),
  nice('fonts-noto-color-emoji'),
];

/** What a test needs that looks at the system calls of a process; without it, `npm test` proves less and fails. */
const TEST_TOOLS = [vital('strace')];

const STATUS = '/var/lib/dpkg/status';

/** @typedef {{virtualDisplay: boolean, testTools: boolean}} WantedPackages */

/**
 * @param {WantedPackages & {statusFile?: string}} options
 * @returns {Need[]} the packages that Debian is missing; none on other systems
 */
export function missingPackages({ virtualDisplay, testTools, statusFile = STATUS }) {
  if (process.platform !== 'linux' || !fs.existsSync(statusFile)) return [];
  const installed = installedPackages(fs.readFileSync(statusFile, 'utf8'));
  const needs = [...WINDOW, ...(virtualDisplay ? VIRTUAL_DISPLAY : []), ...(testTools ? TEST_TOOLS : [])];
  return needs.filter((need) => !need.names.some((name) => installed.has(name)));
}

/** @param {string} status the text of dpkg's status file */
function installedPackages(status) {
  /** @type {Set<string>} */
  const names = new Set();
  for (const match of status.matchAll(/^Package: (.+)\nStatus: \S+ ok installed$/gm))
    names.add(String(match[1]));
  return names;
}

/**
 * Installs missing packages: as root immediately, at a terminal after confirmation, otherwise it prints the
 * command to run. Missing fonts are not worth a failure.
 * @param {WantedPackages} wanted
 */
export async function provideDebianPackages(wanted) {
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const names = await availableNames(missing);
  const command = `apt-get install -y --no-install-recommends ${names.join(' ')}`;
  if (names.length > 0 && (await mayInstall(command))) await install(names);
  const still = missingPackages(wanted);
  if (still.length === 0) return;
  const line = `Patina needs system packages. Type: sudo ${command}`;
  if (still.some((need) => need.vital)) throw problem(line);
  say(`optional fonts are missing, so some text may look poor. Type: sudo ${command}`);
}

/** @param {Need[]} needs @returns {Promise<string[]>} the name of each package in this release */
async function availableNames(needs) {
  const known = await knownNames(needs);
  if (isRoot() && needs.some((need) => !need.names.some((name) => known.has(name)))) {
    await runCommand('apt-get', ['update', '-qq'], { timeoutMs: 5 * 60_000 });
    return pickNames(needs, await knownNames(needs));
  }
  return pickNames(needs, known);
}

/** @param {Need[]} needs @param {Set<string>} known @returns {string[]} */
const pickNames = (needs, known) =>
  needs.map((need) => need.names.find((name) => known.has(name)) ?? String(need.names[0]));

/** @param {Need[]} needs @returns {Promise<Set<string>>} the names that the package manager can install */
async function knownNames(needs) {
  const { output } = await runCommand('apt-cache', ['policy', ...needs.flatMap((need) => need.names)]);
  const blocks = output.matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (.+)$/gm);
  return new Set([...blocks].filter((block) => block[2] !== '(none)').map((block) => String(block[1])));
}

/** @param {string} command */
async function mayInstall(command) {
  if (!findOnPath('apt-get')) return false;
  if (isRoot()) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY || !findOnPath('sudo')) return false;
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Patina needs system packages. Run "sudo ${command}"? [Y/n] `);
  terminal.close();
  return /^(y(es)?)?$/i.test(answer.trim());
}

/** @param {string[]} names */
async function install(names) {
  say(`installing ${names.join(' ')} …`);
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...names];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const [file, all] = isRoot() ? ['apt-get', args] : ['sudo', ['apt-get', ...args]];
  const options = { env, show: !isRoot(), timeoutMs: 15 * 60_000 };
  const first = await runCommand(String(file), /** @type {string[]} */ (all), options);
  if (first.code === 0 || !isRoot()) return;
  // Outdated package lists name files that the mirror no longer has.
  await runCommand('apt-get', ['update', '-qq'], { timeoutMs: 5 * 60_000 });
  const second = await runCommand('apt-get', args, options);
  if (second.code !== 0) say(`apt-get: ${second.output.trim().split('\n').pop() ?? 'failed'}`);
}

const isRoot = () => process.getuid?.() === 0;

/** @param {string} name @returns {boolean} */
export function findOnPath(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.some((folder) => folder !== '' && fs.existsSync(path.join(folder, name)));
}
