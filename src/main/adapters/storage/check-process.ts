import { constants, setPriority } from 'node:os';
import type { CheckAnswer } from '../../../core/ports/database-check';
import { structureProblem } from './check-database';
import { eraseDeleted, makeCopy } from './session-copies';

/**
 * Entry of the process that reads every page of a sessions file: `check-process <file>`. With `copy` as a
 * further argument it makes the daily copy; with `erase` it removes deleted sessions from the file and its
 * copies. It runs at the lowest priority and answers over the port of a utility process or the channel of a
 * child process.
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
  // Without the lower priority it competes like any other process.
}
const [, , path = '', task = 'check'] = process.argv;
const answer = check(path, task);
// A utility process has a port instead of a channel and ends with its parent; a child process ends when the
// channel closes.
if (process.send) process.send(answer, () => process.disconnect());
else process.parentPort.postMessage(answer);
