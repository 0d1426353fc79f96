import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { chromium, expect, type Page } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { EPERM, injectEscapes, makeTargets, untouched } from '../../src/testing/inject-system-call';
import { tinyGguf, tinyWord } from '../../src/testing/tiny-gguf';
import {
  cannotRunAsNormalUser,
  displayOfNormalUser,
  lockedWorkerOf,
  NORMAL_USER,
  normalUserFolder,
} from '../fixtures/normal-user';
import { test } from '../fixtures/patina';
import { isAlive, runOver } from '../fixtures/run';
import { composer, send, switchMode } from '../fixtures/window';

const executable = resolve('dist/linux-unpacked/patina');

/** The time of a file's last write; 0 for a missing one. */
const writtenAt = (file: string): number => statSync(resolve(file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

test.beforeAll(() => {
  test.setTimeout(300_000);
  // A package older than the build would test something else.
  if (writtenAt('dist/linux-unpacked/resources/app.asar') > writtenAt('out/main/index.js')) return;
  const packed = spawnSync(process.execPath, ['scripts/package.mjs', '--linux', 'dir'], { encoding: 'utf8' });
  expect(packed.status, packed.stdout + packed.stderr).toBe(0);
});

/** The address that Chromium reports for attaching a driver. */
function devtoolsAddress(app: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = '';
    app.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, address] = /DevTools listening on (ws:\/\/\S+)/.exec(said) ?? [];
      if (address) found(address);
    });
    app.once('exit', (code) => failed(new Error(`The app ended with code ${code}: ${said}`)));
  });
}

/** What Chromium shows. */
async function targetsOf(
  address: string,
): Promise<readonly { readonly type: string; readonly url: string }[]> {
  const { host } = new URL(address);
  const answer = await fetch(`http://${host}/json/list`);
  return (await answer.json()) as { type: string; url: string }[];
}

async function firstPage(address: string): Promise<Page> {
  // A window that opens while the driver attaches can make it wait forever: the driver comes after the window.
  await expect
    .poll(async () => (await targetsOf(address)).some(({ url }) => url.startsWith('app://')), {
      timeout: 30_000,
    })
    .toBe(true);
  const browser = await chromium.connectOverCDP(address);
  const [context] = browser.contexts();
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
  if (!page) throw new Error('The packaged app shows no window.');
  return page;
}

/** The packaged app on a home folder, and the promise of its end. */
function startPackaged(home: string, project: string) {
  const app = spawn(executable, ['--no-sandbox', '--remote-debugging-port=0', '--project', project], {
    env: {
      ...process.env,
      PATINA_HOME: home,
      PATINA_DISCOVERY: 'off',
      OPENAI_API_KEY: '',
      OPENAI_BASE_URL: '',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { app, over: new Promise<number | null>((ended) => app.once('exit', ended)) };
}

test('[PACKAGE-runs] the packaged app starts, answers in Ask and runs a recipe', async ({
  home,
  project,
}) => {
  const { app, over } = startPackaged(home, project);
  try {
    const page = await firstPage(await devtoolsAddress(app));
    await composer(page).waitFor();
    expect(page.url()).toBe('app://patina/index.html?lang=en');
    await send(page, 'What can you do?');
    await expect(await settled(page, 1)).toContainText('No model is connected');
    await switchMode(page, 'Agent Mode');
    await send(page, 'find duplicate files in ./docs');
    await expect(await runOver(page, 2)).toContainText('docs/a.txt, docs/deep/b.txt');
  } finally {
    app.kill('SIGTERM');
  }
  await over;
  expect(isAlive(app.pid ?? 0)).toBe(false);
});

test('[LOCAL-process] [MEAN-suggest] the packaged app runs a local model and the sentence encoder', async ({
  home,
  project,
}) => {
  mkdirSync(join(home, 'models'), { recursive: true });
  writeFileSync(join(home, 'models', 'tiny.gguf'), tinyGguf());
  const { app, over } = startPackaged(home, project);
  try {
    const page = await firstPage(await devtoolsAddress(app));
    await composer(page).waitFor();
    await send(page, 'change the preferences');
    await expect(turn(page, 1)).toContainText(tinyWord, { timeout: 30_000 });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await turn(page, 1).hover();
    await page.getByRole('button', { name: 'Did you mean an action?' }).click();
    const offered = page.getByRole('dialog', { name: 'Did you mean an action?' });
    await offered.getByRole('button', { name: 'Settings', exact: true }).click({ timeout: 60_000 });
  } finally {
    app.kill('SIGTERM');
  }
  await over;
});

test('[START-check-process] the packaged app checks the whole sessions file in a separate process', async ({
  home,
  project,
}) => {
  const checked = join(home, 'sessions.db.users', 'checked');
  const first = startPackaged(home, project);
  try {
    const page = await firstPage(await devtoolsAddress(first.app));
    await composer(page).waitFor();
    await send(page, 'What can you do?');
    await expect(await settled(page, 1)).toContainText('No model is connected');
  } finally {
    first.app.kill('SIGTERM');
  }
  await first.over;
  expect(existsSync(checked)).toBe(true);
  rmSync(checked);
  const second = startPackaged(home, project);
  try {
    const page = await firstPage(await devtoolsAddress(second.app));
    await composer(page).waitFor();
    await expect.poll(() => existsSync(checked), { timeout: 30_000 }).toBe(true);
    expect(existsSync(join(home, 'sessions.db.users', 'doubt'))).toBe(false);
  } finally {
    second.app.kill('SIGTERM');
  }
  await second.over;
});

test('[SBX-packaged] system calls injected into the worker of the packaged app are refused', async ({
  project,
}) => {
  const reason = cannotRunAsNormalUser(executable);
  const user = reason === null ? { uid: NORMAL_USER, gid: NORMAL_USER } : {};
  const folder = normalUserFolder();
  if (reason === null) spawnSync('chown', ['-R', String(NORMAL_USER), project]);
  const app = spawn(executable, ['--remote-debugging-port=0', '--project', project], {
    env: {
      ...process.env,
      ...displayOfNormalUser(folder),
      HOME: folder,
      PATINA_HOME: folder,
      PATINA_DISCOVERY: 'off',
      OPENAI_API_KEY: '',
      OPENAI_BASE_URL: '',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  const main = app.pid ?? 0;
  const over = new Promise((ended) => app.once('exit', ended));
  try {
    const page = await firstPage(await devtoolsAddress(app));
    await composer(page).waitFor();
    await switchMode(page, 'Agent Mode');
    await send(page, 'find duplicate files in ./docs');
    await expect(await runOver(page, 1)).toContainText('docs/a.txt, docs/deep/b.txt');
    // A run that has ended leaves its worker warm.
    await expect.poll(() => lockedWorkerOf(main), { timeout: 20_000 }).toBeDefined();
    // Where nothing can be injected, the kernel's status of the worker must do.
    test.info().annotations.push({ type: 'injected', description: reason ?? 'as a normal user' });
    if (reason !== null) return;
    const targets = makeTargets(NORMAL_USER);
    const results = injectEscapes(lockedWorkerOf(main) ?? 0, main, targets);
    expect(Object.entries(results).filter(([, result]) => result !== -EPERM)).toEqual([]);
    expect(untouched(targets)).toBe(true);
    expect(statSync(`/proc/${main}/environ`).uid).toBe(0);
  } finally {
    app.kill('SIGTERM');
  }
  await over;
});

test('[PACKAGE-fuses] [SEC-19] the packaged app has the production fuses', async () => {
  const wire = await getCurrentFuseWire(executable);
  const isOn = (fuse: FuseV1Options): boolean => Number(wire[fuse]) === '1'.charCodeAt(0);
  expect({
    runAsNode: isOn(FuseV1Options.RunAsNode),
    cookieEncryption: isOn(FuseV1Options.EnableCookieEncryption),
    nodeOptions: isOn(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
    nodeInspect: isOn(FuseV1Options.EnableNodeCliInspectArguments),
    asarIntegrity: isOn(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
    onlyAsar: isOn(FuseV1Options.OnlyLoadAppFromAsar),
    browserSnapshot: isOn(FuseV1Options.LoadBrowserProcessSpecificV8Snapshot),
    filePrivileges: isOn(FuseV1Options.GrantFileProtocolExtraPrivileges),
  }).toEqual({
    runAsNode: false,
    cookieEncryption: true,
    nodeOptions: false,
    nodeInspect: false,
    asarIntegrity: true,
    onlyAsar: true,
    browserSnapshot: false,
    filePrivileges: false,
  });
  // The binary does what the fuse says: it does not turn into Node.
  const asNode = spawnSync(executable, ['-p', '6 * 7'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', PATINA_HOME: '/dev/null/none' },
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(asNode.stdout.split('\n')).not.toContain('42');
});
