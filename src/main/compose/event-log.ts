import { join } from 'node:path';
import type { Notice } from '#shared/notice';
import { createEventLogFile } from '../adapters/telemetry/event-log-file';
import { redactText } from '../../core/agent/redact-text';
import type { CoreDeps } from './core-deps';
import type { ProcessHost } from '../adapters/process-host';
import type { EventLog } from '../../core/ports/event-log';

/** Environment values whose names mark them as secrets. */
const secretsOf = (env: ProcessHost['env']): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /key|token|secret|passw|credential/i.test(name) ? [value] : [],
  );

/** The secret values on this machine, to be masked in everything Patina writes beside its sessions. */
export const secretsIn = ({
  host,
  knownSecrets,
}: Pick<CoreDeps, 'host' | 'knownSecrets'>): readonly string[] => [...secretsOf(host.env), ...knownSecrets()];

export function composeEventLog(parts: Pick<CoreDeps, 'host' | 'knownSecrets' | 'clock'>): EventLog {
  return createEventLogFile({
    folder: join(parts.host.home, 'logs'),
    clock: parts.clock,
    redact: (text) => redactText(text, secretsIn(parts)),
  });
}

/**
 * Logs the lifetime of this process: start, end, notices to the user, and errors. Returns a function that
 * stops it.
 */
export function logProcess({
  host,
  eventLog,
  notices,
}: Pick<CoreDeps, 'host' | 'eventLog' | 'notices'>): () => void {
  const app = host.kind === 'app';
  const onNotice = ({ id, level, title, detail }: Notice): void =>
    eventLog.write('notice-raised', { id, level, title, detail });
  const onFailure = (error: Error): void => eventLog.write('process-failed', { message: String(error) });
  if (app) eventLog.write('app-started', { version: host.version, platform: process.platform });
  notices.all().forEach(onNotice);
  const unsubscribe = notices.subscribe(onNotice);
  process.on('uncaughtExceptionMonitor', onFailure);
  return () => {
    unsubscribe();
    process.off('uncaughtExceptionMonitor', onFailure);
    if (app) eventLog.write('app-stopped');
  };
}
