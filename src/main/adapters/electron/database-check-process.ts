import { utilityProcess } from 'electron';
import type { CheckAnswer, StartDatabaseCheck } from '../../../core/ports/database-check';
import type { Result } from '#shared/result';
import { findingOf } from '../storage/child-database-check';

/** Checks in utility processes, which the packaged app can start though it cannot run as Node. `bundle` is the built `check-process.js`. */
export function createUtilityDatabaseCheck(bundle: string): StartDatabaseCheck {
  return (path, task = 'check') => {
    const child = utilityProcess.fork(bundle, [path, task], {
      serviceName: 'Patina sessions check',
      // An empty object would hand over our whole environment; this one replaces it.
      env: { TZ: 'UTC', LANG: 'C.UTF-8' },
      stdio: 'ignore',
    });
    const finding = new Promise<Result<string | null>>((resolve) => {
      child.once('message', (answer: CheckAnswer) => {
        resolve(findingOf(answer));
        child.kill();
      });
      child.once('exit', () => resolve(findingOf(null)));
    });
    return { finding, cancel: () => void child.kill() };
  };
}
