import { readFileSync } from 'node:fs';

export interface ProcessFacts {
  /**
   * CPU milliseconds of the first thread since its start: scripts run there, and V8 compiles on other
   * threads.
   */
  readonly cpuMs: number;
  /** Megabytes of resident memory. */
  readonly rssMb: number;
  /** Ready to run but waiting for a processor or the disk: slow, not dead. */
  readonly runnable: boolean;
  /** Stopped by a signal, so it will not answer. */
  readonly stopped: boolean;
}

/** The kernel counts CPU time in hundredths of a second on every Linux that Node supports. */
const MS_PER_TICK = 10;
/** Pages per megabyte at the page size of the tested systems. */
const PAGES_PER_MB = 256;

/** The system's facts about a process; undefined on systems other than Linux or when the process is gone. */
export function readProcessFacts(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
    // The name before the last ")" may contain any character; state is the field after it, utime and stime
    // follow 11 fields later, and resident pages 10 after those.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    const rssMb = Number(fields[21]) / PAGES_PER_MB;
    return {
      cpuMs: ticks * MS_PER_TICK,
      rssMb,
      runnable: /[RD]/.test(fields[0] ?? ''),
      stopped: fields[0] === 'T' || fields[0] === 't',
    };
  } catch {
    return undefined;
  }
}
