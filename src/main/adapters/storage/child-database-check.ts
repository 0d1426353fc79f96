import { fork } from 'node:child_process';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { CheckAnswer, StartDatabaseCheck } from '../../../core/ports/database-check';

/** Converts the answer of a check process; null means that the process ended without an answer. */
export function findingOf(answer: CheckAnswer | null): Result<string | null> {
  if (answer && 'problem' in answer) return ok(answer.problem);
  const reason = answer ? answer.failed : 'the process that checks it ended early';
  return err(
    appError('HOST', 'STORAGE', `The sessions file could not be checked: ${reason}`, { retryable: true }),
  );
}

/** Runs checks in forked Node processes, for the command line. `bundle` is the built `check-process.js`. */
export function createChildDatabaseCheck(bundle: string): StartDatabaseCheck {
  return (path, task = 'check', archive = '') => {
    const child = fork(bundle, [path, task, archive], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const finding = new Promise<Result<string | null>>((resolve) => {
      child.once('message', (answer) => resolve(findingOf(answer as CheckAnswer)));
      child.once('error', () => resolve(findingOf(null)));
      child.once('exit', () => resolve(findingOf(null)));
    });
    return { finding, cancel: () => void child.kill('SIGKILL') };
  };
}
