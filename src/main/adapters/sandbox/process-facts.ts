import { readFileSync } from 'node:fs';

export interface ProcessFacts {
  /** CPU milliseconds its first thread used since it started: scripts run there, and V8 compiles beside it. */
  readonly cpuMs: number;
  /** Megabytes of memory that are really there. */
  readonly rssMb: number;
  /** Wants to go on and would, given a processor or the disk: slow, not dead. */
  readonly runnable: boolean;
  /** Stopped by a signal: it will not answer. */
  readonly stopped: boolean;
}

/** The kernel counts in hundredths of a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;
/** And in pages of this size on those it is tested on. */
const PAGES_PER_MB = 256;

/** What the system says of a process; undefined where it cannot be asked (no Linux) or the process is gone. */
export function readProcessFacts(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
    // The name before the last ")" may hold anything; state is the field after it, utime and stime are 11 further, pages in memory 10 after these.
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
