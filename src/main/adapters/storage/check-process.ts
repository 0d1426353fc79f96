import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import type { CheckAnswer } from '../../../core/ports/database-check';
import { makeBackup } from '../backup/make-backup';
import { stageRestore } from '../backup/stage-restore';
import { structureProblem } from './check-database';
import { eraseDeleted, makeCopy } from './session-copies';

/**
 * Entry of the process that reads every page of a sessions file: `check-process <file>`. With `copy` as a
 * further argument it makes the daily copy; with `erase` it removes deleted sessions from the file and its
 * copies; with `backup` or `stage-restore` and an archive it saves or prepares the whole folder. It runs at the lowest priority and answers over the port of a utility process or the channel of a
 * child process.
 */
async function check(path: string, task: string, archive: string): Promise<CheckAnswer> {
  try {
    switch (task) {
      case 'erase':
        return { problem: eraseDeleted(path) };
      case 'copy':
        return { problem: makeCopy(path, Date.now()) };
      case 'backup':
        return { problem: await makeBackup(dirname(path), archive, Date.now()) };
      case 'stage-restore':
        return { problem: await stageRestore(dirname(path), archive, Date.now()) };
      default:
        return { problem: structureProblem(path) };
    }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

try {
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // Without the lower priority it competes like any other process.
}
const [, , path = '', task = 'check', archive = ''] = process.argv;
const answer = await check(path, task, archive);
// A utility process has a port instead of a channel and ends with its parent; a child process ends when the
// channel closes.
if (process.send) process.send(answer, () => process.disconnect());
else process.parentPort.postMessage(answer);
