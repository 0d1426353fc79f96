import fs from 'node:fs';
import path from 'node:path';
import { CACHE, ROOT } from './lib/paths.mjs';
import { runCommand } from './lib/run-command.mjs';

// Compiles each layer with only the globals it may use; two at a time, because machines have at least two
// cores.
const layers = fs.readdirSync(ROOT).filter((name) => /^tsconfig\.(?!base)[a-z-]+\.json$/.test(name));
// The native compiler; the linter still needs the one in JavaScript.
const tsc = path.join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc');

/** @param {string} layer @returns {Promise<boolean>} */
async function isSound(layer) {
  const info = path.join(CACHE, 'types', layer.replace(/json$/, 'tsbuildinfo'));
  const args = ['--noEmit', '--incremental', '--tsBuildInfoFile', info, '--pretty', 'false', '-p', layer];
  const result = await runCommand(process.execPath, [tsc, ...args], {
    cwd: ROOT,
    keep: Infinity,
  });
  if (result.code === 0) return true;
  process.stdout.write(`${layer}\n${result.output}\n`);
  return false;
}

const waiting = [...layers];
let sound = true;
/** Checks layers until none is left. */
async function work() {
  for (let layer = waiting.shift(); layer; layer = waiting.shift()) sound = (await isSound(layer)) && sound;
}
await Promise.all([work(), work()]);
process.exitCode = sound ? 0 : 1;
