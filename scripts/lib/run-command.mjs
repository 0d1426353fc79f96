import { spawn } from 'node:child_process';

/**
 * @typedef {object} CommandResult
 * @property {number} code exit code; 127 when the command could not be started, 124 after a timeout
 * @property {string} output the end of its output (both streams), for a message
 */

const KEPT = 8_000;

/**
 * Runs a program until it exits. Its output never goes to our standard output.
 * @param {string} file
 * @param {string[]} args a list, never a shell command line
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, show?: boolean, keep?: number}} [options]
 * `show` passes its output to standard error; `keep` is the number of characters to return
 * @returns {Promise<CommandResult>}
 */
export function runCommand(file, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: [options.show ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
      shell: process.platform === 'win32' && file === 'npm',
    });
    let output = '';
    let late = false;
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output = (output + chunk.toString()).slice(-(options.keep ?? KEPT));
      if (options.show) process.stderr.write(chunk);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = options.timeoutMs
      ? setTimeout(() => ((late = true), child.kill('SIGKILL')), options.timeoutMs)
      : null;
    const end = (/** @type {CommandResult} */ result) => {
      if (timer) clearTimeout(timer);
      resolve(result);
    };
    child.on('error', (error) => end({ code: 127, output: error.message }));
    child.on('close', (code) => end({ code: late ? 124 : (code ?? 1), output }));
  });
}
