import { describe, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { turnAt } from '#shared/session-state';
import { activePath } from '#shared/turn-tree';
import { createManualClock } from '../../testing/manual-clock';
import { askFacts, sampleModel } from '../../testing/sample-session';
import { must, newDatabasePath, openStore } from '../../testing/stored-session';
import { createSessionLog } from './session-log';

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
