import type { address, errno, load } from 'koffi';
import type { KernelReport, RouteProbe } from '#shared/sandbox-protocol';
import { FILTERED_ARCHS, systemCallFilter } from './system-call-filter';
import type { FilteredArch } from './system-call-filter';

/** The part of the foreign-function library in use. */
interface Koffi {
  readonly load: typeof load;
  readonly errno: typeof errno;
  readonly address: typeof address;
}

/** One system call: returns its result, or the negative error number. */
type SystemCall = (number: number, ...args: readonly (number | bigint)[]) => number;

interface Kernel {
  readonly call: SystemCall;
  readonly addressOf: Koffi['address'];
  readonly arch: FilteredArch;
  readonly pid: number;
}

export interface KernelFilter {
  /** Installs the filter permanently on all threads of this process. */
  install(): KernelReport;
  /** Probes system calls that would be routes out; returns none when the library could not be loaded. */
  probe(): readonly RouteProbe[];
  /**
   * Milliseconds of CPU time of the calling thread, which Node does not report; the only native call that
   * remains in use.
   */
  readonly threadCpuMs: (() => number) | undefined;
}

const NUMBERS = {
  prctl: { x64: 157, arm64: 167 },
  seccomp: { x64: 317, arm64: 277 },
} as const;
const PR_SET_DUMPABLE = 4;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_FILTER_FLAG_TSYNC = 1;
const EPERM = 1;
const ARGUMENTS = 6;

/**
 * Loads the library at `addon` while files can still be opened. Once the filter is installed and the caller
 * has dropped the returned object, nothing in this process refers to the library, and no file can be opened
 * to load it again.
 */
export function prepareKernelFilter(addon: string | undefined): KernelFilter {
  // Captured here, because the lockdown removes the global.
  const { arch, pid } = process;
  const without = (detail: string): KernelFilter => ({
    install: () => ({ ok: false, detail }),
    probe: () => [],
    threadCpuMs: undefined,
  });
  if (addon === undefined || !isFiltered(arch)) return without('main did not ask for one');
  let call: SystemCall;
  let addressOf: Koffi['address'];
  let threadCpuMs: () => number;
  try {
    const loaded: { exports: Partial<Koffi> } = { exports: {} };
    process.dlopen(loaded, addon);
    ({ call, addressOf } = systemCalls(loaded.exports as Koffi));
    threadCpuMs = threadClock(loaded.exports as Koffi);
  } catch (thrown) {
    return without(`koffi cannot be loaded: ${thrown instanceof Error ? thrown.message : ''}`.slice(0, 400));
  }
  const kernel = { call, addressOf, arch, pid };
  return {
    install: () => installFilter(kernel),
    probe: () => probeCalls(kernel),
    threadCpuMs,
  };
}

const isFiltered = (arch: string): arch is FilteredArch => FILTERED_ARCHS.some((known) => known === arch);

function systemCalls(koffi: Koffi): { call: SystemCall; addressOf: Koffi['address'] } {
  const six = Array.from({ length: ARGUMENTS }, () => 'int64_t');
  const raw = koffi.load(null).func('syscall', 'int64_t', ['int64_t', ...six]) as (
    ...args: readonly (number | bigint)[]
  ) => number;
  const call: SystemCall = (number, ...args) => {
    const unused = Array.from({ length: ARGUMENTS - args.length }, () => 0);
    const result = raw(number, ...args, ...unused);
    return result === -1 ? -koffi.errno() : result;
  };
  return { call, addressOf: koffi.address };
}

const CLOCK_THREAD_CPUTIME_ID = 3;

function threadClock(koffi: Koffi): () => number {
  const gettime = koffi.load(null).func('clock_gettime', 'int', ['int', 'void *']);
  const time = Buffer.alloc(16);
  return () => {
    gettime(CLOCK_THREAD_CPUTIME_ID, time);
    return Number(time.readBigInt64LE(0)) * 1_000 + Number(time.readBigInt64LE(8)) / 1e6;
  };
}

/**
 * The order matters: without root, a process may install a filter only after it gave up gaining new
 * privileges.
 */
function installFilter({ call, addressOf, arch, pid }: Kernel): KernelReport {
  const program = systemCallFilter(arch, pid);
  const header = Buffer.alloc(16);
  header.writeUInt16LE(program.length / 8, 0);
  header.writeBigUInt64LE(addressOf(program), 8);
  const steps = {
    NoNewPrivs: () => call(NUMBERS.prctl[arch], PR_SET_NO_NEW_PRIVS, 1),
    'not dumpable': () => call(NUMBERS.prctl[arch], PR_SET_DUMPABLE, 0),
    seccomp: () =>
      call(NUMBERS.seccomp[arch], SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, addressOf(header)),
  };
  const failed = Object.entries(steps).find(([, step]) => step() !== 0);
  return failed === undefined
    ? { ok: true, detail: 'installed' }
    : { ok: false, detail: `the system refused: ${failed[0]}` };
}

const AT_FDCWD = -100;
/** A clone with only this flag is invalid: an allowed call fails with EINVAL and starts nothing. */
const CLONE_THREAD = 0x10000;

/** Tries one call of each kind that would be a route out, in a form that is harmless if allowed. */
function probeCalls({ call, addressOf, arch, pid }: Kernel): RouteProbe[] {
  const nowhere = Buffer.from('/nonexistent/patina-probe\0');
  const path = addressOf(nowhere);
  const tried: readonly (readonly [
    name: string,
    x64: number,
    arm64: number,
    ...args: readonly (number | bigint)[],
  ])[] = [
    ['openat', 257, 56, AT_FDCWD, path],
    ['socket', 41, 198, 1, 1],
    ['unlinkat', 263, 35, AT_FDCWD, path],
    ['renameat2', 316, 276, AT_FDCWD, path, AT_FDCWD, path],
    ['truncate', 76, 45, path],
    ['fchmodat', 268, 53, AT_FDCWD, path],
    ['mkdirat', 258, 34, AT_FDCWD, path],
    ['clone', 56, 220, CLONE_THREAD],
    ['execve', 59, 221, path],
    ['ptrace', 101, 117, -1],
    ['kill', 62, 129, pid],
    ['memfd_create', 319, 279, path],
  ];
  return tried.map(([name, x64, arm64, ...args]) => {
    const result = call(arch === 'x64' ? x64 : arm64, ...args);
    const detail = result < 0 ? `error ${-result}` : 'worked';
    return { route: `system call ${name}`, denied: result === -EPERM, detail };
  });
}
