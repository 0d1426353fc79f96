import { spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildEntry } from '../../../testing/build-entry';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { createManualClock } from '../../../testing/manual-clock';
import type { ReadOnlyStore } from '../../../core/ports/session-store';
import { versionMark } from './migrate';
import { openDatabase, type OpenDatabase } from './open-database';
import { makeCopy } from './session-copies';
import { openSqlite, type Sqlite } from './sqlite';

const failures = {
  ENOSPC: { code: 'SQLITE_FULL', message: 'database or disk is full' },
  EIO: { code: 'SQLITE_IOERR_WRITE', message: 'disk I/O error' },
  EROFS: { code: 'SQLITE_READONLY', message: 'attempt to write a readonly database' },
};

/** A disk that works until told to fail once, at the n-th write after that. */
function createFailingDisk(error: { readonly code: string; readonly message: string }) {
  let left = Number.POSITIVE_INFINITY;
  let failed = false;
  const write = <T>(work: () => T): T => {
    left -= 1;
    if (left !== 0) return work();
    failed = true;
    throw Object.assign(new Error(error.message), { code: error.code });
  };
  const open: OpenDatabase = (request) => {
    const { db, salvage } = openDatabase(request);
    const prepare = db.prepare.bind(db);
    const exec = db.exec.bind(db);
    db.exec = (sql) => (sql === 'ROLLBACK' ? exec(sql) : write(() => exec(sql)));
    db.prepare = ((sql: string) => {
      const statement = prepare(sql);
      const run = statement.run.bind(statement);
      statement.run = (...values) => write(() => run(...values));
      return statement;
    }) as Sqlite['prepare'];
    return { db, salvage };
  };
  return { open, failAt: (nth: number) => (left = nth), failed: () => failed };
}

describe.each(Object.entries(failures))('a disk that returns %s', (_name, error) => {
  it('[H56] at any write: nothing is acknowledged, thrown or half-written, and work continues', () => {
    let nth = 0;
    for (let failed = true; failed;) {
      nth += 1;
      const disk = createFailingDisk(error);
      const path = newDatabasePath();
      const store = openStore(path, { openDatabase: disk.open });
      must(store.acquireLease('s'));
      must(store.append('s', 0, turnFacts(2).slice(0, -1)));
      disk.failAt(nth);
      const last = turnFacts(0).slice(-1);
      const result = store.append('s', 5, [{ type: 'session-renamed', title: 'new' }, ...last]);
      failed = disk.failed();
      expect(result.ok).toBe(!failed);
      if (!result.ok) {
        expect(result.error).toMatchObject({ kind: 'HOST', code: 'STORAGE', retryable: true });
        expect(result.error.hint).toBeTruthy();
        expect(must(store.read('s', 0)).events).toHaveLength(5);
        expect(must(store.list())[0]?.title).toBe('A session');
        must(store.append('s', 5, [{ type: 'session-renamed', title: 'new' }, ...last]));
      }
      expect(must(store.read('s', 0)).events).toHaveLength(7);
      expect(must(store.search('piece', 5))).toHaveLength(1);
      store.close();
    }
    // BEGIN, the session row, two events, the summary, message and words, COMMIT: each failed once.
    expect(nth).toBeGreaterThanOrEqual(8);
  });
});

it('[H56] as a real write error (a file-size limit) keeps what was acknowledged', async (context) => {
  if (process.platform !== 'linux')
    context.skip('file size limits are set with prlimit, which is Linux only');
  const child = await buildEntry('testing/writing-child.ts', ['libsql']);
  const path = newDatabasePath();
  const command = 'ulimit -f 400; exec "$0" "$@"';
  const run = spawnSync('bash', ['-c', command, process.execPath, child, 'sessions', path], {
    encoding: 'utf8',
  });
  const acknowledged = Number(run.stdout.trim().split('\n').at(-1));
  expect(acknowledged).toBeGreaterThan(0);
  expect(run.stderr).toContain('"code":"STORAGE"');
  const store = openStore(path, { pid: 1 });
  expect(must(store.read('s', 0)).events.length).toBe(acknowledged);
}, 60_000);

/** Mounts a separate disk of `size`, for tests that are allowed to mount one. */
function withDisk(size: string, work: (folder: string) => void, skip: () => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'patina-disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status !== 0) return skip();
  try {
    work(folder);
  } finally {
    spawnSync('umount', ['-l', folder]);
  }
}

it('[START-read-only] a read-only home without a sessions file has no sessions, and takes some once it is writable', (context) => {
  withDisk(
    '8m',
    (folder) => {
      const remount = (mode: 'ro' | 'rw') => spawnSync('mount', ['-o', `remount,${mode}`, folder]).status;
      expect(remount('ro')).toBe(0);
      const { clock, advance } = createManualClock();
      const said: (ReadOnlyStore | null)[] = [];
      const path = join(folder, 'sessions.db');
      const store = openStore(path, { clock, onReadOnly: (readOnly) => said.push(readOnly) });
      expect(must(store.list())).toEqual([]);
      expect(said).toEqual([
        expect.objectContaining({ reason: expect.stringContaining('read-only') as string }),
      ]);
      expect(store.acquireLease('s')).toMatchObject({ ok: false, error: { code: 'STORAGE' } });
      expect(remount('rw')).toBe(0);
      advance(10_100);
      expect(said).toHaveLength(2);
      expect(said[1]).toBeNull();
      must(store.acquireLease('s'));
      must(store.append('s', 0, turnFacts(2)));
      expect(must(store.list())).toHaveLength(1);
      store.close();
      const next = openStore(path, { pid: 2 });
      expect(must(next.list())).toHaveLength(1);
      next.close();
    },
    () => context.skip('mounting a disk is not allowed here'),
  );
});

it('[START-read-only] a link to a missing sessions file is an error in a read-only home, not an empty list', (context) => {
  withDisk(
    '8m',
    (folder) => {
      const path = join(folder, 'sessions.db');
      symlinkSync(join(folder, 'not-mounted', 'sessions.db'), path);
      expect(spawnSync('mount', ['-o', 'remount,ro', folder]).status).toBe(0);
      const store = openStore(path);
      expect(store.list()).toMatchObject({ ok: false, error: { code: 'STORAGE' } });
      store.close();
    },
    () => context.skip('mounting a disk is not allowed here'),
  );
});

/** What one process wrote, as the file and its log, which it did not empty when it was killed. */
function killedWriter(change: string | null) {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(2, 'walrus')));
  if (change !== null) {
    store.close();
    const db = openSqlite(path);
    db.exec(`${change}; PRAGMA wal_checkpoint(TRUNCATE)`);
    db.close();
  }
  const bytes = { database: readFileSync(path), log: change === null ? readFileSync(`${path}-wal`) : null };
  if (change === null) store.close();
  return bytes;
}

describe('[START-read-only] a read-only home with sessions', () => {
  it.each<readonly [string, string | null, boolean]>([
    ['that were closed', 'SELECT 1', true],
    ['whose last ones are in a log', null, true],
    [
      'of an earlier version',
      `DROP TABLE marks; PRAGMA user_version = 5; PRAGMA application_id = ${versionMark(5)}`,
      true,
    ],
    ['of a newer version', `PRAGMA user_version = 99; PRAGMA application_id = ${versionMark(99)}`, false],
  ])('%s shows them and changes nothing, until it is writable', (_name, change, readable) => {
    const { database, log } = killedWriter(change);
    withDisk(
      '8m',
      (folder) => {
        const path = join(folder, 'sessions.db');
        writeFileSync(path, database);
        if (log) writeFileSync(`${path}-wal`, log);
        const remount = (mode: 'ro' | 'rw') => spawnSync('mount', ['-o', `remount,${mode}`, folder]).status;
        expect(remount('ro')).toBe(0);
        const { clock, advance } = createManualClock();
        const said: (ReadOnlyStore | null)[] = [];
        const store = openStore(path, { clock, pid: 2, onReadOnly: (readOnly) => said.push(readOnly) });
        if (!readable) {
          expect(store.list()).toMatchObject({
            ok: false,
            error: { message: expect.stringContaining('from a newer Patina') as string },
          });
          return;
        }
        expect(must(store.list()).map(({ id }) => id)).toEqual(['s']);
        expect(must(store.read('s', 0)).events).toHaveLength(6);
        expect(must(store.search('walrus', 5))).toHaveLength(1);
        expect(said).toMatchObject([{ reason: 'The disk that holds the sessions file is read-only.' }]);
        expect(store.acquireLease('s')).toMatchObject({
          error: {
            message: 'Could not open the session. The disk that holds the sessions file is read-only.',
            hint: expect.stringContaining('Make the disk writable') as string,
            retryable: true,
          },
        });
        expect(readdirSync(folder)).toEqual(log ? ['sessions.db', 'sessions.db-wal'] : ['sessions.db']);
        expect(readFileSync(path).equals(database)).toBe(true);
        advance(10_100);
        expect(said).toHaveLength(1);
        expect(must(store.list())).toHaveLength(1);
        expect(remount('rw')).toBe(0);
        advance(10_100);
        expect(said).toMatchObject([{}, null]);
        must(store.acquireLease('s'));
        must(store.append('s', 6, [{ type: 'session-renamed', title: 'after' }]));
        store.close();
        const next = openStore(path, { pid: 3 });
        expect(must(next.list())[0]?.title).toBe('after');
        next.close();
      },
      () => undefined,
    );
  });
});

it('[STO-copy] a disk that would be full with a copy gets none', (context) => {
  withDisk(
    '60m',
    (folder) => {
      const path = join(folder, 'sessions.db');
      writeFileSync(path, killedWriter('SELECT 1').database);
      expect(makeCopy(path, 0)).toBe('the disk has too little room for it');
      expect(readdirSync(folder)).not.toContain('copies');
    },
    () => context.skip('mounting a small disk is not allowed here'),
  );
});

it('[STO-copy] a disk that would be full with a copy of what is still in the log gets none', (context) => {
  withDisk(
    '100m',
    (folder) => {
      const path = join(folder, 'sessions.db');
      const store = openStore(path);
      must(store.acquireLease('s'));
      const title = 'x'.repeat(1_000_000);
      must(store.append('s', 0, [...turnFacts(2), { type: 'session-renamed', title }]));
      const { bavail, bsize } = statfsSync(folder);
      // More than the spare space for the file alone, less than that for the file and its log.
      const free = 64 * 1024 * 1024 + statSync(path).size + statSync(`${path}-wal`).size / 2;
      writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize - free));
      expect(makeCopy(path, 0)).toBe('the disk has too little room for it');
      rmSync(join(folder, 'filler'));
      expect(makeCopy(path, 0)).toBeNull();
      store.close();
    },
    () => context.skip('mounting a small disk is not allowed here'),
  );
});

it('[H56] because it is really full is reported as full, while writing, at a start and with any space left', (context) => {
  withDisk(
    '3m',
    (folder) => {
      const path = join(folder, 'sessions.db');
      const store = openStore(path);
      must(store.acquireLease('s'));
      must(store.append('s', 0, turnFacts(2)));
      let seq = 6;
      const save = () => store.append('s', seq, [{ type: 'session-renamed', title: 'x'.repeat(20_000) }]);
      let result = save();
      for (; result.ok; result = save()) seq += 1;
      expect(result.error.message).toContain('The disk is full.');
      store.close();
      for (const left of [0, 4_096, 12_288, 24_576]) {
        rmSync(join(folder, 'filler'), { force: true });
        const { bavail, bsize } = statfsSync(folder);
        writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - left)));
        const next = openStore(path, { pid: 2 });
        expect(must(next.list())).toHaveLength(1);
        const lease = next.acquireLease('s');
        const saved = lease.ok
          ? next.append('s', seq, [{ type: 'session-renamed', title: 'y'.repeat(60_000) }])
          : lease;
        expect(saved).toMatchObject({
          ok: false,
          error: { message: expect.stringContaining('disk is full') as string },
        });
        next.close();
      }
    },
    () => context.skip('mounting a small disk is not allowed here'),
  );
});
