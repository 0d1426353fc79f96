import type { App } from '../../app';
import { print, type ExitCode, type Terminal } from '../output';

/** `patina doctor`: what is configured, what answers, and which walls stand on this machine. */
export async function doctorCommand(app: App, terminal: Terminal): Promise<ExitCode> {
  const checks = await app.doctor();
  const ok = checks.every((check) => check.ok);
  print(terminal, { ok, checks }, () =>
    checks.map((check) => `${check.ok ? '✓' : '✗'} ${check.name}: ${check.detail}`).join('\n'),
  );
  if (checks.some(({ error }) => error?.kind === 'CONFIG')) return 3;
  return ok ? 0 : 1;
}
