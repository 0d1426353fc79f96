import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CACHE } from './paths.mjs';
import { codeOf, explainDisk } from './problem.mjs';
import { say } from './say.mjs';

const POLL_MS = 200;

/**
 * Lets only one set-up at a time change the folder. Takes over the lock of a dead process.
 * @template T
 * @param {() => Promise<T>} work
 * @param {string} [file]
 * @returns {Promise<T>}
 */
export async function withSetupLock(work, file = path.join(CACHE, 'setup.lock')) {
  let told = false;
  while (!tryLock(file)) {
    if (!told) say('another set-up is running; waiting for it …');
    told = true;
    await wait(POLL_MS);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/** @param {string} file @returns {boolean} */
function tryLock(file) {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw explainDisk(error, 'preparing', path.dirname(file));
    if (isHeld(file)) return false;
    fs.rmSync(file, { recursive: true, force: true });
    return tryLock(file);
  }
}

/** @param {string} file */
function isHeld(file) {
  try {
    const pid = Number(fs.readFileSync(file, 'utf8'));
    if (!Number.isInteger(pid) || pid <= 0) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
