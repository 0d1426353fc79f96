import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { applyEvent, applyEvents } from '#shared/apply-event';
import { ok } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { emptySession, turnAt } from '#shared/session-state';
import { must, newDatabasePath, openStore, turnFacts } from '../../testing/stored-session';
import { createSessionLog } from './session-log';

const model = { providerId: 'offline', model: 'offline' };

function openLog(path: string, pid = 1, processAlive: (pid: number) => boolean = () => false, openLimit = 8) {
  let count = 0;
  const store = openStore(path, { pid, processAlive });
  const log = createSessionLog({
    store,
    ids: { next: (kind) => `${kind}_${pid}_${(count += 1)}` },
    openLimit,
  });
  return { log, store };
}

describe('[STO-run-index] the session of a run', () => {
  const started: SessionFact = { type: 'run-started', turn: 0, runId: 'run_a', goal: 'count' };

  it('comes from the index, without reading any session', () => {
    const { log, store } = openLog(newDatabasePath());
    const { id } = must(log.create(null));
    must(log.append(id, [started]));
    must(log.create(null));
    let reads = 0;
    const counting: typeof store = {
      ...store,
      read: (...args) => {
        reads += 1;
        return store.read(...args);
      },
    };
    const other = createSessionLog({ store: counting, ids: { next: () => 'unused' } });
    expect(other.sessionOfRun('run_a')).toMatchObject({ ok: true, value: id });
    expect(reads).toBe(0);
  });

  it('is searched in the sessions when the run is not in the index', () => {
    const { log, store } = openLog(newDatabasePath());
    const { id } = must(log.create(null));
    must(
      log.append(id, [{ type: 'message-sent', turn: 0, text: 'count', runMode: 'agent', model }, started]),
    );
    const unindexed = { ...store, sessionOfRun: () => ok(null) };
    const old = createSessionLog({ store: unindexed, ids: { next: () => 'unused' } });
    expect(old.sessionOfRun('run_a')).toMatchObject({ ok: true, value: id });
    expect(old.sessionOfRun('run_b')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });

  it('disappears with the session', () => {
    const { log } = openLog(newDatabasePath());
    const { id } = must(log.create(null));
    must(log.append(id, [started]));
    must(log.remove(id));
    expect(log.sessionOfRun('run_a')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });
});

const runFacts: readonly SessionFact[] = [
  { type: 'message-sent', turn: 1, text: 'count', runMode: 'agent', model },
  { type: 'run-started', turn: 1, runId: 'r', goal: 'count' },
  {
    type: 'plan-made',
    turn: 1,
    runId: 'r',
    planHash: 'h',
    source: 'recipe',
    plan: {
      goal: 'count',
      constraints: [],
      answer: '',
      nodes: [{ id: 'a', title: 'A', kind: 'script', deps: [], code: '' }],
    },
  },
  { type: 'node-started', turn: 1, runId: 'r', nodeId: 'a' },
  {
    type: 'write-intended',
    turn: 1,
    runId: 'r',
    nodeId: 'a',
    callId: 'c',
    tool: 'mcp://filesystem.write_file',
    arguments: {},
    hash: 'h',
  },
];

describe('the session log', () => {
  it('[SES-delete] deletes an idle session and reports it; refuses a busy one, a project, and a missing one', () => {
    const { log } = openLog(newDatabasePath());
    const gone: string[] = [];
    log.onRemoved((id) => gone.push(id));
    const { id } = must(log.create(null));
    must(log.append(id, [{ type: 'message-sent', turn: 0, text: 'hello', runMode: 'ask', model }]));
    expect(log.remove(id)).toMatchObject({ error: { code: 'STATE' } });
    must(log.append(id, [{ type: 'reply-started', turn: 0, model, providerName: 'Offline' }]));
    must(log.append(id, [{ type: 'reply-ended', turn: 0, outcome: 'done' }]));
    const project = must(log.createProjectStream('/project'));
    expect(log.remove(project.id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(log.remove('nothing')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(gone).toEqual([]);
    must(log.remove(id));
    expect(gone).toEqual([id]);
    expect(log.state(id)).toBeNull();
    expect(log.peek(id)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(log.append(id, [{ type: 'session-renamed', title: 'x' }])).toMatchObject({ ok: false });
  });

  it('notifies listeners after the commit, and returns the fold', () => {
    const path = newDatabasePath();
    const { log } = openLog(path);
    const other = openStore(path, { pid: 9 });
    const seen: string[] = [];
    const stored: number[] = [];
    log.subscribe((events, id) => {
      seen.push(...events.map((event) => event.type));
      stored.push(must(other.read(id, 0)).events.length);
    });
    const { id } = must(log.create('/project'));
    must(log.append(id, [{ type: 'session-renamed', title: 'T' }, { type: 'session-archived' }]));
    expect(seen).toEqual(['session-created', 'session-renamed', 'session-archived']);
    expect(stored).toEqual([1, 3]);
    expect(log.state(id)).toMatchObject({ seq: 3, title: 'T', archived: true, project: '/project' });
    expect(must(log.summaries({ archived: true }))).toHaveLength(1);
    expect(must(log.summaries({ archived: false }))).toHaveLength(0);
    expect(log.open('nothing')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });

  it('[H54] [H58] ends what a dead writer left open; an intended write is unknown and stays so', () => {
    const path = newDatabasePath();
    const dead = openStore(path, { pid: 1 });
    must(dead.acquireLease('s'));
    must(dead.append('s', 0, turnFacts(2).slice(0, -1)));
    must(dead.append('s', 5, runFacts));
    must(dead.append('s', 10, [{ type: 'message-sent', turn: 2, text: 'waiting', runMode: 'ask', model }]));
    const { log } = openLog(path, 2);
    const { state, readOnly } = must(log.open('s'));
    expect(readOnly).toBeNull();
    expect(turnAt(state, 0)?.reply).toMatchObject({ status: 'interrupted', text: 'piece 0 piece 1 ' });
    expect(turnAt(state, 1)?.run).toMatchObject({ status: 'interrupted', writes: [{ outcome: 'unknown' }] });
    expect(turnAt(state, 1)?.run?.nodes[0]?.status).toBe('cancelled');
    expect(turnAt(state, 2)?.reply?.status).toBe('interrupted');
    expect(must(log.open('s')).state.seq).toBe(state.seq);
    expect(must(log.replay('s'))).toMatchObject({ events: state.seq, equal: true });
  });

  it('[H57] reads a session that another process writes, refuses to add to it, and takes it over later', () => {
    const path = newDatabasePath();
    let firstAlive = true;
    const first = openLog(path, 1);
    const { id } = must(first.log.create(null));
    const second = openLog(path, 2, () => firstAlive);
    const opened = must(second.log.open(id));
    expect(opened.readOnly?.message).toContain('the window (process 1)');
    expect(second.log.append(id, [{ type: 'session-archived' }])).toMatchObject({ error: { code: 'STATE' } });
    must(first.log.append(id, [{ type: 'session-renamed', title: 'seen' }]));
    expect(must(second.log.open(id)).state.title).toBe('seen');
    firstAlive = false;
    must(second.log.append(id, [{ type: 'session-archived' }]));
    expect(first.log.append(id, [{ type: 'session-restored' }])).toMatchObject({ error: { code: 'STATE' } });
  });

  it('keeps few sessions in memory and releases the leases of the others, never of a busy one', () => {
    const path = newDatabasePath();
    const { log } = openLog(path, 1, () => true, 2);
    const ids = [1, 2, 3].map(() => must(log.create(null)).id);
    expect(ids.map((id) => log.state(id) !== null)).toEqual([false, true, true]);
    must(openStore(path, { pid: 2, processAlive: () => true }).acquireLease(ids[0]!));
    must(log.append(ids[1]!, turnFacts(1).slice(1, -1)));
    must(log.create(null));
    must(log.create(null));
    expect(log.state(ids[1]!)).not.toBeNull();
  });

  it('opens from a snapshot to exactly the state of a full replay', () => {
    const path = newDatabasePath();
    const first = openLog(path, 1);
    const { id } = must(first.log.create(null));
    must(first.log.append(id, turnFacts(600).slice(1)));
    const before = first.log.state(id);
    first.log.close();
    const { log, store } = openLog(path, 2);
    expect(store.loadSnapshot(id)).toEqual(before);
    expect(must(log.open(id)).state).toEqual(before);
    expect(must(log.replay(id))).toMatchObject({ events: 604, equal: true });
  });

  it('writes a snapshot when a session leaves memory, not while someone waits for it to open', () => {
    const path = newDatabasePath();
    const written = openStore(path);
    must(written.acquireLease('s'));
    must(written.append('s', 0, turnFacts(600)));
    written.close();
    const { log, store } = openLog(path, 2);
    must(log.open('s'));
    expect(store.loadSnapshot('s')).toBeNull();
    log.close();
    expect(must(openLog(path, 3).log.open('s')).state).toEqual(openStore(path).loadSnapshot('s'));
  });
});

const factOf = fc.oneof(
  fc.record({ type: fc.constant('session-renamed' as const), title: fc.string({ minLength: 1 }) }),
  fc.record({
    type: fc.constant('message-sent' as const),
    turn: fc.nat(3),
    text: fc.string(),
    runMode: fc.constantFrom('ask' as const, 'agent' as const),
    model: fc.constant(model),
  }),
  fc.record({
    type: fc.constant('reply-started' as const),
    turn: fc.nat(3),
    model: fc.constant(model),
    providerName: fc.string(),
  }),
  fc.record({ type: fc.constant('reply-extended' as const), turn: fc.nat(3), text: fc.string() }),
  fc.record({
    type: fc.constant('reply-ended' as const),
    turn: fc.nat(3),
    outcome: fc.constantFrom('done' as const, 'failed' as const),
  }),
  fc.constantFrom(...runFacts),
  fc.record({ type: fc.constant('run-interrupted' as const), turn: fc.nat(3), runId: fc.constant('r') }),
);
const eventsOf = fc
  .array(factOf, { maxLength: 60 })
  .map((facts) =>
    facts.map((fact, index): SessionEvent => ({ sessionId: 's', seq: index + 1, at: index, v: 1, ...fact })),
  );

describe('[SES-fold] the fold', () => {
  it('is the same at once and in parts, and after a round trip through JSON', () => {
    fc.assert(
      fc.property(eventsOf, fc.nat(60), (events, cut) => {
        const whole = applyEvents(emptySession('s'), events);
        const part = applyEvents(emptySession('s'), events.slice(0, cut));
        const reread = JSON.parse(JSON.stringify(part)) as typeof part;
        expect(applyEvents(part, events.slice(cut))).toEqual(whole);
        expect(applyEvents(reread, events.slice(cut))).toEqual(whole);
      }),
    );
  });

  it('is the same event by event, however batches arrive and whatever is missing or duplicated', () => {
    const started = [0, 1].flatMap((turn): readonly SessionFact[] => [
      { type: 'message-sent', turn, text: 'say', runMode: 'ask', model },
      { type: 'reply-started', turn, model, providerName: 'Offline' },
    ]);
    const piece = fc.record({
      type: fc.constant('reply-extended' as const),
      turn: fc.nat(1),
      text: fc.string(),
      seq: fc.nat(2),
    });
    const step = fc.oneof(
      { weight: 3, arbitrary: piece },
      eventsOf.map((events) => events.slice(0, 3)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let seq = 0;
        const events = [...started, ...steps.flat()].map((fact, index): SessionEvent => {
          // Usually the next seq; sometimes a repeated seq or a gap.
          seq += index % 5 === 4 && 'seq' in fact ? Number(fact.seq) : 1;
          return { ...fact, sessionId: 's', at: index, v: 1, seq };
        });
        expect(applyEvents(emptySession('s'), events)).toEqual(events.reduce(applyEvent, emptySession('s')));
      }),
    );
  });

  it('ignores a gap, a repetition and an old event', () => {
    fc.assert(
      fc.property(eventsOf, fc.integer({ min: -5, max: 5 }), (events, step) => {
        fc.pre(events.length > 0 && step !== 1);
        const state = applyEvents(emptySession('s'), events);
        expect(applyEvent(state, { ...events[0]!, seq: Math.max(1, state.seq + step) })).toBe(state);
      }),
    );
  });
});
