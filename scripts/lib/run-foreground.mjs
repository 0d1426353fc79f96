import { spawn } from 'node:child_process';
import os from 'node:os';
import readline from 'node:readline';

/**
 * Runs a program in our place: it shares our streams, receives our signals, and determines our exit code.
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [cwd]
 * @returns {Promise<number>} its exit code; 128 + n when signal n ended it
 */
export function runForeground(file, args, env = process.env, cwd = process.cwd()) {
  const shell = process.platform === 'win32' && file === 'npm';
  return exitCodeOf(spawn(file, args, { stdio: 'inherit', env, cwd, shell }), 'exit');
}

/**
 * Runs a program beside others: its output is repeated line by line, so that none cuts another's lines.
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} its exit code; 128 + n when signal n ended it
 */
export function runBeside(file, args, env) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  for (const input of [child.stdout, child.stderr])
    readline.createInterface({ input }).on('line', (line) => process.stdout.write(`${line}\n`));
  return exitCodeOf(child, 'close');
}

/**
 * Passes our signals on to a program until it ends.
 * @param {import('node:child_process').ChildProcess} child
 * @param {'exit' | 'close'} end `close` comes after the last of its output
 * @returns {Promise<number>}
 */
function exitCodeOf(child, end) {
  return new Promise((resolve, reject) => {
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, pass);
    child.on('error', reject);
    child.on(end, (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve(code ?? 128 + (signal ? os.constants.signals[/** @type {NodeJS.Signals} */ (signal)] : 0));
    });
  });
}
