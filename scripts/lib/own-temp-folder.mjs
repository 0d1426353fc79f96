import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say } from './say.mjs';

/** Where the systems look for the temporary folder. */
const NAMES = ['TMPDIR', 'TEMP', 'TMP'];

/**
 * Gives a test run a temporary folder of its own and removes it with everything that the tests leave there:
 * hundreds of databases and projects in each run. Vitest and Playwright call it before their workers start.
 * @returns {() => void} removes the folder and restores the environment
 */
export default function ownTempFolder() {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'patina-tests-'));
  // Some tests start the app as another user, who needs the rights of the system's own temporary folder.
  fs.chmodSync(folder, 0o1777);
  const before = { ...process.env };
  for (const name of NAMES) process.env[name] = folder;
  return () => {
    for (const name of NAMES) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    try {
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      say(`${folder} was not removed: ${String(error)}`);
    }
  };
}
