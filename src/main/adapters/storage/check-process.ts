import { constants, setPriority } from 'node:os';
import type { CheckAnswer } from '../../../core/ports/database-check';
import { structureProblem } from './check-database';
import { eraseDeleted, makeCopy } from './session-copies';

/**
 * Entry of the process that reads every page of a sessions file: `check-process <file>`, and with `copy` behind it makes the
 * daily copy, with `erase` takes deleted sessions out of the file and its copies. It runs at the lowest priority and answers
 * over the channel it was started with, a utility process's port or a child process's.
 */
function check(path: string, task: string): CheckAnswer {
  try {
    if (task === 'erase') return { problem: eraseDeleted(path) };
    return { problem: task === 'copy' ? makeCopy(path, Date.now()) : structureProblem(path) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

try {
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // It then takes its turn like any other process.
}
const [, , path = '', task = 'check'] = process.argv;
const answer = check(path, task);
// A utility process has a port and no channel; it ends with its parent, and a child when the channel closes.
if (process.send) process.send(answer, () => process.disconnect());
else process.parentPort.postMessage(answer);
