import {
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';

/** x86-64 numbers of the injected calls. */
const SYSTEM_CALLS = {
  open: 2,
  socket: 41,
  fork: 57,
  execve: 59,
  truncate: 76,
  rename: 82,
  unlink: 87,
  chmod: 90,
  ptrace: 101,
} as const;

export const EPERM = 1;
const PTRACE_SEIZE = 0x4206;
const PTRACE = { CONT: 7, SINGLESTEP: 9, GETREGS: 12, SETREGS: 13, ATTACH: 16, DETACH: 17 };
const WAIT_ALL = 0x4000_0000;
const SIGTRAP = 5;
const SIGSTOP = 19;

/** Offsets of the registers in `struct user_regs_struct`, in words. */
const AT = { r10: 7, r9: 8, r8: 9, rax: 10, rdx: 12, rsi: 13, rdi: 14, origRax: 15, rip: 16, rsp: 19 };
const WORDS = 27;

/** Why system calls cannot be injected here, or null when they can. */
export function cannotInject(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'the injector is written for Linux on x86-64';
  return process.getuid?.() === 0 ? null : 'only root may trace a process that is not dumpable';
}

/**
 * Makes the first thread of another process run one system call, as injected code would, and then resumes it.
 * Copies texts into its stack. Returns the result, or minus the error number.
 */
function injectSystemCall(pid: number, number: number, ...given: readonly (number | string)[]): number {
  const { ptrace, waitpid } = tracing();
  const trace = (request: number, data: Buffer | null): void => {
    if (ptrace(request, pid, null, data) !== 0) throw new Error(`ptrace ${request}: error ${koffi.errno()}`);
  };
  const status = Buffer.alloc(4);
  /**
   * Resumes the thread until it stops with `signal`; drops any other signal, such as that of a child that
   * exited.
   */
  const traceUntil = (signal: number, first: number, again: number): void => {
    for (let request = first; ; request = again) {
      trace(request, null);
      waitpid(pid, status, WAIT_ALL);
      const [state, stoppedBy] = status;
      if (state !== 0x7f) throw new Error(`process ${pid} ended while it was traced`);
      if (stoppedBy === signal) return;
    }
  };
  traceUntil(SIGSTOP, PTRACE.ATTACH, PTRACE.CONT);
  const saved = Buffer.alloc(WORDS * 8);
  trace(PTRACE.GETREGS, saved);
  const changed = Buffer.from(saved);
  const set = (register: number, value: bigint): void => {
    changed.writeBigInt64LE(value, register * 8);
  };
  const memory = openSync(`/proc/${pid}/mem`, 'r+');
  // Far below the used part of the thread's stack.
  let free = (saved.readBigUInt64LE(AT.rsp * 8) - 8_192n) & ~0xfn;
  const registers = [AT.rdi, AT.rsi, AT.rdx, AT.r10, AT.r8, AT.r9];
  registers.forEach((register, at) => {
    const value = given[at] ?? 0;
    if (typeof value === 'string') {
      const text = Buffer.from(`${value}\0`);
      writeSync(memory, text, 0, text.length, Number(free));
      set(register, free);
      free -= 512n;
    } else set(register, BigInt(value));
  });
  set(AT.rax, BigInt(number));
  // Prevents the kernel from restarting an interrupted call.
  set(AT.origRax, -1n);
  set(AT.rip, findSyscallInstruction(pid, memory));
  closeSync(memory);
  trace(PTRACE.SETREGS, changed);
  traceUntil(SIGTRAP, PTRACE.SINGLESTEP, PTRACE.SINGLESTEP);
  const after = Buffer.alloc(WORDS * 8);
  trace(PTRACE.GETREGS, after);
  const result = Number(after.readBigInt64LE(AT.rax * 8));
  const replaced = number === SYSTEM_CALLS.execve && result === 0;
  if (!replaced) trace(PTRACE.SETREGS, saved);
  trace(PTRACE.DETACH, null);
  return result;
}

/** The kernel maps code with a `syscall` instruction into every process. */
function findSyscallInstruction(pid: number, memory: number): bigint {
  const [, from = '', to = ''] =
    /^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$/m.exec(readFileSync(`/proc/${pid}/maps`, 'utf8')) ?? [];
  const [start, end] = [Number(`0x${from}`), Number(`0x${to}`)];
  const code = Buffer.alloc(end - start);
  readSync(memory, code, 0, code.length, start);
  const at = code.indexOf(Buffer.from([0x0f, 0x05]));
  if (at === -1) throw new Error('no syscall instruction in the vdso');
  return BigInt(start + at);
}

function tracing() {
  const libc = koffi.load(null);
  return {
    ptrace: libc.func('ptrace', 'long', ['long', 'int', 'void *', 'void *']) as (
      request: number,
      pid: number,
      address: null,
      data: Buffer | null,
    ) => number,
    waitpid: libc.func('waitpid', 'int', ['int', 'void *', 'int']) as (
      pid: number,
      status: Buffer,
      options: number,
    ) => number,
  };
}

const FILES = ['unlinked', 'renamed', 'truncated', 'modified'] as const;

/**
 * Creates a folder with one file for each call that would change one; `owner` is the user of the traced
 * process.
 */
export function makeTargets(owner: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'patina-targets-'));
  for (const name of FILES) {
    writeFileSync(join(folder, name), name);
    chownSync(join(folder, name), owner, owner);
  }
  chownSync(folder, owner, owner);
  return folder;
}

/** Whether every file is unchanged. */
export function untouched(folder: string): boolean {
  return (
    readdirSync(folder).length === FILES.length &&
    FILES.every((name) => {
      const file = join(folder, name);
      return readFileSync(file, 'utf8') === name && (statSync(file).mode & 0o777) === 0o644;
    })
  );
}

/**
 * Injects one call for each kind of escape into `pid`; `target` is the process it would trace. The last call
 * replaces the program if it succeeds. Returns each result, or minus the error number. A target other than this
 * process stands still meanwhile: Patina ends a worker that it sees traced.
 */
export function injectEscapes(pid: number, target: number, folder: string): Readonly<Record<string, number>> {
  if (target === process.pid) return injectAll(pid, target, folder);
  process.kill(target, 'SIGSTOP');
  try {
    return injectAll(pid, target, folder);
  } finally {
    process.kill(target, 'SIGCONT');
  }
}

function injectAll(pid: number, target: number, folder: string): Readonly<Record<string, number>> {
  const inject = (name: keyof typeof SYSTEM_CALLS, ...given: readonly (number | string)[]): number =>
    injectSystemCall(pid, SYSTEM_CALLS[name], ...given);
  const child = inject('fork');
  if (child > 0) process.kill(child, 'SIGKILL');
  const path = (name: (typeof FILES)[number]): string => join(folder, name);
  return {
    fork: child,
    open: inject('open', path('modified')),
    socket: inject('socket', 1, 1),
    unlink: inject('unlink', path('unlinked')),
    rename: inject('rename', path('renamed'), join(folder, 'elsewhere')),
    truncate: inject('truncate', path('truncated'), 0),
    chmod: inject('chmod', path('modified'), 0o777),
    ptrace: inject('ptrace', PTRACE_SEIZE, target),
    execve: inject('execve', '/bin/true'),
  };
}
