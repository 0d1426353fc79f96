import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { writeFileAtomic, writeNew } from './atomic-file';
import { packageVersion } from './package-version';
import { patinaHome } from './home-folder';
import { processAlive } from './process-alive';
import { checkProject, firstProjectFolder, isProjectFolder, projectArgument } from './project-folder';
import { createRandomIds } from './machine';
import { createSystemClock } from './system-clock';

const folder = mkdtempSync(join(tmpdir(), 'patina-system-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'package.json');
writeFileSync(file, '{"version":"1.2.3","name":"x"}');

describe('the home folder', () => {
  it('is created for its owner only', () => {
    const home = join(folder, 'deep/home');
    expect(patinaHome({ PATINA_HOME: home })).toEqual({ ok: true, value: home });
    expect(patinaHome({ PATINA_HOME: home })).toEqual({ ok: true, value: home });
    if (process.platform !== 'win32') expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform === 'win32')('[STO-private] that is empty is closed to others', () => {
    const modeAfter = (name: string, mode: number, content?: string): string => {
      const home = join(folder, name);
      mkdirSync(home);
      if (content !== undefined) writeFileSync(join(home, content), '');
      chmodSync(home, mode);
      expect(patinaHome({ PATINA_HOME: home }).ok).toBe(true);
      return (statSync(home).mode & 0o777).toString(8);
    };
    expect(modeAfter('empty', 0o755)).toBe('700');
    expect(modeAfter('shared', 0o777)).toBe('777');
    expect(modeAfter('with-content', 0o755, 'index.html')).toBe('755');
  });

  it('is invalid configuration when a file is in its place', () => {
    expect(patinaHome({ PATINA_HOME: join(file, 'home') })).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG', code: 'INVALID', problems: [{ field: 'PATINA_HOME' }] },
    });
  });
});

it.skipIf(process.platform === 'win32')(
  '[STO-private] a file written atomically is private to the owner',
  () => {
    const [replaced, added] = [join(folder, 'replaced.json'), join(folder, 'added.json')];
    writeFileSync(replaced, '', { mode: 0o644 });
    writeFileAtomic(replaced, '{}');
    expect(writeNew(added, '{}')).toBe(true);
    for (const path of [replaced, added]) expect(statSync(path).mode & 0o077).toBe(0);
  },
);

describe('a project folder', () => {
  it('is any folder but the root and the home folder', () => {
    expect(isProjectFolder(folder)).toBe(true);
    for (const not of ['/', homedir(), `${homedir()}/`, file, join(folder, 'none')]) {
      expect(isProjectFolder(not), not).toBe(false);
    }
  });

  it('is none that the system refuses to look at', () => {
    const loop = join(folder, 'loop');
    if (process.platform !== 'win32') symlinkSync(loop, loop);
    for (const not of [loop, join(folder, 'x'.repeat(5_000)), join(folder, 'a\0b')]) {
      expect(isProjectFolder(not), not).toBe(false);
      expect(firstProjectFolder([not, folder]), not).toBe(folder);
    }
  });

  it('is read from the command line of the app, also when its name has an equals sign', () => {
    expect(projectArgument(['patina', '--project=/a=b/c=d'])).toBe(resolve('/a=b/c=d'));
    expect(projectArgument(['patina', '--project', '/a=b'])).toBe(resolve('/a=b'));
    for (const none of [['patina'], ['--projects=/a']]) expect(projectArgument(none)).toBeNull();
    for (const empty of [['--project'], ['--project='], ['--project', ' ']])
      expect(projectArgument(empty)).toBe('');
    expect(checkProject('')).toMatchObject({
      ok: false,
      error: { code: 'INVALID_INPUT', message: 'An empty name cannot be the project folder.' },
    });
  });

  it('is the first valid candidate, as an absolute path', () => {
    const inside = join(folder, 'inside');
    mkdirSync(inside);
    expect(firstProjectFolder([null, undefined, '', '/', relative(process.cwd(), inside), folder])).toBe(
      inside,
    );
    expect(firstProjectFolder(['/', null])).toBeNull();
  });
});

it('knows which processes are running', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  await once(child, 'spawn');
  expect(processAlive(child.pid ?? 0)).toBe(true);
  const ended = once(child, 'exit');
  child.stdin.end();
  await ended;
  expect(processAlive(child.pid ?? 0)).toBe(false);
  expect(processAlive(process.pid)).toBe(true);
});

it('reads the version of a package', () => {
  expect(packageVersion(folder)).toBe('1.2.3');
});

it('creates unique ids that every file system accepts', () => {
  const ids = createRandomIds();
  const made = new Set(Array.from({ length: 1_000 }, () => ids.next('run')));
  expect(made.size).toBe(1_000);
  for (const id of made) expect(id).toMatch(/^run_[0-9a-f]{24}$/);
});

it('calls back after the time, unless it is cancelled', async () => {
  const clock = createSystemClock();
  const before = clock.elapsed();
  const called: string[] = [];
  clock.after(0, () => called.push('off'))();
  // The clock's own timers do not keep the process alive; this test's worker has others.
  await new Promise<void>((resolve) => clock.after(5, resolve));
  expect(called).toEqual([]);
  expect(clock.elapsed()).toBeGreaterThan(before);
});

it('[CFG-long-time] calls back after a time that is longer than a timer of the platform', () => {
  vi.useFakeTimers();
  let called = 0;
  const days = 24 * 60 * 60 * 1_000;
  const clock = createSystemClock();
  clock.after(60 * days, () => (called += 1));
  const cancel = clock.after(60 * days, () => (called += 1));
  vi.advanceTimersByTime(59 * days);
  expect(called).toBe(0);
  cancel();
  vi.advanceTimersByTime(days);
  expect(called).toBe(1);
  vi.useRealTimers();
});
