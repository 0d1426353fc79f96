/** Processors whose system calls this filter knows. */
export const FILTERED_ARCHS = ['x64', 'arm64'] as const;
export type FilteredArch = (typeof FILTERED_ARCHS)[number];

/** The call's number on each processor; null where a processor lacks the call. */
interface AllowedCall {
  readonly x64: number | null;
  readonly arm64: number | null;
  /** For a call with restricted use: the allowed values, below 2^32, of one of its arguments. */
  readonly only?: { readonly argument: number; readonly values: readonly number[] };
}

/**
 * The complete set of system calls that V8, Node's event loop and the message port need once a worker is
 * ready. No call here names a file or an address, starts a process or a thread, or reaches another process.
 */
const allowedCalls = (pid: number): Readonly<Record<string, AllowedCall>> => ({
  // The message port, on descriptors that are already open.
  read: { x64: 0, arm64: 63 },
  write: { x64: 1, arm64: 64 },
  close: { x64: 3, arm64: 57 },
  fstat: { x64: 5, arm64: 80 },
  readv: { x64: 19, arm64: 65 },
  writev: { x64: 20, arm64: 66 },
  sendmsg: { x64: 46, arm64: 211 },
  recvmsg: { x64: 47, arm64: 212 },
  // Without an address, so only to the connected peer: Chromium's side of the port.
  sendto: { x64: 44, arm64: 206, only: { argument: 4, values: [0] } },
  recvfrom: { x64: 45, arm64: 207 },
  shutdown: { x64: 48, arm64: 210 },
  // The foreign-function library syncs standard output when the process exits; if refused, the exit would
  // never finish.
  fsync: { x64: 74, arm64: 82 },
  // F_GETFD, F_SETFD, F_GETFL and F_SETFL: cannot duplicate, lock or change the owner.
  fcntl: { x64: 72, arm64: 25, only: { argument: 1, values: [1, 2, 3, 4] } },
  // The event loop.
  poll: { x64: 7, arm64: null },
  ppoll: { x64: 271, arm64: 73 },
  epoll_wait: { x64: 232, arm64: null },
  epoll_pwait: { x64: 281, arm64: 22 },
  epoll_pwait2: { x64: 441, arm64: 441 },
  epoll_ctl: { x64: 233, arm64: 21 },
  restart_syscall: { x64: 219, arm64: 128 },
  // Memory. V8 compiles WebAssembly to machine code, so it must be able to make pages executable.
  mmap: { x64: 9, arm64: 222 },
  mprotect: { x64: 10, arm64: 226 },
  pkey_mprotect: { x64: 329, arm64: 288 },
  munmap: { x64: 11, arm64: 215 },
  mremap: { x64: 25, arm64: 216 },
  madvise: { x64: 28, arm64: 233 },
  brk: { x64: 12, arm64: 214 },
  membarrier: { x64: 324, arm64: 283 },
  // Existing threads.
  futex: { x64: 202, arm64: 98 },
  futex_waitv: { x64: 449, arm64: 449 },
  futex_wake: { x64: 454, arm64: 454 },
  futex_wait: { x64: 455, arm64: 455 },
  futex_requeue: { x64: 456, arm64: 456 },
  sched_yield: { x64: 24, arm64: 124 },
  getpid: { x64: 39, arm64: 172 },
  gettid: { x64: 186, arm64: 178 },
  exit: { x64: 60, arm64: 93 },
  exit_group: { x64: 231, arm64: 94 },
  // Signals within the process: Node's own handler of SIGTERM raises it again.
  tgkill: { x64: 234, arm64: 131, only: { argument: 0, values: [pid] } },
  rt_sigaction: { x64: 13, arm64: 134 },
  rt_sigprocmask: { x64: 14, arm64: 135 },
  rt_sigreturn: { x64: 15, arm64: 139 },
  sigaltstack: { x64: 131, arm64: 132 },
  // Time and randomness.
  clock_gettime: { x64: 228, arm64: 113 },
  clock_getres: { x64: 229, arm64: 114 },
  clock_nanosleep: { x64: 230, arm64: 115 },
  nanosleep: { x64: 35, arm64: 101 },
  gettimeofday: { x64: 96, arm64: 169 },
  getrusage: { x64: 98, arm64: 165 },
  getcpu: { x64: 309, arm64: 168 },
  getrandom: { x64: 318, arm64: 278 },
});

/**
 * Calls that report success and do nothing. Chromium checks whether it may write to /dev/shm and ends the
 * process if not; told that it may, it fails to create a file there and sends a large message in another way.
 */
const PRETENDED_CALLS = {
  access: { x64: 21, arm64: null },
  faccessat: { x64: 269, arm64: 48 },
} as const;

/** `seccomp_data.arch` of the processor's native calls; a 32-bit call has a different value. */
const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
/** On x86-64, numbers from here on make the same calls through the x32 ABI. */
const FIRST_X32_CALL = 0x4000_0000;
/**
 * The newest call that this list considered (mseal). A newer call must fail as nonexistent, so that a C
 * library falls back.
 */
const NEWEST_CALL = 462;

const ERRNO = { EPERM: 1, ENOSYS: 38 } as const;
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const failWith = (errno: number): number => 0x0005_0000 | errno;

/** Offsets in `seccomp_data`. Both processors store the low half of an argument first. */
const NUMBER = 0;
const ARCH = 4;
const lowHalf = (argument: number): number => 16 + 8 * argument;

/** One instruction of the kernel's packet filter language: code, jump if true, jump if false, operand. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const end = (action: number): Instruction => [0x06, 0, 0, action];
/** Skips the next `skipped` instructions unless the loaded word is `value`. */
const unlessEqual = (value: number, skipped: number): Instruction => [0x15, 0, skipped, value];
const unlessAtLeast = (value: number, skipped: number): Instruction => [0x35, 0, skipped, value];

function ruleFor(number: number, only: AllowedCall['only']): readonly Instruction[] {
  if (only === undefined) return [unlessEqual(number, 1), end(ALLOW)];
  const values = only.values.flatMap((value) => [unlessEqual(value, 1), end(ALLOW)]);
  const tests = [
    load(lowHalf(only.argument) + 4),
    unlessEqual(0, values.length + 1),
    load(lowHalf(only.argument)),
    ...values,
    end(failWith(ERRNO.EPERM)),
  ];
  return [unlessEqual(number, tests.length), ...tests];
}

/**
 * The allow list of the process `pid` as a seccomp program, 8 bytes per instruction. A refused call fails
 * with EPERM; a call through another processor's ABI ends the process.
 */
export function systemCallFilter(arch: FilteredArch, pid: number): Buffer<ArrayBuffer> {
  const rules = Object.values(allowedCalls(pid)).flatMap((call) => {
    const number = call[arch];
    return number === null ? [] : ruleFor(number, call.only);
  });
  const pretended = Object.values(PRETENDED_CALLS).flatMap(({ [arch]: number }) =>
    number === null ? [] : [unlessEqual(number, 1), end(failWith(0))],
  );
  return encode([
    load(ARCH),
    [0x15, 1, 0, AUDIT_ARCH[arch]],
    end(KILL_PROCESS),
    load(NUMBER),
    unlessAtLeast(FIRST_X32_CALL, 1),
    end(KILL_PROCESS),
    ...rules,
    ...pretended,
    unlessAtLeast(NEWEST_CALL + 1, 1),
    end(failWith(ERRNO.ENOSYS)),
    end(failWith(ERRNO.EPERM)),
  ]);
}

function encode(program: readonly Instruction[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, jumpTrue, jumpFalse, operand], at) => {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(jumpTrue, at * 8 + 2);
    bytes.writeUInt8(jumpFalse, at * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, at * 8 + 4);
  });
  return bytes;
}
