import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { applyEvent } from '#shared/apply-event';
import { noMarks } from '#shared/session-marks';
import { emptySession, summaryOf } from '#shared/session-state';
import { createManualClock } from '../../../testing/manual-clock';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { matchQuery } from './message-index';
import { openSqlite } from './sqlite';

const offline = { providerId: 'offline', model: 'offline' };
const fold = (id: string, events: Parameters<typeof applyEvent>[1][]) =>
  events.reduce(applyEvent, emptySession(id));

describe('appending', () => {
  it('numbers events from 1 without gaps, and another instance reads the same events', () => {
    const path = newDatabasePath();
    const store = openStore(path);
    must(store.acquireLease('s'));
    const first = must(store.append('s', 0, turnFacts(3)));
    const second = must(store.append('s', 7, [{ type: 'session-renamed', title: 'B' }]));
    expect([...first, ...second].map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    store.close();
    const again = openStore(path);
    expect(must(again.read('s', 0)).events).toEqual([...first, ...second]);
    expect(must(again.read('s', 7)).events).toEqual(second);
    expect(again.salvage()).toBeNull();
  });

  it('returns any text unchanged, including lone surrogates and line endings', () => {
    const store = openStore(newDatabasePath());
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0)));
    let seq = 4;
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 50 }), (texts) => {
        const facts = texts.map((text) => ({ type: 'reply-extended' as const, turn: 0, text }));
        const events = must(store.append('s', seq, facts));
        expect(must(store.read('s', seq)).events).toEqual(events);
        seq += texts.length;
      }),
      { numRuns: 10 },
    );
  });

  it('[H57] keeps the order of seq when the clock is set back', () => {
    const path = newDatabasePath();
    let time = 5_000;
    const clock = { ...createManualClock().clock, now: () => (time -= 1_000.5) };
    const store = openStore(path, { clock });
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0)));
    must(store.append('s', 4, [{ type: 'session-renamed', title: 'later' }]));
    const events = must(store.read('s', 0)).events;
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events[4]!.at).toBeLessThan(events[0]!.at);
    expect(fold('s', [...events]).title).toBe('later');
  });

  it('lists a session by its name without the characters that reverse it', () => {
    const store = openStore(newDatabasePath());
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0)));
    must(store.append('s', 4, [{ type: 'session-renamed', title: 'a \u202Ename\u2066' }]));
    expect(must(store.list())[0]?.title).toBe('a name');
  });

  it('refuses a change based on another seq', () => {
    const store = openStore(newDatabasePath());
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0)));
    const late = store.append('s', 3, [{ type: 'session-archived' }]);
    expect(late).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
    expect(must(store.read('s', 0)).events).toHaveLength(4);
  });

  it.each([2, 3, 5])('refuses a part of a reply after %i of 4 events, and writes none of it', (afterSeq) => {
    const path = newDatabasePath();
    const store = openStore(path);
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0)));
    const piece = { type: 'reply-extended', turn: 0, text: 'late' } as const;
    expect(store.append('s', afterSeq, [piece])).toMatchObject({ error: { code: 'STATE' } });
    expect(store.append('unknown', 4, [piece])).toMatchObject({ error: { code: 'STATE' } });
    store.releaseLease('s');
    expect(store.append('s', 4, [piece])).toMatchObject({ error: { code: 'STATE' } });
    expect(must(openStore(path).read('s', 0)).events).toHaveLength(4);
  });

  it('lists sessions according to their folds, newest first', () => {
    const store = openStore(newDatabasePath(), { clock: createManualClock(10.4).clock });
    for (const id of ['a', 'b']) {
      must(store.acquireLease(id));
      must(store.append(id, 0, turnFacts(1)));
    }
    must(store.append('a', 5, [{ type: 'project-chosen', project: '/p' }, { type: 'session-archived' }]));
    const state = fold('a', [...must(store.read('a', 0)).events]);
    const summary = must(store.list()).find((each) => each.id === 'a');
    expect(summary).toEqual({
      id: 'a',
      title: state.title,
      project: '/p',
      archived: true,
      turnCount: 1,
      createdAt: state.createdAt,
      updatedAt: state.updatedAt,
      marks: state.marks,
    });
    expect(must(store.list()).map((each) => each.id)).toEqual(['b', 'a']);
  });
});

describe('[RAIL-marks] the marks of a session', () => {
  it('are listed according to its fold, and tidying moves no session', () => {
    const path = newDatabasePath();
    const clock = createManualClock(1_000);
    const store = openStore(path, { clock: clock.clock });
    must(store.acquireLease('a'));
    const written = must(store.append('a', 0, turnFacts(0)));
    clock.advance(5_000);
    must(store.append('a', 4, [{ type: 'session-marked', pinned: true, unread: true }]));
    must(store.append('a', 5, [{ type: 'session-renamed', title: 'Locks' }]));
    const [listed] = must(openStore(path).list());
    expect(listed).toMatchObject({
      title: 'Locks',
      marks: { pinned: true, unread: true, failed: false },
      updatedAt: written.at(-1)?.at,
    });
    expect(listed).toMatchObject(summaryOf(fold('a', [...must(store.read('a', 0)).events])));

    must(store.append('a', 6, [{ type: 'session-marked', pinned: false, unread: false }]));
    expect(must(openStore(path).list())[0]?.marks).toEqual(noMarks);
  });

  it('show that the last reply failed until the next line', () => {
    const store = openStore(newDatabasePath());
    must(store.acquireLease('a'));
    const error = appError('LLM', 'UNAVAILABLE', 'gone');
    must(store.append('a', 0, turnFacts(0).slice(0, -1)));
    must(store.append('a', 3, [{ type: 'reply-ended', turn: 0, outcome: 'failed', error }]));
    expect(must(store.list())[0]?.marks.failed).toBe(true);
    const line = { type: 'message-sent', turn: 1, text: 'Again', runMode: 'ask', model: offline } as const;
    must(store.append('a', 4, [line]));
    expect(must(store.list())[0]?.marks.failed).toBe(false);
  });
});

describe('[SES-lease] one writer per session', () => {
  const twoProcesses = (alive: boolean, clock = createManualClock(1_000)) => {
    const path = newDatabasePath();
    const common = { clock: clock.clock, processAlive: () => alive };
    const one = openStore(path, { ...common, pid: 1, holder: 'the window' });
    const two = openStore(path, { ...common, pid: 2, holder: 'the command line' });
    must(one.acquireLease('s'));
    must(one.append('s', 0, turnFacts(0)));
    return { one, two, clock };
  };

  it('[H57] refuses a second process and names the first; the second can still read', () => {
    const { two } = twoProcesses(true);
    expect(two.acquireLease('s')).toMatchObject({
      ok: false,
      error: { code: 'STATE', message: 'This session is being written by the window (process 1).' },
    });
    expect(two.append('s', 4, [{ type: 'session-archived' }])).toMatchObject({ error: { code: 'STATE' } });
    expect(must(two.read('s', 0)).events).toHaveLength(4);
  });

  it('[H57] takes over from a dead process, which cannot write any more', () => {
    const { one, two } = twoProcesses(false);
    must(two.acquireLease('s'));
    must(two.append('s', 4, [{ type: 'session-archived' }]));
    expect(one.append('s', 5, [{ type: 'session-restored' }])).toMatchObject({ error: { code: 'STATE' } });
  });

  it('[H57] expires when another program got its pid; a living writer renews it', () => {
    const { two, one, clock } = twoProcesses(true);
    clock.advance(500_000);
    expect(two.acquireLease('s').ok).toBe(false);
    one.close();
    const path = newDatabasePath();
    const dead = openStore(path, { pid: 1, processAlive: () => true, clock: createManualClock(1_000).clock });
    must(dead.acquireLease('s'));
    const later = createManualClock(1_000 + 121_000).clock;
    must(openStore(path, { pid: 2, processAlive: () => true, clock: later }).acquireLease('s'));
  });

  it('passes to the next process on release; a predecessor with the same pid counts as dead', () => {
    const { one, two } = twoProcesses(true);
    one.releaseLease('s');
    must(two.acquireLease('s'));
    const path = newDatabasePath();
    must(openStore(path, { pid: 7, processAlive: () => true }).acquireLease('s'));
    must(openStore(path, { pid: 7, processAlive: () => true }).acquireLease('s'));
  });
});

describe('[SES-search] search', () => {
  it('finds lines and finished replies, marks the words, and accepts no query syntax', () => {
    const store = openStore(newDatabasePath());
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(2, 'Überraschung \u0001marked\u0002')));
    expect(must(store.search('sort', 5))).toMatchObject([
      { sessionId: 's', sessionTitle: 'A session', turn: 0, snippet: 'How do I \u0001sort\u0002 a list?' },
    ]);
    expect(must(store.search('uberrasch', 5))[0]?.snippet).toContain('\u0001Überraschung\u0002  marked ');
    for (const odd of ['', '   ', '"', '* OR', 'NEAR(', "';--", '((', 'col:x', '\u0000']) {
      expect(store.search(odd, 5).ok).toBe(true);
    }
    expect(matchQuery('a-b "c')).toBe('"a"* "b"* "c"*');
  });

  it('finds the reply of a turn that another process ended', () => {
    const path = newDatabasePath();
    const first = openStore(path, { pid: 1 });
    must(first.acquireLease('s'));
    must(first.append('s', 0, turnFacts(200, 'walrus').slice(0, -1)));
    const second = openStore(path, { pid: 2 });
    must(second.acquireLease('s'));
    must(second.append('s', 203, [{ type: 'reply-ended', turn: 0, outcome: 'interrupted' }]));
    expect(must(second.search('walrus', 5))).toHaveLength(1);
    expect(must(second.search('199', 5))).toHaveLength(1);
  });
});

describe('snapshots', () => {
  it('are returned as stored, and ignored when ahead of the events', () => {
    const store = openStore(newDatabasePath());
    must(store.acquireLease('s'));
    const state = fold('s', [...must(store.append('s', 0, turnFacts(5)))]);
    store.saveSnapshot(state);
    expect(store.loadSnapshot('s')).toEqual(state);
    store.saveSnapshot({ ...state, seq: 10 });
    expect(store.loadSnapshot('s')).toBeNull();
    expect(store.loadSnapshot('none')).toBeNull();
  });
});

describe('a location that cannot be written', () => {
  it('[H56] is an error value for every call, and works once it can be written', () => {
    const path = newDatabasePath();
    const blocked = join(path, 'sessions.db');
    writeFileSync(path, 'a file where the folder should be');
    const store = openStore(blocked);
    for (const result of [
      store.acquireLease('s'),
      store.append('s', 0, []),
      store.list(),
      store.search('x', 1),
    ]) {
      expect(result).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE' } });
    }
    expect(store.loadSnapshot('s')).toBeNull();
    store.close();
    expect(store.list()).toMatchObject({ ok: false, error: { code: 'STATE' } });
  });

  it('[H55] because a folder is in place of the file has the folder moved away', () => {
    const path = newDatabasePath();
    mkdirSync(path);
    const store = openStore(path);
    must(store.acquireLease('s'));
    expect(must(store.append('s', 0, turnFacts(0)))).toHaveLength(4);
    expect(readdirSync(dirname(path)).some((name) => name.includes('.corrupt-'))).toBe(true);
  });
});

it('folds a session from its events when its stored fold does not expand to one', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(3)));
  store.saveSnapshot({ ...emptySession('s'), seq: 1 });
  expect(store.loadSnapshot('s')).not.toBeNull();
  store.close();
  // Otherwise a stored fold: only its size is wrong.
  const spaces = Buffer.alloc(257 * 1_024 * 1_024, ' ');
  const huge = Buffer.concat([Buffer.from(JSON.stringify({ ...emptySession('s'), seq: 1 })), spaces]);
  const bomb = deflateRawSync(huge, { level: 1 });
  for (const bytes of [bomb, deflateRawSync('{"id":'), Buffer.from('no deflate')]) {
    const text = bytes.toString('base64');
    const db = openSqlite(path);
    db.prepare('UPDATE snapshots SET state = ?, sum = ?').run(text, crc32(text));
    db.close();
    const again = openStore(path);
    expect(again.loadSnapshot('s')).toBeNull();
    again.close();
  }
});
