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

/**
 * The fields of a process in `/proc`, from its state on. The name before the last ")" may contain any character;
 * utime and stime follow 11 fields after the state, and resident pages 10 after those.
 */
function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Whether a process has ended and only waits for its parent to ask how; false on systems other than Linux. */
export function isZombie(pid: number): boolean {
  try {
    return statFields(pid)[0] === 'Z';
  } catch {
    return false;
  }
}

/** The system's facts about a process; undefined on systems other than Linux or when the process is gone. */
export function readProcessFacts(pid: number): ProcessFacts | undefined {
  try {
    const fields = statFields(pid);
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
