import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { registerProcess } from '../../src/main/adapters/storage/database-users';
import { makeCopy } from '../../src/main/adapters/storage/session-copies';
import type { Bridge } from '../../src/shared/ipc';
import { must, openStore, turnFacts } from '../../src/testing/stored-session';
import { settled, turn } from '../fixtures/conversation';
import { planOf, scriptNode, test, type Ran } from '../fixtures/command-line';
import { storeSession } from '../fixtures/stored-sessions';
import { composer, send } from '../fixtures/window';

const notices = (page: Page) => page.getByRole('region', { name: 'Notices' });

/**
 * A folder that nobody can write to: permissions do not restrict root, so it gets the folder mounted read-only over
 * itself.
 */
function forbidWriting(folder: string): () => void {
  if (process.getuid?.() !== 0) {
    execFileSync('chmod', ['-R', 'a-w', folder]);
    return () => void execFileSync('chmod', ['-R', 'u+w', folder]);
  }
  execFileSync('mount', ['--bind', folder, folder]);
  execFileSync('mount', ['-o', 'remount,ro,bind', folder]);
  return () => void execFileSync('umount', ['--lazy', folder]);
}

const canForbid = (): boolean => {
  if (process.platform !== 'linux') return false;
  const probe = join(tmpdir(), `patina-mount-${process.pid}`);
  mkdirSync(probe);
  try {
    forbidWriting(probe)();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
};

const mounts = canForbid();

test.describe('a home folder that cannot be written', () => {
  test.skip(!mounts, 'a folder can be made read-only on Linux, as root only where it can be mounted');
  let allowWriting = (): void => undefined;
  test.afterEach(() => allowWriting());

  test('[START-read-only] lets list, show, search, export and replay work on the command line; a line gets a typed error', async ({
    patina,
    home,
  }) => {
    storeSession(home, { id: 'ses_old', title: 'An old talk', turns: 2, pieces: 2 });
    // The log of a process that was killed: without it, the newest turns would be missing.
    const killed = openStore(join(home, 'sessions.db'), { pid: 999_999_999 });
    must(killed.acquireLease('ses_killed'));
    must(killed.append('ses_killed', 0, turnFacts(3, 'kept in the log')));
    expect(statSync(join(home, 'sessions.db-wal')).size).toBeGreaterThan(0);
    rmSync(join(home, 'sessions.db-shm'));
    allowWriting = forbidWriting(home);
    const reads = [
      [['session', 'list', '--json'], 'ses_killed'],
      [['session', 'show', 'ses_killed'], 'kept in the log 2'],
      [['session', 'show', 'ses_old'], 'Piece 2 of answer 2.'],
      [['session', 'events', 'ses_old'], 'reply-ended'],
      [['session', 'export', 'ses_old'], 'Question number 2'],
      [['session', 'replay', 'ses_old', '--json'], '"equal": true'],
    ] as const;
    for (const [args, says] of reads) {
      const ran: Ran = await patina([...args]);
      expect({ args, code: ran.code, says: ran.stdout.includes(says) }).toEqual({
        args,
        code: 0,
        says: true,
      });
      expect(ran.stderr).toContain('read-only');
    }
    const refused = await patina(['ask', 'More', '--session', 'ses_old', '--json']);
    expect(refused.code).toBe(1);
    expect(refused.json()).toMatchObject({ kind: 'HOST', code: 'STORAGE', retryable: true });
  });

  test('[START-read-only] shows sessions in the window and why nothing can be sent, and the next start writes again', async ({
    launch,
    home,
  }) => {
    storeSession(home, { id: 'ses_old', title: 'An old talk', turns: 3, pieces: 2 });
    writeFileSync(join(home, 'ui_settings.json'), '{"mode":"ask"}');
    allowWriting = forbidWriting(home);
    const { app, page } = await launch();
    await page.getByRole('button', { name: 'An old talk', exact: true }).click();
    await expect(turn(page, 3)).toContainText('Piece 2 of answer 3.');
    await expect(notices(page)).toContainText('Your sessions are read-only');
    await expect(notices(page)).toContainText(/read-only|cannot be written/);
    await composer(page).fill('A line');
    await composer(page).press('Enter');
    await expect(page.getByRole('form', { name: 'Message' })).toContainText('Sending is off');
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled();
    await expect(composer(page)).toHaveValue('A line');
    await app.close();
    allowWriting();
    allowWriting = () => undefined;
    const again = await launch();
    await again.page.getByRole('button', { name: 'An old talk', exact: true }).click();
    await send(again.page, 'After');
    await expect(await settled(again.page, 4)).toContainText('No model is connected');
    await expect(notices(again.page)).toHaveCount(0);
  });
});

test('[START-read-only] lets sessions be read on a full disk, with a log of a killed process', async ({
  patina,
  home,
}) => {
  test.skip(!mounts || process.getuid?.() !== 0, 'a disk of its own is mounted, which needs root on Linux');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=700', 'tmpfs', home]);
  try {
    storeSession(home, { id: 'ses_old', title: 'An old talk', turns: 2, pieces: 2 });
    const database = join(home, 'sessions.db');
    const killed = openStore(database, { pid: 999_999_999 });
    must(killed.acquireLease('ses_killed'));
    must(killed.append('ses_killed', 0, turnFacts(3, 'kept in the log')));
    registerProcess(database, 999_999_998);
    spawnSync('dd', ['if=/dev/zero', `of=${join(home, 'filler')}`, 'bs=4096']);
    const shown = await patina(['session', 'show', 'ses_killed']);
    expect({ code: shown.code, text: shown.stdout.includes('kept in the log 2') }).toEqual({
      code: 0,
      text: true,
    });
    const refused = await patina(['ask', 'More', '--session', 'ses_old', '--json']);
    expect(refused.json()).toMatchObject({ kind: 'HOST', code: 'STORAGE' });
    expect(JSON.stringify(refused.json())).toContain('The disk is full');
    rmSync(join(home, 'filler'));
    expect((await patina(['ask', 'More', '--session', 'ses_old'])).code).toBe(0);
  } finally {
    execFileSync('umount', ['--lazy', home]);
  }
});

/** What the command line and the window leave in a home folder in which everything was used once. */
const privateThings = [
  ...['cache', 'copies', 'logs', 'mcp', 'packs', 'providers.json', 'secrets.json'],
  ...['sessions.db', 'sessions.db.users', 'traces', 'ui_settings.json', 'undo', 'workspace-snapshots'],
];

/** Uses everything of the command line that stores something in the home folder. */
async function makePrivateThings(
  patina: (args: readonly string[], options?: { readonly input?: string }) => Promise<Ran>,
  project: string,
): Promise<void> {
  const run = async (args: readonly string[], input?: string): Promise<Ran> => {
    const ran = await patina(args, input === undefined ? {} : { input });
    expect([args, ran.code, ran.stderr]).toEqual([args, 0, expect.any(String)]);
    return ran;
  };
  await run(['ask', 'Hello']);
  const pack = join(project, '..', 'a-pack');
  mkdirSync(pack);
  writeFileSync(join(pack, 'pack.json'), '{"id":"own","version":"1"}', { mode: 0o644 });
  await run(['pack', 'install', pack]);
  await run(['provider', 'add', 'openai']);
  await run(['provider', 'key', 'openai'], 'sk-a-key-of-a-provider\n');
  const file = join(project, '..', 'plan.json');
  writeFileSync(join(project, 'note.md'), 'before');
  const write =
    "await tools.filesystem.write_file({ path: 'note.md', content: 'after' }); return { summary: 'written' };";
  writeFileSync(file, JSON.stringify(planOf([scriptNode('note', write)], 'Written.')));
  const ran = await run(['agent', 'Write', '--plan', file, '--approve', 'all', '--json']);
  await run(['recipe', 'save', String(ran.json()['sessionId']), '--id', 'write_note']);
}

/** Every file and folder below a folder that others than its owner can read or enter. */
function openToOthers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file) && (statSync(file).mode & 0o077) !== 0 && !statSync(file).isSocket());
}

test('[STO-private] all files that the window and the command line create in the home folder are private to the owner', async ({
  launch,
  patina,
  home,
  project,
}) => {
  test.skip(process.platform === 'win32', 'Windows has no modes');
  const exposed = () => openToOthers(home).filter((file) => !file.includes(join(home, 'electron')));
  const before = process.umask(0o022);
  try {
    chmodSync(home, 0o755);
    const { app, page } = await launch();
    await send(page, 'Hello');
    await settled(page, 1);
    const server = {
      name: 'noted',
      server: { command: process.execPath, args: ['--version'], env: { KEY: { secrets_ref: 'noted-key' } } },
      secret: { ref: 'noted-key', value: 'a secret of a server' },
    };
    const saved = await page.evaluate(
      (draft) => (window as unknown as { patina: Bridge }).patina.invoke('server-save', draft),
      server,
    );
    expect(saved).toMatchObject({ ok: true });
    expect(exposed()).toEqual([]);
    expect(statSync(join(home, 'electron')).mode & 0o077).toBe(0);
    await app.close();
    await makePrivateThings(patina, project);
    // The window makes this copy once a day, in its check process.
    expect(makeCopy(join(home, 'sessions.db'), Date.now())).toBeNull();
    expect(readdirSync(home)).toEqual(expect.arrayContaining(privateThings));
    expect(exposed()).toEqual([]);
  } finally {
    process.umask(before);
  }
});
