import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import koffi from 'koffi';
import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createManualClock } from '../../../testing/manual-clock';
import type { SandboxRun } from '../../../core/ports/sandbox';
import { createChildSandboxProcess } from './child-sandbox-process';
import { findSupport } from './kernel-support';
import { describeLayers } from './self-test';
import type { WorkerStarter } from './start-worker';
import { createWorkerLink } from './worker-link';
import { missing, missingOn } from './worker-process';

const SECURITY = readFileSync(fileURLToPath(new URL('../../../../SECURITY.md', import.meta.url)), 'utf8');
/** The layers that only the system can provide, by the first words of their rows in SECURITY.md. */
const SYSTEM_WALLS = ['system calls', 'main process', 'kernel limits', 'namespaces', 'memory poll'];

it.each([
  ['[SBX-macos] macOS', 'darwin', 2],
  ['[SBX-windows] Windows', 'win32', 3],
] as const)(
  '%s has no OS-level isolation, and doctor and SECURITY.md say so in the same words',
  (_name, platform, column) => {
    const words = missingOn(platform).detail;
    expect(findSupport(platform, 'x64')).toEqual({
      addon: undefined,
      noFilter: words,
      main: { ok: false, detail: words },
    });
    for (const wall of SYSTEM_WALLS) {
      const row = SECURITY.split('\n').find((line) => line.startsWith(`| sandbox ${wall}:`)) ?? '';
      expect(
        row
          .split(' | ')
          [column]?.replace(/[|]\s*$/, '')
          .trim(),
        wall,
      ).toBe(words);
    }
  },
);

it('[SBX-required] a processor without a system-call list is reported; a system with one requires the filter', () => {
  expect(findSupport('linux', 'ia32').noFilter).toBe('missing: not built for ia32 processors');
  if (process.platform === 'linux') expect(findSupport('linux', process.arch).noFilter).toBeUndefined();
});

it.runIf(process.platform === 'linux')(
  '[SBX-required] a library that does not load disables the filter only without glibc, which it is built for',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'patina-koffi-'));
    const addon = join(folder, 'koffi.node');
    writeFileSync(addon, 'damaged');
    const findAddon = () => addon;
    expect(findSupport('linux', 'x64', { findAddon, usesGlibc: () => true })).toEqual({
      addon,
      noFilter: undefined,
      main: missing('koffi cannot be loaded'),
    });
    expect(findSupport('linux', 'x64', { findAddon }).noFilter).toBeUndefined();
    expect(findSupport('linux', 'x64', { findAddon, usesGlibc: () => false }).noFilter).toBe(
      'missing: koffi does not fit the C library of this system',
    );
    rmSync(folder, { recursive: true });
  },
);

it.runIf(process.platform === 'linux')('[SBX-main] main is not dumpable once a worker starts', () => {
  createChildSandboxProcess('/nonexistent/worker.js')().kill();
  const PR_GET_DUMPABLE = 3;
  const prctl = koffi.load(null).func('prctl', 'int', ['int', 'ulong', 'ulong', 'ulong', 'ulong']);
  expect(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)).toBe(0);
});

it('[SBX-linux] the doctor reports a missing isolation layer of a worker', async () => {
  const none = missing('not under test');
  const start: WorkerStarter = () => {
    const worker = createChildSandboxProcess('/nonexistent/worker.js')();
    const link = createWorkerLink(worker, createManualClock().clock);
    const walls = { filter: none, jail: none, namespaces: none };
    return Promise.resolve(ok({ link: { ...link, pid: undefined }, probes: [], engine: '', ...walls }));
  };
  const refuse = (): Promise<SandboxRun> =>
    Promise.resolve({ envelope: err(appError('SANDBOX', 'UNSUPPORTED', '')), log: [] });
  const support = () => ({ addon: undefined, noFilter: none.detail, main: none });
  const layers = await describeLayers({ execute: refuse, start, support });
  const held = new Map(layers.map(({ name, ok: stands }) => [name, stands]));
  for (const wall of [...SYSTEM_WALLS, 'process']) expect([wall, held.get(wall)]).toEqual([wall, false]);
});
