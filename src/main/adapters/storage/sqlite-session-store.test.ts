import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { applyEvent } from '#shared/apply-event';
import type { SessionFact } from '#shared/session-event';
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

  it('[SES-lease] says why it refuses: no writer, another writer, or a change based on another event', () => {
    const path = newDatabasePath();
    const store = openStore(path, { processAlive: () => true });
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0)));
    const renamed = [{ type: 'session-renamed', title: 'B' }] as const;
    const other = openStore(path, { pid: 2, holder: 'a terminal', processAlive: () => true });
    const leased = {
      message: 'This session is being written by the window (process 1000).',
      hint: 'Close it there, or continue in a new session.',
      retryable: true,
    };
    expect(other.append('s', 4, renamed)).toMatchObject({ error: leased });
    expect(other.acquireLease('s')).toMatchObject({ error: leased });
    expect(store.append('s', 2, renamed)).toMatchObject({
      error: {
        message: 'Conflict: the session is at event 4, but the change was based on event 2.',
        hint: 'Open the session again.',
      },
    });
    store.releaseLease('s');
    expect(store.append('s', 4, renamed)).toMatchObject({
      error: { message: 'This session is not open for writing.' },
    });
    expect(store.append('new', 0, renamed)).toMatchObject({
      error: { message: 'This session is not open for writing.' },
    });
    expect(must(store.list()).map(({ id }) => id)).toEqual(['s']);
    expect(store.read('new', 0)).toMatchObject({
      error: { code: 'NOT_FOUND', message: 'There is no session "new".' },
    });
  });

  it('gives each fact its own time where one is told, and else the time of the clock in whole milliseconds', () => {
    const store = openStore(newDatabasePath(), { clock: createManualClock(7.6).clock });
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0), [1, 2, 3]));
    expect(must(store.read('s', 0)).events.map(({ at }) => at)).toEqual([1, 2, 3, 8]);
    must(store.acquireLease('copy'));
    const timed = turnFacts(0).map((fact, index) => ({ fact, at: index + 0.7 }));
    must(store.importSession('copy', timed));
    expect(must(store.read('copy', 0)).events.map(({ at }) => at)).toEqual([1, 2, 3, 4]);
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
    must(store.append('a', 7, [{ type: 'session-restored' }]));
    expect(must(store.list()).map(({ id, archived }) => [id, archived])).toEqual([
      ['b', false],
      ['a', false],
    ]);
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

describe('the lease of a session', () => {
  it('[SES-lease] is renewed while this process has one, and ends with the last of them', () => {
    const path = newDatabasePath();
    const { clock, advance, timers } = createManualClock(1_000);
    const store = openStore(path, { clock });
    const until = (): readonly number[] => {
      const db = openSqlite(path);
      const rows = db.prepare('SELECT expires_at AS at FROM leases').all() as { at: number }[];
      db.close();
      return rows.map(({ at }) => at);
    };
    must(store.acquireLease('a'));
    must(store.acquireLease('b'));
    expect({ until: until(), timers: timers() }).toEqual({ until: [121_000, 121_000], timers: 1 });
    advance(39_999);
    expect(until()).toEqual([121_000, 121_000]);
    advance(1);
    expect(until()).toEqual([161_000, 161_000]);
    store.releaseLease('a');
    expect({ until: until(), timers: timers() }).toEqual({ until: [161_000], timers: 1 });
    store.releaseLease('b');
    expect({ until: until(), timers: timers() }).toEqual({ until: [], timers: 0 });
    must(store.acquireLease('a'));
    must(store.acquireLease('b'));
    expect(timers()).toBe(1);
    store.close();
    expect({ until: until(), timers: timers() }).toEqual({ until: [], timers: 0 });
  });
});

describe('[STO-run-index] the session of a run', () => {
  const begun = { type: 'run-started', turn: 0, runId: 'run_1', goal: 'g' } as unknown as SessionFact;

  it('is the one in which it started, also after a fork, and none once that is deleted', () => {
    const store = openStore(newDatabasePath());
    for (const id of ['first', 'fork']) {
      must(store.acquireLease(id));
      must(store.append(id, 0, [...turnFacts(0), begun]));
    }
    expect(must(store.sessionOfRun('run_1'))).toBe('first');
    expect(must(store.sessionOfRun('run_2'))).toBeNull();
    must(store.remove('first'));
    expect(must(store.sessionOfRun('run_1'))).toBeNull();
  });
});

describe('pinned tools', () => {
  const text = (hash: string) => ({ description: hash, inputSchema: {}, hash });
  const pin = (uri: string, hash = 'h') => ({ uri, held: text(hash) });

  it('survive a restart, are replaced by their address and forgotten by their server', () => {
    const path = newDatabasePath();
    const store = openStore(path);
    must(store.pins.put([pin('mcp://b.read'), pin('mcp://a.write'), pin('mcp://a.read')]));
    must(store.pins.put([{ ...pin('mcp://b.read', 'new'), seen: text('newer') }]));
    store.close();
    const again = openStore(path, { pid: 2 });
    expect(must(again.pins.list())).toEqual([
      pin('mcp://a.read'),
      pin('mcp://a.write'),
      { ...pin('mcp://b.read', 'new'), seen: text('newer') },
    ]);
    must(again.pins.forget('a'));
    expect(must(again.pins.list()).map(({ uri }) => uri)).toEqual(['mcp://b.read']);
    again.close();
    const db = openSqlite(path);
    db.exec(`INSERT INTO tool_pins VALUES ('mcp://a.x', '{"uri":"mcp://a.x"}'), ('mcp://a.y', 'no json')`);
    db.close();
    expect(must(openStore(path, { pid: 3 }).pins.list())).toHaveLength(1);
  });
});

describe('[SES-search] how sessions begin', () => {
  it('is the first line of each that has one, the newest first and the archived last', () => {
    const { clock, advance } = createManualClock(1_000);
    const store = openStore(newDatabasePath(), { clock });
    const [created, sent, ...reply] = turnFacts(1);
    for (const [id, text] of [
      ['old', ' \n First line\nSecond line'],
      ['archived', 'Put away'],
      ['empty', ''],
      ['new', 'x'.repeat(999)],
    ] as const) {
      must(store.acquireLease(id));
      must(
        store.append(
          id,
          0,
          text === '' ? [created!] : [created!, { ...sent!, text } as SessionFact, ...reply],
        ),
      );
      if (id === 'archived') must(store.append(id, 5, [{ type: 'session-archived' }]));
      advance(1_000);
    }
    expect(must(store.openings(9)).map(({ sessionId, turn, line }) => [sessionId, turn, line])).toEqual([
      ['new', 0, 'x'.repeat(300)],
      ['empty', 0, ''],
      ['old', 0, 'First line'],
      ['archived', 0, 'Put away'],
    ]);
    expect(must(store.openings(1)).map(({ title }) => title)).toEqual(['A session']);
  });
});

describe('a sessions file that was moved while Patina ran', () => {
  it('[H56] is an error that says so, and neither it nor the one in its place is changed', () => {
    const path = newDatabasePath();
    const store = openStore(path);
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(0)));
    renameSync(path, `${path}.moved`);
    writeFileSync(path, '');
    const renamed = store.append('s', 4, [{ type: 'session-renamed', title: 'lost' }]);
    expect(renamed).toMatchObject({
      error: {
        code: 'STORAGE',
        message: expect.stringContaining('was moved or replaced while Patina ran. Restart Patina.') as string,
      },
    });
    store.close();
    expect(readFileSync(path)).toHaveLength(0);
    expect(store.list()).toMatchObject({
      error: { code: 'STATE', message: 'Could not list the sessions: the session store is closed.' },
    });
  });
});

describe('[SES-search] search', () => {
  it('finds each turn of a session by its own words, no more than asked for, the archived last', () => {
    const store = openStore(newDatabasePath());
    for (const id of ['archived', 'kept']) {
      must(store.acquireLease(id));
      const [created, ...turn] = turnFacts(1, 'walrus');
      const second = turn.map((fact) => ({ ...fact, turn: 1, text: 'otter' }) as SessionFact);
      must(store.append(id, 0, [created!, ...turn, ...second]));
    }
    must(store.append('archived', 9, [{ type: 'session-archived' }]));
    const found = (text: string, limit = 9) =>
      must(store.search(text, limit)).map(({ sessionId, turn }) => [sessionId, turn]);
    expect(found('walrus')).toEqual([
      ['kept', 0],
      ['archived', 0],
    ]);
    expect(found('sort list')).toEqual(found('walrus'));
    expect(found('otter').map(([, turn]) => turn)).toEqual([1, 1, 1, 1]);
    expect(found('otter', 1)).toEqual([['kept', 1]]);
    expect(found('walrus otter')).toEqual([]);
  });

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

  it.each<readonly [string, (store: ReturnType<typeof openStore>) => unknown]>([
    ['open the session', (store) => store.acquireLease('s')],
    ['save the session', (store) => store.append('s', 0, [])],
    ['save the session', (store) => store.importSession('s', [])],
    ['read the session', (store) => store.read('s', 0)],
    ['read the session', (store) => store.tail('s', 1)],
    ['read the session', (store) => store.gapsUpTo('s', 1, 1)],
    ['check the session', (store) => store.check('s')],
    ['delete the session', (store) => store.remove('s')],
    ['open the session', (store) => store.repair('s')],
    ['read the copies', (store) => store.restorable('s')],
    ['list the sessions', (store) => store.quarantinedSessions()],
    ['list the copies', (store) => store.copies()],
    ['read the copy', (store) => store.copied('c')],
    ['list the sessions', (store) => store.list()],
    ['find the run', (store) => store.sessionOfRun('r')],
    ['list the sessions', (store) => store.damaged(['s'], 1)],
    ['search the sessions', (store) => store.search('x', 1)],
    ['search the sessions', (store) => store.openings(1)],
    ['read the saved permissions', (store) => store.grants.list()],
    ['save the permission', (store) => store.grants.add([])],
    ['revoke the saved permission', (store) => store.grants.remove([])],
    ['read the pinned tools', (store) => store.pins.list()],
    ['pin the tools', (store) => store.pins.put([])],
    ['forget the tools', (store) => store.pins.forget('a')],
    ['read the usage', (store) => store.usage.spent('day', '', '')],
  ])('[H56] says what could not be done: %s', (doing, call) => {
    const path = newDatabasePath();
    writeFileSync(path, '');
    const store = openStore(join(path, 'sessions.db'));
    expect(call(store)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(`Could not ${doing}. `) as string },
    });
    expect(store.erasureDue()).toBe(false);
    store.close();
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

it('ignores a stored fold of another version of the fold', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(0)));
  store.saveSnapshot({ ...emptySession('s'), seq: 1 });
  expect(store.loadSnapshot('s')).not.toBeNull();
  const db = openSqlite(path);
  db.exec('UPDATE snapshots SET v = v - 1');
  db.close();
  expect(store.loadSnapshot('s')).toBeNull();
  store.close();
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
