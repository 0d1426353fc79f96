import { randomUUID } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import type { CheckAnswer } from '../../../core/ports/database-check';
import { makeBackup } from '../backup/make-backup';
import { stageRestore } from '../backup/stage-restore';
import { structureProblem } from './check-database';
import { processAlive } from '../system/process-alive';
import { repairAsWriter, sessionDamage } from './repair-session';
import { eraseDeleted, makeCopy } from './session-copies';

const self = { holder: `repair#${randomUUID()}`, pid: process.pid };

/**
 * Entry of the process that reads every page of a sessions file: `check-process <file>`. With `copy` as a
 * further argument it makes the daily copy; with `erase` it removes deleted sessions from the file and its copies;
 * with `session` and an id it checks every event of a session, with `repair` and an id it repairs them; with `backup`
 * or `stage-restore` and an archive it saves or prepares the whole folder. It runs at a low priority and answers over
 * the port of a utility process or the channel of a child process.
 */
async function check(path: string, task: string, subject: string): Promise<CheckAnswer> {
  try {
    switch (task) {
      case 'erase':
        return { problem: eraseDeleted(path) };
      case 'copy':
        return { problem: makeCopy(path, Date.now()) };
      case 'session':
        return { problem: sessionDamage(path, subject) };
      case 'repair':
        return { problem: repairAsWriter(path, subject, { self, processAlive }) };
      case 'backup':
        return { problem: await makeBackup(dirname(path), subject, Date.now()) };
      case 'stage-restore':
        return { problem: await stageRestore(dirname(path), subject, Date.now()) };
      default:
        return { problem: structureProblem(path) };
    }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

const [, , path = '', task = 'check', subject = ''] = process.argv;
try {
  // The user looks at the session that is checked or repaired; nobody waits for the other work.
  const { PRIORITY_LOW, PRIORITY_BELOW_NORMAL } = constants.priority;
  setPriority(task === 'session' || task === 'repair' ? PRIORITY_BELOW_NORMAL : PRIORITY_LOW);
} catch {
  // Without the lower priority it competes like any other process.
}
const answer = await check(path, task, subject);
// A utility process has a port instead of a channel and ends with its parent; a child process ends when the
// channel closes.
if (process.send) process.send(answer, () => process.disconnect());
else process.parentPort.postMessage(answer);
