import fs from 'node:fs';
import path from 'node:path';
import { explainDisk } from './problem.mjs';

/**
 * Creates the folder `target` atomically: `build` fills a temporary folder beside it, which is then renamed.
 * First removes the leftovers of a killed run.
 * @param {string} target
 * @param {string} doing for the message about a disk error
 * @param {(folder: string) => Promise<void> | void} build
 */
export async function buildAside(target, doing, build) {
  const parent = path.dirname(target);
  const prefix = `.${path.basename(target)}.part-`;
  try {
    fs.mkdirSync(parent, { recursive: true });
    removeLeftovers(parent, prefix);
    const folder = fs.mkdtempSync(path.join(parent, prefix));
    try {
      await build(folder);
      fs.rmSync(target, { recursive: true, force: true });
      fs.renameSync(folder, target);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw explainDisk(error, doing, parent);
  }
}

/** @param {string} parent @param {string} prefix */
function removeLeftovers(parent, prefix) {
  for (const name of fs.readdirSync(parent)) {
    if (name.startsWith(prefix)) fs.rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}
