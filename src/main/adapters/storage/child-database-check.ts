import { fork } from 'node:child_process';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { CheckAnswer, DatabaseTask, StartDatabaseCheck } from '../../../core/ports/database-check';

const failures: Readonly<Record<DatabaseTask, string>> = {
  check: 'The sessions file could not be checked',
  copy: 'The daily copy could not be made',
  erase: 'The deleted sessions could not be erased from the file',
  session: 'The events of the session could not be checked',
  repair: 'The session could not be repaired',
  backup: 'The backup could not be written',
  'stage-restore': 'The backup could not be read',
};

/** Converts the answer of a check process; null means that the process ended without an answer. */
export function findingOf(answer: CheckAnswer | null, task: DatabaseTask): Result<string | null> {
  if (answer && 'problem' in answer) return ok(answer.problem);
  const reason = answer ? answer.failed : 'its process ended early';
  return err(appError('HOST', 'STORAGE', `${failures[task]}: ${reason}`, { retryable: true }));
}

/** Runs checks in forked Node processes, for the command line. `bundle` is the built `check-process.js`. */
export function createChildDatabaseCheck(bundle: string): StartDatabaseCheck {
  return (path, task = 'check', subject = '') => {
    const child = fork(bundle, [path, task, subject], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const finding = new Promise<Result<string | null>>((resolve) => {
      child.once('message', (answer) => resolve(findingOf(answer as CheckAnswer, task)));
      child.once('error', () => resolve(findingOf(null, task)));
      child.once('exit', () => resolve(findingOf(null, task)));
    });
    return { finding, cancel: () => void child.kill('SIGKILL') };
  };
}
