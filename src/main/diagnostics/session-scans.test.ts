import { beforeAll, expect, it } from 'vitest';
import { ok, type Result } from '#shared/result';
import { buildEntry } from '../../testing/build-entry';
import { createManualClock } from '../../testing/manual-clock';
import {
  loseEvents,
  must,
  newDatabasePath,
  openStore,
  replaceInEvent,
  turnFacts,
} from '../../testing/stored-session';
import { createSessionLog } from '../../core/session/session-log';
import type { EventGap } from '#shared/session-state';
import { makeCopy } from '../adapters/storage/session-copies';
import { createChildDatabaseCheck } from '../adapters/storage/child-database-check';
import { createNotices } from '../notices/notices';
import { createSessionScans } from './session-scans';
import type { StartDatabaseCheck } from '../../core/ports/database-check';
import { sessionDamage } from '../adapters/storage/repair-session';

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
  expect(found).toEqual({ ok: true, value: { sessionId: 's', intact: 5, gaps, broken: [], restorable: 0 } });
  log.close();
}, 60_000);

it('[STO-window] a replaced event has no place in the conversation and is reported all the same', async () => {
  const path = storedSession('x'.repeat(manyChars));
  replaceInEvent(path, 2, 'sort a list', 'lose a list');
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

it('[STO-repair-beside] the process of the check counts and restores the events, and gives the session back', async () => {
  const path = storedSession('piece');
  expect(makeCopy(path, 0)).toBeNull();
  loseEvents(path, [2, 4, 5]);
  const start = createChildDatabaseCheck(checkProcess);
  const started: string[] = [];
  const { log, scans, said } = opened(path, (file, task = 'check', subject = '') => {
    started.push(task);
    return start(file, task, subject);
  });
  scans.opened('s');
  await expect.poll(said, { timeout: 30_000 }).toEqual(['gaps-s']);
  expect(await Promise.all([scans.restorable('s'), scans.restorable('s')])).toEqual([ok(3), ok(3)]);
  expect(started).toEqual(['session']);
  const repairing = scans.repair('s');
  expect(log.state('s')).toBeNull();
  expect(await repairing).toEqual(ok({ sessionId: 's', fromUnreadable: 0, fromCopies: 3, damaged: 0 }));
  expect(said()).toEqual([]);
  expect(must(log.open('s'))).toMatchObject({ readOnly: null, state: { seq: 7, turnCount: 1 } });
  expect(must(log.replay('s'))).toMatchObject({ equal: true, damaged: 0, events: 7 });
  expect(must(log.search('sort'))).toHaveLength(1);
  must(log.append('s', [{ type: 'session-renamed', title: 'Repaired' }]));
  expect(must(await scans.restorable('s'))).toBe(0);
  log.close();
}, 60_000);

it('[STO-repair-beside] a session in which work is running, that another process writes, or that does not exist is not repaired', async () => {
  const path = storedSession('piece');
  const window = opened(path);
  const line = { type: 'message-sent', turn: 1, text: 'Go', runMode: 'ask' } as const;
  must(window.log.append('s', [{ ...line, model: { providerId: 'offline', model: 'offline' } }]));
  const running = {
    ok: false,
    error: { code: 'STATE', message: 'Something in this session is still running.' },
  };
  expect(await window.scans.repair('s')).toMatchObject(running);
  const missing = { ok: false, error: { code: 'NOT_FOUND' } };
  expect(await window.scans.repair('\0')).toMatchObject(missing);
  expect(await window.scans.restorable('\0')).toMatchObject(missing);
  const processAlive = () => true;
  const other = createSessionLog({
    store: openStore(path, { pid: 3, processAlive }),
    ids: { next: () => 's' },
  });
  must(other.open('s'));
  const { clock } = createManualClock();
  const notices = createNotices([]);
  const start: StartDatabaseCheck = () => {
    throw new Error('A refused repair starts no process.');
  };
  const scans = createSessionScans({ path, log: other, startCheck: start, clock, notices });
  expect(await scans.repair('s')).toMatchObject({ ok: false, error: { code: 'STATE' } });
  expect(window.started).toEqual([]);
  window.log.close();
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
  void window.scans.repair('s');
  expect([cancelled, endings.length]).toEqual([1, 2]);
  endings[0]?.({ ok: false, error: { kind: 'HOST', code: 'STORAGE', message: 'ended', retryable: true } });
  await expect.poll(window.said).toEqual([]);
  must(window.log.open('s'));
  expect(window.log.unscanned('s')).toBe(true);
  window.scans.opened('s');
  window.advance(1_100);
  await expect.poll(() => endings.length).toBe(3);
  window.scans.stop();
  expect(cancelled).toBe(2);
  window.log.close();
});
