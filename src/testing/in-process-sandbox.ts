import type { TaintSource } from '#shared/approval';
import { ok } from '#shared/result';
import type { FromWorker } from '#shared/sandbox-protocol';
import { createQuickJsSandbox } from '../main/adapters/sandbox/quickjs-sandbox';
import type { QuickJsSandbox, QuickJsSandboxParts } from '../main/adapters/sandbox/quickjs-sandbox';
import type { KernelSupport } from '../main/adapters/sandbox/kernel-support';
import type { StartWorker } from '../main/adapters/sandbox/worker-process';
import { createSystemClock } from '../main/adapters/system/system-clock';
import type { LabelledArtifactStore } from '../core/ports/sandbox';
import { createUnitServer } from '../sandbox-worker/serve-units';
import { loadWasiVm } from '../sandbox-worker/vm-wasi';
import { takeTemplate } from '../sandbox-worker/wasi-template';

/** The report of a worker that has locked its process; here there is no process to lock. */
const UNLOCKED_PROBES = Array.from({ length: 22 }, (_, at) => ({
  route: `in process ${at}`,
  denied: true,
  detail: 'not a process of its own',
}));

/** For workers that are not a process, or that a test wrote: requires no system call filter. */
export const noKernelSupport = (): KernelSupport => ({
  addon: undefined,
  noFilter: 'not under test',
  main: { ok: false, detail: 'not under test' },
});

/**
 * The real engine, bridge and protocol without a process around them: fast to start, and as deterministic as
 * the script. It can be neither locked nor killed, so use it only to test the code behind the sandbox.
 */
export function createInProcessSandbox(parts: Partial<QuickJsSandboxParts> = {}): QuickJsSandbox {
  return createQuickJsSandbox({
    startProcess: startInProcess,
    clock: createSystemClock(),
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve((text) => Math.ceil(text.length / 4)),
    support: noKernelSupport,
    ...parts,
  });
}

const startInProcess: StartWorker = () => {
  let onMessage: (message: unknown) => void = () => undefined;
  let exited: (() => void) | undefined;
  let alive = true;
  const post = (message: FromWorker): void => {
    queueMicrotask(() => {
      if (alive) onMessage(structuredClone(message));
    });
  };
  const abort = (): void => {
    alive = false;
  };
  const clock = { wallMs: () => performance.now(), cpuMs: () => performance.now() };
  const server = loadWasiVm(takeTemplate).then(async (prepare) => {
    const serve = createUnitServer({ post, clock, first: await prepare(), prepare, abort });
    post({ type: 'ready', protocol: 1, probes: UNLOCKED_PROBES });
    return serve;
  });
  return {
    pid: undefined,
    namespaces: { ok: false, detail: 'not a process of its own' },
    post: (message) =>
      void server.then((serve) => {
        if (alive) serve(structuredClone(message));
      }),
    onMessage: (next) => {
      onMessage = next;
    },
    onExit: (next) => {
      exited = () => next({ code: null, signal: 'SIGKILL' });
    },
    kill() {
      alive = false;
      queueMicrotask(() => exited?.());
    },
  };
};

/** Stores artifacts in memory; handles are counters instead of hashes. */
export function createMemoryArtifacts(): LabelledArtifactStore {
  const labels = new Map<string, readonly TaintSource[]>();
  const contents: string[] = [];
  const handleOf = (at: number): string => `artifact://sha256/${at.toString(16).padStart(64, '0')}`;
  return {
    label: (handle, origins) => {
      labels.set(handle, [...(labels.get(handle) ?? []), ...origins]);
      return ok(null);
    },
    originsOf: (handle) => labels.get(handle) ?? null,
    list: () =>
      ok(contents.map((content, at) => ({ handle: handleOf(at), bytes: Buffer.byteLength(content), at }))),
    put(_name, _type, content) {
      contents.push(content);
      return ok({ handle: handleOf(contents.length - 1), bytes: Buffer.byteLength(content) });
    },
    get(handle) {
      const at = contents.findIndex((_, index) => handleOf(index) === handle);
      const found = contents[at];
      return found === undefined
        ? {
            ok: false,
            error: { kind: 'TOOL', code: 'NOT_FOUND', message: 'no such artifact', retryable: false },
          }
        : ok(found);
    },
  };
}
