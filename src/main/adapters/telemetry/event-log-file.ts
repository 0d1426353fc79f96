import type { Clock } from '../../../core/ports/clock';
import type { EventLog } from '../../../core/ports/event-log';
import { createRotatingFile, type RotatingFileOptions } from './rotating-file';

export interface EventLogDeps extends Partial<RotatingFileOptions> {
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Masks secrets and limits the length of the text. */
  readonly redact: (text: string) => string;
}

const defaults: RotatingFileOptions = { bytesEach: 1_000_000, files: 3 };

/** `FOLDER/patina.jsonl`: one line of JSON per event. A disk error costs only the line. */
export function createEventLogFile({ folder, clock, redact, ...options }: EventLogDeps): EventLog {
  const { file, append } = createRotatingFile(folder, 'patina', { ...defaults, ...options });
  return {
    file,
    write(event, fields = {}) {
      const redacted = Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === 'string' ? redact(value) : value,
      ]);
      const row = { at: new Date(clock.now()).toISOString(), event, pid: process.pid };
      try {
        append(`${JSON.stringify({ ...row, ...Object.fromEntries(redacted) })}\n`);
      } catch {
        // A failure to write the log cannot be reported anywhere else.
      }
    },
  };
}
