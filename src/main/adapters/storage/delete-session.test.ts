import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emptySession } from '#shared/session-state';
import type { SessionFact } from '#shared/session-event';
import { ok } from '#shared/result';
import { buildEntry } from '../../../testing/build-entry';
import { structureProblem } from './check-database';
import { createChildDatabaseCheck } from './child-database-check';
import { eraseRows } from './delete-session';
import { eraseDeleted } from './session-copies';
import { openSqlite } from './sqlite';
import { createTables } from './tables';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';

const secret = 'quetzalcoatlus';
const spoken: readonly SessionFact[] = [
  ...turnFacts(2, secret),
  { type: 'session-renamed', title: `About ${secret}` },
];
const reach = (sessionId: string) => ({
  id: sessionId,
  decision: 'allow' as const,
  tool: 'mcp://a.b',
  where: {},
  at: 1,
  reach: { kind: 'session' as const, sessionId },
});

/** A store with two sessions that contain the same words, each with all of its dependent rows. */
function twoSessions() {
  const path = newDatabasePath();
  const store = openStore(path);
  for (const id of ['gone', 'kept']) {
    must(store.acquireLease(id));
    must(store.append(id, 0, spoken));
    store.saveSnapshot({ ...emptySession(id), seq: spoken.length, title: secret });
    must(store.grants.add([reach(id)]));
  }
  return { path, store };
}

const holds = (file: string, text: string): boolean => {
  try {
    return readFileSync(file).includes(text);
  } catch {
    return false;
  }
};

describe('deleting a session', () => {
  it('[SES-delete] removes all of it, and nothing of another', () => {
    const { store } = twoSessions();
    must(store.remove('gone'));
    expect(must(store.list()).map(({ id }) => id)).toEqual(['kept']);
    expect(store.read('gone', 0)).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(store.loadSnapshot('gone')).toBeNull();
    expect(must(store.search(secret, 50)).map(({ sessionId }) => sessionId)).toEqual(['kept']);
    expect(must(store.grants.list()).map(({ id }) => id)).toEqual(['kept']);
    expect(must(store.read('kept', 0)).events).toHaveLength(spoken.length);
    expect(store.loadSnapshot('kept')).not.toBeNull();
  });

  it('[SES-delete] leaves no text of it in the file, and nothing that salvage could restore', () => {
    const { path, store } = twoSessions();
    must(store.remove('gone'));
    must(store.remove('kept'));
    expect(store.erasureDue()).toBe(true);
    expect(eraseDeleted(path)).toBeNull();
    expect(store.erasureDue()).toBe(false);
    expect(holds(path, secret) || holds(`${path}-wal`, secret)).toBe(false);
    expect(holds(path, secret.slice(0, 8)) || holds(`${path}-wal`, secret.slice(0, 8))).toBe(false);
    store.close();
    // Page 1, which locates everything else, is lost: salvage must look at every page.
    const hurt = readFileSync(path);
    hurt.fill(0xff, 100, 2_000);
    writeFileSync(path, hurt);
    const salvaged = openStore(path);
    expect(must(salvaged.list())).toEqual([]);
    expect(salvaged.salvage()).toMatchObject({ eventsSaved: 0 });
  });

  it('[SES-delete] leaves none of its bytes after many appends that split pages, a rebuild and a new snapshot', () => {
    const path = newDatabasePath();
    const store = openStore(path);
    const ids = ['first', 'gone', 'last'];
    const seqs = new Map(ids.map((id) => [id, 0]));
    const append = (id: string, facts: readonly SessionFact[]): void => {
      const seq = seqs.get(id) ?? 0;
      seqs.set(id, seq + must(store.append(id, seq, facts)).length);
    };
    const wordOf = (id: string): string => (id === 'gone' ? secret : 'harmless');
    for (const id of ids) {
      must(store.acquireLease(id));
      append(id, [{ type: 'session-created', title: wordOf(id), project: null }]);
    }
    // Sessions that grow alternately, in rows of many sizes: pages of the middle one split again and again.
    for (let round = 0; round < 120; round += 1) {
      for (const id of ids) {
        const text = `${wordOf(id)} `.repeat(1 + ((round * 37) % 400));
        const facts = turnFacts(3, text).slice(1);
        append(
          id,
          facts.map((fact) => ('turn' in fact ? { ...fact, turn: round } : fact)),
        );
        append(id, [{ type: 'session-renamed', title: text.slice(0, 1 + ((round * 53) % 200)) }]);
        if (round % 10 === 0) store.saveSnapshot({ ...emptySession(id), seq: seqs.get(id)!, title: text });
      }
    }
    must(store.remove('gone'));
    expect(eraseDeleted(path)).toBeNull();
    expect([path, `${path}-wal`].filter((file) => holds(file, secret.slice(0, 8)))).toEqual([]);
    expect(must(store.check('last'))).toMatchObject({ gaps: [], broken: [] });
    append('last', [{ type: 'session-renamed', title: 'after' }]);
    expect(must(store.search('harmless', 5)).length).toBeGreaterThan(0);
    store.close();
    const raw = openSqlite(path);
    // Throws when the full-text index disagrees with the messages.
    raw.exec("INSERT INTO message_words (message_words) VALUES ('integrity-check')");
    raw.close();
    expect(structureProblem(path)).toBeNull();
  });

  it('[SES-delete] does not report the malformed word index of an earlier version as damage', () => {
    const { path, store } = twoSessions();
    store.close();
    const raw = openSqlite(path);
    raw.exec('DELETE FROM message_words_data WHERE id > 10');
    raw.close();
    expect(structureProblem(path)).toBeNull();
  });

  it('[SES-delete] frees its id for another session, which begins empty', () => {
    const { path, store } = twoSessions();
    must(store.remove('kept'));
    expect(eraseDeleted(path)).toBeNull();
    must(store.acquireLease('next'));
    must(store.append('next', 0, turnFacts(0)));
    expect(must(store.read('next', 0)).events).toHaveLength(4);
    expect(must(store.read('gone', 0)).events).toHaveLength(spoken.length);
  });

  it('[SES-delete] [SES-lease] is refused while another process writes the session', () => {
    const { path } = twoSessions();
    const other = openStore(path, { pid: 2, holder: 'a terminal', processAlive: () => true });
    expect(other.acquireLease('gone').ok).toBe(false);
    const refused = other.remove('gone');
    expect(refused).toMatchObject({ error: { kind: 'HOST', code: 'STATE' } });
    expect(must(other.read('gone', 0)).events).toHaveLength(spoken.length);
  });

  it('[SES-delete] reports a missing session', () => {
    const { store } = twoSessions();
    expect(store.remove('never')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

/** A store with a session `gone` of several MB and one session that remains. */
function largeSession(turns = 120) {
  const path = newDatabasePath();
  const store = openStore(path);
  for (const id of ['kept', 'gone']) {
    must(store.acquireLease(id));
    const [created, ...turn] = turnFacts(8, `${secret} ${'word '.repeat(500)}`);
    let seq = must(store.append(id, 0, [created!])).length;
    for (let at = 0; at < (id === 'gone' ? turns : 2); at += 1) {
      const facts = turn.map((fact) => ('turn' in fact ? { ...fact, turn: at } : fact));
      seq += must(store.append(id, seq, facts)).length;
    }
  }
  return { path, store };
}

const logBytes = (path: string): number => statSync(`${path}-wal`).size;

describe('[SES-erase] erasing a deleted session', () => {
  it('is not done by the process that deletes it, which writes a few pages whatever its size', () => {
    const { path, store } = largeSession();
    const raw = openSqlite(path);
    raw.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    raw.close();
    must(store.remove('gone'));
    expect(logBytes(path)).toBeLessThan(100_000);
    expect(must(store.list()).map(({ id }) => id)).toEqual(['kept']);
    expect(must(store.search(secret, 50)).map(({ sessionId }) => sessionId)).not.toContain('gone');
    expect(store.erasureDue()).toBe(true);
    expect(eraseDeleted(path)).toBeNull();
    expect(store.erasureDue()).toBe(false);
    expect(must(store.check('kept'))).toMatchObject({ gaps: [], broken: [] });
    store.close();
  });

  it('is finished by the next process after a kill at any point, and no writer fails meanwhile', async () => {
    const bundle = await buildEntry('main/adapters/storage/check-process.ts', ['libsql']);
    const { path, store } = largeSession();
    const rowsOf = (id: string): number => {
      const raw = openSqlite(path);
      const { count } = raw.prepare('SELECT count(*) AS count FROM events WHERE session_id = ?').get(id) as {
        count: number;
      };
      raw.close();
      return count;
    };
    const all = rowsOf('gone');
    let seq = must(store.read('kept', 0)).lastSeq;
    must(store.remove('gone'));
    const start = createChildDatabaseCheck(bundle);
    const first = start(path, 'erase');
    await expect
      .poll(
        () => {
          seq += must(store.append('kept', seq, [{ type: 'session-renamed', title: `at ${seq}` }])).length;
          return rowsOf('gone');
        },
        { interval: 1, timeout: 30_000 },
      )
      .toBeLessThan(all);
    first.cancel();
    expect((await first.finding).ok).toBe(false);
    expect(rowsOf('gone')).toBeGreaterThan(0);
    expect(store.erasureDue()).toBe(true);
    expect(await start(path, 'erase').finding).toEqual(ok(null));
    expect(rowsOf('gone')).toBe(0);
    expect(store.erasureDue()).toBe(false);
    expect(structureProblem(path)).toBeNull();
    expect(must(store.read('kept', 0)).lastSeq).toBe(seq);
    store.close();
  }, 90_000);

  it('that is unfinished leaves nothing for salvage to restore, or for another process to write to', () => {
    const { path, store } = twoSessions();
    const other = openStore(path, { pid: 2, holder: 'a terminal', processAlive: () => true });
    expect(must(other.read('gone', 0)).lastSeq).toBe(spoken.length);
    must(store.remove('gone'));
    store.releaseLease('gone');
    must(other.acquireLease('gone'));
    expect(other.append('gone', spoken.length, [{ type: 'session-renamed', title: 'x' }]).ok).toBe(false);
    other.close();
    store.close();
    const hurt = readFileSync(path);
    hurt.fill(0xff, 100, 2_000);
    writeFileSync(path, hurt);
    expect(must(openStore(path, { pid: 3 }).list()).map(({ id }) => id)).toEqual(['kept']);
  });

  it('is retried and reports why when another process keeps the pages in use', () => {
    const { path, store } = twoSessions();
    must(store.remove('gone'));
    const reader = openSqlite(path);
    reader.exec('BEGIN; SELECT count(*) FROM events');
    expect(eraseDeleted(path)).toContain('another process');
    expect(store.erasureDue()).toBe(true);
    reader.exec('COMMIT');
    expect(eraseDeleted(path)).toBeNull();
    expect(store.erasureDue()).toBe(false);
  });
});

describe('[SES-erase] the steps of an erasure', () => {
  /** Erases the deleted sessions of a file, and counts the transactions, between which others can write. */
  function erase(path: string, rewriteUpTo?: number) {
    const db = openSqlite(path);
    const tables = createTables(db, { self: { holder: 'eraser', pid: 1 }, processAlive: () => false });
    const pages = (): number => (db.prepare('PRAGMA page_count').get() as { page_count: number }).page_count;
    const before = pages();
    let pauses = 0;
    const reason = eraseRows(tables, () => (pauses += 1), rewriteUpTo);
    const left = Object.fromEntries(
      ['events', 'messages', 'heads', 'snapshots', 'sessions'].map((table) => [
        table,
        (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n,
      ]),
    );
    const shrunk = pages() < before;
    db.close();
    return { reason, pauses, left, shrunk };
  }

  it('[SES-delete] are several for a large session, and the file is rewritten only up to a size', () => {
    const { path, store } = largeSession(40);
    must(store.remove('gone'));
    store.close();
    const large = erase(path, 1_000);
    expect(large).toMatchObject({ reason: null, shrunk: false });
    // Deleted rows are overwritten, also without a rewrite: the other session and a few moved rows are left of 360.
    expect(readFileSync(path, 'latin1').split(secret).length).toBeLessThan(100);
    // 360 rows of which 320 hold 2.5 kB and 40 messages 20 kB: at most 64 rows and about 256 kB each time.
    expect(large.pauses).toBeGreaterThan(10);
    expect(large.pauses).toBeLessThan(40);
    expect(large.left).toMatchObject({ events: 1 + 2 * 11, messages: 4, heads: 1 });
    expect(erase(path, 100_000_000)).toMatchObject({ reason: null, shrunk: true });
  });

  it('are none when no session was deleted', () => {
    const { path, store } = twoSessions();
    store.close();
    expect(erase(path)).toMatchObject({
      reason: null,
      pauses: 0,
      shrunk: false,
      left: { heads: 2, snapshots: 2 },
    });
  });
});
