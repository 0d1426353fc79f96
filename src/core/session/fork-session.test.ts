import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyStoredEvents } from '#shared/apply-stored-events';
import type { SessionFact } from '#shared/session-event';
import { emptySession, turnAt, type SessionState } from '#shared/session-state';
import { activePath } from '#shared/turn-tree';
import { createManualClock } from '../../testing/manual-clock';
import {
  askFacts,
  eventsOf,
  runFacts,
  sampleModel,
  sampleUsage,
  sessionOf,
} from '../../testing/sample-session';
import { loseEvents, must, newDatabasePath, openStore } from '../../testing/stored-session';
import { forkFacts } from './fork-session';
import { createSessionLog } from './session-log';
import { isBusy } from './unfinished-work';

function openLog(path = newDatabasePath(), clock = createManualClock(1_700_000_000_000).clock) {
  let count = 0;
  const next = (kind: string): string => `${kind}_${(count += 1)}`;
  const store = openStore(path, { clock, pid: 1, processAlive: () => false });
  return createSessionLog({ store, ids: { next } });
}

const answered = (turn: number, place: { parent?: number; regenerates?: number } = {}): SessionFact[] => {
  const [sent, ...answer] = askFacts({ turn, reply: `reply ${turn}`, outcome: 'done' });
  return [{ ...sent, ...place } as SessionFact, ...answer];
};

const step = (turn: number, texts: Record<string, string>): SessionFact => ({
  type: 'model-step-started',
  turn,
  part: 'reply',
  snapshot: 's'.repeat(64),
  promptPack: null,
  toolCatalog: null,
  blocks: [{ source: 'base', hash: 'h1' }],
  tools: [],
  texts,
});

const undo = { paths: [] };

/** A run that was interrupted after a write that could be undone. */
const interruptedRun = (turn: number): SessionFact[] => [
  { type: 'message-sent', turn, text: 'Write it', runMode: 'agent', model: sampleModel },
  { type: 'run-started', turn, runId: 'run-old', goal: 'Write it' },
  {
    type: 'write-intended',
    turn,
    runId: 'run-old',
    nodeId: 'a',
    callId: 'c',
    tool: 'mcp://filesystem.write_file',
    arguments: {},
    hash: 'h',
    undo: undo as never,
  },
  { type: 'run-interrupted', turn, runId: 'run-old' },
];

function original(facts: readonly SessionFact[]) {
  const log = openLog();
  const { id } = must(log.create('/projects/sample'));
  must(log.append(id, [{ type: 'session-renamed', title: 'Streams' }, ...facts]));
  return { log, id };
}

describe('[TREE-fork] a fork', () => {
  it('has the turns of the path under new numbers, and its own events from 1 on', () => {
    const { log, id } = original([
      ...answered(0),
      ...answered(1),
      ...answered(2, { parent: 0, regenerates: 1 }),
      ...answered(3),
    ]);
    const before = must(log.peek(id));
    const fork = must(log.fork(id, 3));
    expect(activePath(fork).map(({ reply }) => reply?.text)).toEqual(['reply 0', 'reply 2', 'reply 3']);
    expect(fork).toMatchObject({
      turnCount: 3,
      head: 2,
      title: 'Streams (fork)',
      project: '/projects/sample',
      forked: { from: { sessionId: id, turn: 3 }, turns: 3 },
    });
    const events = must(log.events(fork.id));
    expect(events[0]).toMatchObject({ type: 'session-forked', seq: 1, sessionId: fork.id });
    expect(must(log.replay(fork.id)).equal).toBe(true);
    expect(must(log.peek(id))).toEqual(before);
  });

  it('happened when the original did, and counts as used when it was made', () => {
    const { clock, advance } = createManualClock(1_700_000_000_000);
    const log = openLog(newDatabasePath(), clock);
    const { id } = must(log.create(null));
    for (const fact of answered(0)) {
      advance(1_000);
      must(log.append(id, [fact]));
    }
    advance(24 * 3_600_000);
    const fork = must(log.fork(id, 0));
    expect(turnAt(fork, 0)).toEqual(turnAt(must(log.peek(id)), 0));
    expect(fork).toMatchObject({ createdAt: clock.now(), updatedAt: clock.now() });
    expect(must(log.replay(fork.id)).equal).toBe(true);
  });

  it('works without the original: it contains the texts that its replies were made with', () => {
    const { log, id } = original([
      ...answered(0),
      step(0, { h1: 'You are helpful.' }),
      ...answered(1, { parent: -1 }),
      step(1, {}),
    ]);
    const fork = must(log.fork(id, 1));
    must(log.remove(id));
    const steps = must(log.events(fork.id)).filter(({ type }) => type === 'model-step-started');
    expect(steps).toMatchObject([{ turn: 0, texts: { h1: 'You are helpful.' } }]);
  });

  it('contains runs as history: a new id, nothing to undo, nothing that waits', () => {
    const { log, id } = original(interruptedRun(0));
    const fork = must(log.fork(id, 0));
    const run = turnAt(fork, 0)?.run;
    expect(run?.status).toBe('cancelled');
    expect(run?.runId).not.toBe('run-old');
    expect(run?.writes).toMatchObject([{ callId: 'c', outcome: 'unknown' }]);
    expect(run?.writes[0]).not.toHaveProperty('undo');
  });

  it('omits what belongs to the session: its queue, its branches, its archive state', () => {
    const queued: SessionFact = {
      type: 'line-queued',
      lineId: 'line_1',
      text: 'later',
      runMode: 'ask',
      model: sampleModel,
      items: [],
      when: 'stage',
    };
    const { log, id } = original([
      ...answered(0),
      ...answered(1),
      { type: 'branch-chosen', turn: 0 },
      queued,
      { type: 'session-archived' },
    ]);
    const fork = must(log.fork(id, 1));
    expect(fork).toMatchObject({ turnCount: 2, head: 1, archived: false });
    expect(fork.queue).toBeUndefined();
  });

  it('is refused for a missing turn, and while its path is being answered', () => {
    const { log, id } = original([...answered(0), ...askFacts({ turn: 1, reply: 'half' })]);
    expect(log.fork(id, 7)).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'NOT_FOUND' } });
    expect(log.fork(id, 1)).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
    expect(log.fork(id, 0).ok).toBe(true);
  });
});

describe('[TREE-fork] a fork of a damaged session', () => {
  const runEnded: SessionFact = {
    type: 'run-ended',
    turn: 1,
    runId: 'run-1',
    outcome: 'done',
    answer: 'Ran.',
    usage: sampleUsage,
  };
  const facts = [...answered(0), ...runFacts(1), runEnded, ...answered(2), ...answered(3)];
  const seqOf = (type: SessionFact['type'], turn: number): number =>
    facts.findIndex((fact) => fact.type === type && 'turn' in fact && fact.turn === turn) + 3;

  /** The fork of the session without these events. */
  function forkWithout(seqs: readonly number[]) {
    const path = newDatabasePath();
    const writing = openLog(path);
    const { id } = must(writing.create('/projects/sample'));
    must(writing.append(id, [{ type: 'session-renamed', title: 'Streams' }, ...facts]));
    writing.close();
    loseEvents(path, seqs);
    let made = 0;
    const store = openStore(path, { pid: 2 });
    const log = createSessionLog({ store, ids: { next: (kind) => `${kind}_fork${(made += 1)}` } });
    return must(log.fork(id, 3));
  }

  it('keeps every turn that can be read at its place, and marks the lost line', () => {
    const fork = forkWithout([seqOf('message-sent', 2)]);
    expect(fork.blocks.flat().map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
    expect(turnAt(fork, 2)).toMatchObject({ unreadable: true, reply: { status: 'done', text: 'reply 2' } });
    expect(turnAt(fork, 3)?.reply?.text).toBe('reply 3');
  });

  it('shows a reply that lost its beginning, and ends one that lost its end', () => {
    const started = forkWithout([seqOf('reply-started', 2)]);
    expect(turnAt(started, 2)?.reply).toMatchObject({ status: 'done', text: 'reply 2' });
    const ended = forkWithout([seqOf('reply-ended', 2)]);
    expect(turnAt(ended, 2)?.reply).toMatchObject({
      status: 'interrupted',
      text: 'reply 2',
      error: { code: 'STORAGE' },
    });
    expect(ended.marks.failed).toBe(false);
  });

  it('fails a run that lost its end, so that it is neither resumed nor waits for an answer', () => {
    const fork = forkWithout([seqOf('run-ended', 1)]);
    const run = turnAt(fork, 1)?.run;
    expect(run).toMatchObject({ status: 'failed', error: { code: 'STORAGE' } });
    expect(run?.approvals.map(({ status }) => status)).toEqual(['expired']);
  });

  it('has the turns of the original, whatever is lost, and leaves nothing running', () => {
    const all = eventsOf(facts);
    const seqs = fc.uniqueArray(fc.integer({ min: 2, max: all.length }), { minLength: 1 });
    const shown = (state: SessionState) =>
      activePath(state).map(({ turn, text, unreadable, reply, run }) => [
        ...[turn, text, unreadable, reply?.status, reply?.text],
        ...[run?.status, run?.nodes.map(({ status, summary }) => `${status} ${summary}`)],
      ]);
    fc.assert(
      fc.property(seqs, (lost) => {
        const events = all.filter(({ seq }) => !lost.includes(seq));
        const gaps = lost.toSorted((one, other) => one - other).map((seq) => ({ fromSeq: seq, toSeq: seq }));
        const original = applyStoredEvents(emptySession('s'), { events, gaps, turnCount: 4 });
        const copied = must(forkFacts(original, events, 3, { next: (kind) => `${kind}_copy` }));
        const fork = sessionOf(copied.map(({ fact }) => fact));
        expect(shown(fork)).toEqual(shown(original));
        expect(isBusy(fork)).toBe(false);
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});
