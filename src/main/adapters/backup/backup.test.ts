import { createHash, randomBytes } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { rawZip, type RawEntry } from '../../../testing/raw-zip';
import { must, openStore, turnFacts } from '../../../testing/stored-session';
import { finishRestore } from './finish-restore';
import { makeBackup } from './make-backup';
import { readyFolder, stageRestore } from './stage-restore';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'patina-backup-'));

function put(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

const oldFiles = {
  'ui_settings.json': '{"mode":"ask"}',
  'packs/mine/pack.json': '{"id":"mine"}',
  'secrets.json': 'key',
  'cache/a': 'c',
  'electron/Preferences': '{}',
};

/** A home with one session and some files. */
function homeWith(sessionId: string, files: Readonly<Record<string, string>> = oldFiles) {
  const home = newFolder();
  put(home, files);
  const store = openStore(join(home, 'sessions.db'));
  must(store.acquireLease(sessionId));
  must(store.append(sessionId, 0, turnFacts(2)));
  return { home, store };
}

const sessionsOf = (home: string): readonly string[] => {
  const store = openStore(join(home, 'sessions.db'));
  const ids = must(store.list()).map(({ id }) => id);
  store.close();
  return ids;
};

async function backedUp(): Promise<string> {
  const { home, store } = homeWith('ses_old');
  const archive = join(newFolder(), 'backup.zip');
  // The store stays open: a backup is taken while Patina runs.
  await makeBackup(home, archive, 1_000);
  store.close();
  return archive;
}

const newFiles = { 'ui_settings.json': '{"mode":"agent"}', 'workflows/a.json': '{}', 'secrets.json': 'mine' };

/**
 * The names in a home, without the two files SQLite removes when the closed store's statements are collected as
 * garbage, which may happen during a test.
 */
const namesIn = (home: string): readonly string[] =>
  readdirSync(home)
    .filter((name) => !/^sessions\.db-(wal|shm)$/.test(name))
    .sort();

function presentHome(): string {
  const { home, store } = homeWith('ses_new', newFiles);
  store.close();
  return home;
}

describe('[BACKUP-all] a backup', () => {
  it('transfers sessions and files to another home, without keys and caches', async () => {
    const archive = await backedUp();
    expect(statSync(archive).mode & 0o077).toBe(0);
    expect(readdirSync(dirname(archive))).toEqual(['backup.zip']);
    const home = newFolder();
    expect(await stageRestore(home, archive, 5)).toBeNull();
    expect(readdirSync(home)).toEqual(['restore-ready']);
    expect(finishRestore(home)).toMatch(/before-restore/);
    expect(sessionsOf(home)).toEqual(['ses_old']);
    expect(readFileSync(join(home, 'packs/mine/pack.json'), 'utf8')).toBe('{"id":"mine"}');
    for (const name of ['secrets.json', 'cache', 'electron', 'restore-ready'])
      expect(existsSync(join(home, name)), name).toBe(false);
    expect(finishRestore(home)).toBeNull();
  });

  it('can be restored when a settings file was rewritten during the backup', async () => {
    const { home, store } = homeWith('ses_old');
    store.close();
    const archive = join(newFolder(), 'backup.zip');
    const settings = join(home, 'ui_settings.json');
    let rewrites = 0;
    const making = { done: false };
    // Each time main gets a turn, it replaces the file as the settings store does.
    const rewrite = (): void => {
      if (making.done) return;
      rewrites += 1;
      writeFileSync(`${settings}.tmp`, JSON.stringify({ rewrites, filler: 'x'.repeat(rewrites % 500) }));
      renameSync(`${settings}.tmp`, settings);
      setImmediate(rewrite);
    };
    setImmediate(rewrite);
    await makeBackup(home, archive, 1).finally(() => (making.done = true));
    expect(rewrites).toBeGreaterThan(3);
    expect(await stageRestore(newFolder(), archive, 1)).toBeNull();
  });

  // Other systems allow no such names, or take the first two for one.
  it.runIf(process.platform === 'linux').each([
    ['a colon', ['packs/a:b.md']],
    ['a path that is too long', [`packs/${'x'.repeat(200)}/${'y'.repeat(200)}/${'z'.repeat(200)}`]],
    ['a space at its end', ['packs/a ']],
    ['a dot at its end', ['packs/a.']],
    ['a name that differs in case alone', ['packs/Read.md', 'packs/read.md']],
    ['the name of the manifest', ['patina-backup.json']],
  ])('is refused before it is written when a restore would refuse %s', async (_title, paths) => {
    const home = newFolder();
    put(home, Object.fromEntries(paths.map((path) => [path, 'x'])));
    const target = newFolder();
    const problem = await makeBackup(home, join(target, 'backup.zip'), 1);
    expect(paths.some((path) => problem?.includes(JSON.stringify(path)))).toBe(true);
    expect(readdirSync(target)).toEqual([]);
  });

  it('fails instead of waiting when the file cannot be written', async () => {
    const home = newFolder();
    // More than fits between the streams, so that the reader waits for the writer.
    put(home, { 'packs/large': randomBytes(1_000_000).toString('base64'), 'packs/other': 'x' });
    await expect(makeBackup(home, join(home, 'absent/backup.zip'), 1)).rejects.toThrow('ENOENT');
  });

  it('does not follow links out of the home', async () => {
    const { home, store } = homeWith('ses_a', {});
    store.close();
    symlinkSync('/etc', join(home, 'link'));
    mkdirSync(join(home, 'packs'));
    symlinkSync('/etc/passwd', join(home, 'packs/link'));
    const archive = join(newFolder(), 'b.zip');
    await makeBackup(home, archive, 1);
    const target = newFolder();
    expect(await stageRestore(target, archive, 1)).toBeNull();
    expect(readdirSync(readyFolder(target)).sort()).toEqual(['patina-backup.json', 'sessions.db']);
  });
});

describe('[BACKUP-safe] a restore', () => {
  it('moves existing files aside, including the log of the database, and leaves keys in place', async () => {
    const home = presentHome();
    expect(await stageRestore(home, await backedUp(), 5)).toBeNull();
    expect(sessionsOf(home)).toEqual(['ses_new']);
    const aside = finishRestore(home) ?? '';
    expect(sessionsOf(home)).toEqual(['ses_old']);
    expect(sessionsOf(aside)).toEqual(['ses_new']);
    expect(existsSync(join(home, 'workflows'))).toBe(false);
    expect(readFileSync(join(aside, 'workflows/a.json'), 'utf8')).toBe('{}');
    expect(readFileSync(join(home, 'secrets.json'), 'utf8')).toBe('mine');
  });

  it('continues after a kill before any of its steps', async () => {
    const archive = await backedUp();
    /** Restores in a new home, killed before the given step; whether it had that many steps. */
    const killedAt = async (step: number): Promise<boolean> => {
      const home = presentHome();
      expect(await stageRestore(home, archive, 5)).toBeNull();
      let left = step;
      const dying = (from: Parameters<typeof renameSync>[0], to: Parameters<typeof renameSync>[1]): void => {
        left -= 1;
        if (left === 0) throw new Error('killed');
        renameSync(from, to);
      };
      let aside: string | null = null;
      try {
        aside = finishRestore(home, dying);
      } catch (error) {
        expect(error).toEqual(new Error('killed'));
        aside = finishRestore(home);
      }
      expect(sessionsOf(home), `step ${step}`).toEqual(['ses_old']);
      expect(sessionsOf(aside ?? ''), `step ${step}`).toEqual(['ses_new']);
      expect(readFileSync(join(aside ?? '', 'ui_settings.json'), 'utf8')).toContain('agent');
      return left <= 0;
    };
    // How many steps there are depends on the files that SQLite has removed by then.
    let steps = 0;
    while (await killedAt(steps + 1)) steps += 1;
    expect(steps).toBeGreaterThan(5);
  });

  const zipOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const path = join(newFolder(), 'hostile.zip');
    const zip = new ZipFile();
    for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name);
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(path));
    return path;
  };
  const sha = '0'.repeat(64);
  const manifest = (files: readonly object[]): string =>
    JSON.stringify({ patina: { format: 'backup', version: 1 }, at: 1, files });

  it.each([
    ['a file that is no archive', () => Promise.resolve(join(newFolder(), 'none.zip')), /opened/],
    ['an archive without a manifest', () => zipOf({ a: 'b' }), /not a backup/],
    [
      'a manifest of a later version',
      () => zipOf({ 'patina-backup.json': '{"patina":{"format":"backup","version":9}}' }),
      /invalid/,
    ],
    [
      'a path out of the home',
      () => zipOf({ 'patina-backup.json': manifest([{ path: '../x', bytes: 1, sha256: sha }]) }),
      /invalid.*path/,
    ],
    [
      'a path of another drive',
      () => zipOf({ 'patina-backup.json': manifest([{ path: 'C:/x', bytes: 1, sha256: sha }]) }),
      /invalid.*path/,
    ],
    [
      'keys',
      () =>
        zipOf({
          'patina-backup.json': manifest([{ path: 'secrets.json', bytes: 1, sha256: sha }]),
          'secrets.json': 'x',
        }),
      /does not belong/,
    ],
    [
      'a missing file',
      () => zipOf({ 'patina-backup.json': manifest([{ path: 'a', bytes: 1, sha256: sha }]) }),
      /missing/,
    ],
    [
      'a changed file',
      () => zipOf({ 'patina-backup.json': manifest([{ path: 'a', bytes: 1, sha256: sha }]), a: 'x' }),
      /damaged/,
    ],
  ])('refuses %s and changes nothing', async (_name, make, reason) => {
    const home = presentHome();
    const before = namesIn(home);
    expect(await stageRestore(home, await make(), 5)).toMatch(reason);
    expect(namesIn(home)).toEqual(before);
  });

  it('refuses a backup whose bytes changed', async () => {
    const archive = await backedUp();
    const bytes = readFileSync(archive);
    for (const at of [0.2, 0.5, 0.7]) {
      const damaged = Buffer.from(bytes);
      const place = Math.floor(damaged.length * at);
      damaged[place] = (damaged[place] ?? 0) ^ 0xff;
      const path = join(newFolder(), 'b.zip');
      writeFileSync(path, damaged);
      const home = newFolder();
      expect(await stageRestore(home, path, 5)).toMatch(/damaged|opened|invalid|read|size/);
      expect(readdirSync(home)).toEqual([]);
    }
  });
});

describe('[BACKUP-hostile] an archive that no backup wrote', () => {
  const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
  const file = (name: string, more: Partial<RawEntry> = {}): RawEntry => ({ name, content: 'x', ...more });
  /** Its files, and a manifest that lists them or others. */
  const archiveOf = (files: readonly RawEntry[], listed: readonly RawEntry[] = files): Buffer => {
    const rows = listed.map(({ name: path, content, claims }) => ({
      path,
      bytes: claims ?? content.length,
      sha256: hashOf(content),
    }));
    const manifest = JSON.stringify({ patina: { format: 'backup', version: 1 }, at: 1, files: rows });
    return rawZip([...files, { name: 'patina-backup.json', content: manifest }]);
  };
  const large = Buffer.alloc(1_000_000);
  const long = `packs/${'x'.repeat(300)}`;

  it.each<[title: string, bytes: Buffer, reason: string]>([
    ['a path out of the home', archiveOf([file('../evil')]), 'relative path: ../evil'],
    ['a path out of the home that it does not list', archiveOf([file('../evil')], []), 'path: ../evil'],
    ['an absolute path', archiveOf([file('/tmp/evil')], []), 'absolute path: /tmp/evil'],
    ['control characters in a path', archiveOf([file('../\u001b[31m')], []), '../\\u001b[31m'],
    ['a very long path', archiveOf([file(`../${'x'.repeat(60_000)}`)], []), `${'x'.repeat(100)}…`],
    ['a link', archiveOf([file('packs/a', { content: '/etc', mode: 0o120777 })]), 'packs/a is a link'],
    [
      'a file that is a folder too',
      archiveOf([file('packs'), file('packs/a')]),
      'packs is a file and a folder',
    ],
    [
      'a folder that is a file too',
      archiveOf([file('packs/a'), file('Packs')]),
      'Packs is a file and a folder',
    ],
    ['two files of one name', archiveOf([file('packs/a'), file('packs/a')], []), 'packs/a is in it twice'],
    [
      'two names that differ in case alone',
      archiveOf([file('packs/a'), file('packs/A')]),
      'packs/A is in it twice',
    ],
    [
      'two manifests',
      rawZip([file('patina-backup.json'), file('patina-backup.json')]),
      'patina-backup.json is in it twice',
    ],
    ['a NUL in a name', archiveOf([file('packs/a\0b')]), String.raw`"packs/a\u0000b" is not a relative path`],
    ['a name that is too long for a disk', archiveOf([file(long)]), `"${long}" is not a relative path`],
    ['keys in another case', archiveOf([file('Secrets.JSON')]), 'Secrets.JSON does not belong'],
    ['keys with a dot that Windows drops', archiveOf([file('secrets.json.')]), '"secrets.json." is not'],
    ['a database that is a folder', archiveOf([file('sessions.db/a')]), 'sessions.db/a does not belong'],
    ['a database in another case', archiveOf([file('Sessions.db')]), 'Sessions.db does not belong'],
    [
      'a bomb that hides its size',
      archiveOf([file('packs/a', { content: large, claims: 10 })]),
      'packs/a is damaged: too many bytes',
    ],
    ['a bomb', archiveOf([file('packs/a', { claims: 0xfffffff0 })]), 'packs/a is damaged: not enough bytes'],
    ['an end that is cut off', archiveOf([file('packs/a')]).subarray(0, -30), 'truncated'],
    ['a beginning that is cut off', archiveOf([file('packs/a')]).subarray(20), 'it is damaged: '],
  ])('is refused for %s, by name, and nothing is written', async (_title, bytes, reason) => {
    const around = newFolder();
    const home = join(around, 'home');
    mkdirSync(home);
    const archive = join(newFolder(), 'hostile.zip');
    writeFileSync(archive, bytes);
    const problem = (await stageRestore(home, archive, 5)) ?? '';
    expect(problem).toContain(reason);
    expect(problem.length).toBeLessThan(600);
    expect(problem).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(readdirSync(around)).toEqual(['home']);
    expect(readdirSync(home)).toEqual([]);
  });
});
