import { spawn } from 'node:child_process';
import os from 'node:os';

/**
 * Runs a program in our place: it shares our streams, receives our signals, and determines our exit code.
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [cwd]
 * @returns {Promise<number>} its exit code; 128 + n when signal n ended it
 */
export function runForeground(file, args, env = process.env, cwd = process.cwd()) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: 'inherit',
      env,
      cwd,
      shell: process.platform === 'win32' && file === 'npm',
    });
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, pass);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve(code ?? 128 + (signal ? os.constants.signals[signal] : 0));
    });
  });
}
