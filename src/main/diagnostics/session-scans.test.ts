import { beforeAll, expect, it } from 'vitest';
import { ok, type Result } from '#shared/result';
import { buildEntry } from '../../testing/build-entry';
import { createManualClock } from '../../testing/manual-clock';
import { loseEvents, must, newDatabasePath, openStore, turnFacts } from '../../testing/stored-session';
import { createSessionLog } from '../../core/session/session-log';
import type { EventGap } from '#shared/session-state';
import { createChildDatabaseCheck } from '../adapters/storage/child-database-check';
import { rowSum } from '../adapters/storage/event-row';
import { sessionDamage } from '../adapters/storage/session-copies';
import { openSqlite } from '../adapters/storage/sqlite';
import { createNotices } from '../notices/notices';
import { createSessionScans } from './session-scans';
import type { StartDatabaseCheck } from '../../core/ports/database-check';

let checkProcess = '';
beforeAll(async () => {
  checkProcess = await buildEntry('main/adapters/storage/check-process.ts', ['libsql']);
}, 60_000);

const manyChars = 2_500_000;

/** A stored session of seven events with a snapshot; `piece`: a part of its reply. */
function storedSession(piece: string): string {
  const path = newDatabasePath();
  const store = openStore(path);
  const log = createSessionLog({ store, ids: { next: () => 's' } });
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(3, piece)));
  store.saveSnapshot(must(log.peek('s')));
  store.close();
  return path;
}

/** The session, opened by another process that looks for damage. */
function opened(path: string, start?: StartDatabaseCheck) {
  const log = createSessionLog({ store: openStore(path, { pid: 2 }), ids: { next: () => 's' } });
  const notices = createNotices([]);
  const { clock, advance } = createManualClock();
  const started: string[] = [];
  const inProcess: StartDatabaseCheck = (file, task, subject = '') => {
    started.push(`${task} ${subject}`);
    return { finding: Promise.resolve(ok(sessionDamage(file, subject))), cancel: () => undefined };
  };
  const scans = createSessionScans({ path, log, startCheck: start ?? inProcess, notices, clock });
  const pushed: (readonly EventGap[])[] = [];
  log.onGaps((_id, gaps) => pushed.push(gaps));
  must(log.open('s'));
  return { log, scans, advance, started, pushed, said: () => notices.all().map(({ id }) => id), notices };
}

it('[STO-window] damage in the middle of a session too long to read is reported soon after it is opened', async () => {
  const path = storedSession('x'.repeat(manyChars));
  loseEvents(path, [5]);
  const window = opened(path);
  window.scans.opened('s');
  expect(window.said()).toEqual([]);
  expect(window.started).toEqual([]);
  window.advance(1_100);
  await expect.poll(window.said).toEqual(['gaps-s']);
  expect(window.started).toEqual(['session s']);
  expect(window.notices.all()[0]?.detail).toContain('1 event is damaged or missing');
  const gaps = [{ fromSeq: 5, toSeq: 5, turn: 0 }];
  expect(window.pushed).toEqual([gaps]);
  expect(window.log.state('s')?.gaps).toEqual(gaps);
  window.scans.opened('s');
  window.advance(5_000);
  expect(window.started).toHaveLength(1);
  window.log.close();
});

it('[STO-window] the process of the check finds the damage beside the open session', async () => {
  const path = storedSession('x'.repeat(manyChars));
  loseEvents(path, [4, 5]);
  const { log, scans } = opened(path, createChildDatabaseCheck(checkProcess));
  let found: unknown;
  scans.scan('s', (result) => (found = result));
  await scans.finished();
  const gaps = [{ fromSeq: 4, toSeq: 5, turn: 0 }];
  expect(found).toEqual({ ok: true, value: { sessionId: 's', intact: 5, gaps, broken: [] } });
  log.close();
}, 60_000);

it('[STO-window] a replaced event has no place in the conversation and is reported all the same', async () => {
  const path = storedSession('x'.repeat(manyChars));
  const db = openSqlite(path);
  const [stored] = db.prepare('SELECT id, at, v, fact FROM events WHERE id % 4294967296 = 2').all() as {
    id: number;
    at: number;
    v: number;
    fact: string;
  }[];
  if (!stored) throw new Error('The event is missing.');
  const { id, at, v } = stored;
  const fact = stored.fact.replace('sort a list', 'lose a list');
  const sum = rowSum({ sessionId: 's', seq: 2, at, v, fact });
  db.prepare('UPDATE events SET fact = ?, sum = ? WHERE id = ?').run(fact, sum, id);
  db.close();
  const window = opened(path);
  window.scans.opened('s');
  window.advance(1_100);
  await expect.poll(window.said).toEqual(['gaps-s']);
  expect(window.notices.all()[0]?.hint).toContain('No daily copy contains them');
  expect(window.log.state('s')?.gaps).toBeUndefined();
  window.log.close();
});

it('[STO-window] a whole long session and a short one say nothing, and the short one starts no process', async () => {
  const long = opened(storedSession('x'.repeat(manyChars)));
  long.scans.opened('s');
  long.advance(1_100);
  await expect.poll(() => long.log.unscanned('s')).toBe(false);
  expect([long.said(), long.pushed]).toEqual([[], []]);
  long.log.close();
  const short = opened(storedSession('short'));
  short.scans.opened('s');
  short.advance(5_000);
  expect([short.started, short.said()]).toEqual([[], []]);
  short.log.close();
});

it('[STO-window] a scan that takes a moment is shown, and a repair or the end of the app cancels it', async () => {
  const path = storedSession('x'.repeat(manyChars));
  let cancelled = 0;
  const endings: ((finding: Result<string | null>) => void)[] = [];
  const window = opened(path, () => ({
    finding: new Promise((resolve) => endings.push(resolve)),
    cancel: () => (cancelled += 1),
  }));
  window.scans.opened('s');
  window.advance(1_100);
  await expect.poll(() => endings.length).toBe(1);
  window.advance(2_000);
  expect(window.said()).toEqual(['session-scan']);
  window.scans.repaired('s', 0);
  expect(cancelled).toBe(1);
  endings[0]?.({ ok: false, error: { kind: 'HOST', code: 'STORAGE', message: 'ended', retryable: true } });
  await expect.poll(window.said).toEqual([]);
  expect(window.log.unscanned('s')).toBe(true);
  window.scans.opened('s');
  window.advance(1_100);
  await expect.poll(() => endings.length).toBe(2);
  window.scans.stop();
  expect(cancelled).toBe(2);
  window.log.close();
});
