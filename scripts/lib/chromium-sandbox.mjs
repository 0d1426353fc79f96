import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline/promises';
import { findElectron } from './electron.mjs';
import { problem } from './problem.mjs';
import { runForeground } from './run-foreground.mjs';

/** Kernel settings that prevent an ordinary user from creating the namespaces Chromium's sandbox needs. */
const CLOSED = [
  { file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns', value: '1' },
  { file: '/proc/sys/kernel/unprivileged_userns_clone', value: '0' },
  { file: '/proc/sys/user/max_user_namespaces', value: '0' },
];

/**
 * On Linux systems without user namespaces, root must own Electron's sandbox program. This asks the user for
 * that and never works around it: the window shows text written by models and must not silently lose its
 * sandbox.
 */
export async function assertChromiumSandbox() {
  if (process.platform !== 'linux' || !CLOSED.some(({ file, value }) => readText(file) === value)) return;
  const home = findElectron();
  const program = path.join(home?.dist ?? '', 'chrome-sandbox');
  if (isSetuidRoot(program)) return;
  const script = `chown root:root '${program}' && chmod 4755 '${program}'`;
  if (await confirmed(script)) await runForeground('sudo', ['sh', '-c', script]);
  if (!isSetuidRoot(program)) {
    throw problem(
      `This system lets Chromium sandbox itself only with a program owned by root. Type: sudo sh -c "${script}"`,
    );
  }
}

/** @param {string} script */
async function confirmed(script) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(
    `Chromium's sandbox needs this once: sudo sh -c "${script}". Run it? [Y/n] `,
  );
  terminal.close();
  return /^(y(es)?)?$/i.test(answer.trim());
}

/** @param {string} file */
function isSetuidRoot(file) {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && stat.uid === 0 && (stat.mode & 0o4000) !== 0;
}

/** @param {string} file */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
