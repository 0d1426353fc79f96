import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type { errno, load } from 'koffi';
import { missing, missingOn } from './worker-process';
import type { LayerStatus } from './worker-process';

/** The protection that this machine offers against code that has escaped a worker's engine. */
export interface KernelSupport {
  /** The foreign-function library that workers load; undefined where they need none. */
  readonly addon: string | undefined;
  /**
   * Why workers have no system call filter here. Undefined where each worker must have one and runs nothing
   * without it.
   */
  readonly noFilter: string | undefined;
  /** Whether the main process is protected from tracing. */
  readonly main: LayerStatus;
}

const PR_SET_DUMPABLE = 4;
let known: KernelSupport | undefined;

/**
 * Detects the support once, before the first worker starts, and also makes this process untraceable: not
 * dumpable, so that no process of the same user can read or change it.
 */
export function kernelSupport(): KernelSupport {
  known ??= findSupport(process.platform, process.arch);
  return known;
}

/** What decides the support besides the processor. */
interface Installation {
  readonly findAddon: (arch: 'x64' | 'arm64') => string | undefined;
  readonly usesGlibc: () => boolean;
}

export function findSupport(
  platform: string,
  arch: string,
  installation: Partial<Installation> = {},
): KernelSupport {
  if (platform !== 'linux') return unsupported(missingOn(platform));
  if (arch !== 'x64' && arch !== 'arm64') return unsupported(missing(`not built for ${arch} processors`));
  const addon = (installation.findAddon ?? findAddon)(arch);
  // An installation without the library is incomplete, not limited: its workers are refused.
  if (addon === undefined) return { addon, noFilter: undefined, main: missing('koffi is not installed') };
  const main = makeUntraceable(addon);
  if (main === undefined) {
    // The library is built for glibc. There, one that does not load is damaged: workers are refused.
    return (installation.usesGlibc ?? usesGlibc)()
      ? { addon, noFilter: undefined, main: missing('koffi cannot be loaded') }
      : unsupported(missing('koffi does not fit the C library of this system'));
  }
  const seccomp = /^Seccomp:/m.test(readFileSync('/proc/self/status', 'utf8'));
  return { addon, noFilter: seccomp ? undefined : missing('this kernel has no seccomp').detail, main };
}

function unsupported(report: LayerStatus): KernelSupport {
  return { addon: undefined, noFilter: report.detail, main: report };
}

/** The native file itself: koffi's own loader would read the whole executable to select it. */
function findAddon(arch: 'x64' | 'arm64'): string | undefined {
  try {
    const koffi = createRequire(import.meta.url).resolve('koffi');
    const folder = dirname(createRequire(koffi).resolve(`@koromix/koffi-linux-${arch}`));
    // In a package the file is outside the archive, where the system's loader finds it.
    const unpacked = folder.replace(`app.asar${sep}`, `app.asar.unpacked${sep}`);
    const file = join(unpacked, `linux_${arch}`, 'koffi.node');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this process runs on glibc; others, such as musl, report no version of it. */
function usesGlibc(): boolean {
  const report = process.report.getReport() as {
    readonly header?: { readonly glibcVersionRuntime?: string };
  };
  return report.header?.glibcVersionRuntime !== undefined;
}

/** Undefined when the library cannot be loaded: it is damaged, or this system has a different C library (musl). */
function makeUntraceable(addon: string): LayerStatus | undefined {
  try {
    const loaded = { exports: {} as { readonly load: typeof load; readonly errno: typeof errno } };
    process.dlopen(loaded, addon);
    const prctl = loaded.exports.load(null).func('prctl', 'int', ['int', 'ulong', 'ulong', 'ulong', 'ulong']);
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0
      ? { ok: true, detail: 'not dumpable: no other process of this user can trace it' }
      : missing(`the system refused (error ${loaded.exports.errno()})`);
  } catch {
    return undefined;
  }
}

/** The kernel's status of a worker's threads: each must have the filter and no way to gain privileges. */
export function readFilter(pid: number): LayerStatus {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const bare = threads.filter((thread) => {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
      return !/^Seccomp:\s+2$/m.test(status) || !/^NoNewPrivs:\s+1$/m.test(status);
    });
    return bare.length === 0
      ? { ok: true, detail: `a list of allowed system calls binds its ${threads.length} threads` }
      : missing(`${bare.length} of ${threads.length} threads have no filter`);
  } catch {
    return missing('the system does not report it');
  }
}
