import type { AppError } from '#shared/app-error';
import type { App, DoctorCheck } from '../../app';
import { describeError, exitCodeOf, print, type ExitCode, type Terminal } from '../output';

function report(terminal: Terminal, checks: readonly DoctorCheck[]): boolean {
  const ok = checks.every((check) => check.ok);
  print(terminal, { ok, checks }, () =>
    checks.map((check) => `${check.ok ? '✓' : '✗'} ${check.name}: ${check.detail}`).join('\n'),
  );
  return ok;
}

/**
 * `patina doctor`: reports the configuration, the services that respond, and the isolation layers on this
 * machine.
 */
export async function doctorCommand(app: Pick<App, 'doctor'>, terminal: Terminal): Promise<ExitCode> {
  const checks = await app.doctor();
  const ok = report(terminal, checks);
  if (checks.some(({ error }) => error?.kind === 'CONFIG')) return 3;
  return ok ? 0 : 1;
}

/** The output of `patina doctor` when the app could not start: the refusal, in doctor's own format. */
export function doctorOfRefusedStart(error: AppError, terminal: Terminal): ExitCode {
  report(terminal, [{ name: 'start', ok: false, detail: describeError(error), error }]);
  return exitCodeOf(error);
}
