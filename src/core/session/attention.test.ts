import { describe, expect, it } from 'vitest';
import { applyEvent } from '#shared/apply-event';
import { activityOf, busyTurn } from '#shared/attention';
import { createListeners } from '#shared/listeners';
import { ok } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { emptySession, type SessionState } from '#shared/session-state';
import { askFacts, sampleModel, sampleUsage } from '../../testing/sample-session';
import type { UserCall } from '../ports/user-call';
import { createAttention } from './attention';

/** A session that grows by facts, each a second after the one before unless told otherwise. */
function watched() {
  const listeners = createListeners<[readonly SessionEvent[], string]>();
  let state: SessionState = emptySession('ses_1');
  let at = 1_000;
  const window = { away: true, onScreen: null as string | null };
  const calls: UserCall[] = [];
  const counts: number[] = [];
  const attention = createAttention({
    log: {
      state: () => state,
      subscribe: listeners.add,
      append: (_sessionId, facts) => ok(commit(facts)),
    },
    isAway: () => window.away,
    isOnScreen: (sessionId) => window.onScreen === sessionId,
    call: (call) => calls.push(call),
    count: (waiting) => counts.push(waiting),
  });
  function commit(facts: readonly SessionFact[], afterMs = 1_000): readonly SessionEvent[] {
    const events = facts.map((fact, index): SessionEvent => {
      at += afterMs;
      return { ...fact, sessionId: 'ses_1', seq: state.seq + index + 1, at, v: 1 };
    });
    state = events.reduce(applyEvent, state);
    listeners.notify(events, 'ses_1');
    return events;
  }
  commit([{ type: 'session-created', title: 'Streams', project: null }]);
  return { window, calls, counts, attention, commit, state: () => state, isUnread: () => state.marks.unread };
}

const goal: readonly SessionFact[] = [
  { type: 'message-sent', turn: 0, text: 'Do it', runMode: 'agent', model: sampleModel },
  { type: 'run-started', turn: 0, runId: 'r', goal: 'Do it' },
];
const asked: SessionFact = {
  type: 'approval-requested',
  turn: 0,
  runId: 'r',
  nodeId: 'a',
  approvalId: 'p',
  tool: 'mcp://filesystem.write_file',
  arguments: {},
  hash: 'h',
};
const answered: SessionFact = {
  type: 'approval-answered',
  turn: 0,
  runId: 'r',
  approvalId: 'p',
  approved: true,
  hash: 'h',
};
const ended: SessionFact = {
  type: 'run-ended',
  turn: 0,
  runId: 'r',
  outcome: 'done',
  answer: '',
  usage: sampleUsage,
};

describe('[ATT-needs-you] a session that needs the user', () => {
  it('notifies the user once while they are away, and again for the next need', () => {
    const { calls, counts, commit } = watched();
    commit([...goal, asked]);
    commit([{ type: 'node-started', turn: 0, runId: 'r', nodeId: 'b' }]);
    expect(calls).toEqual([
      {
        sessionId: 'ses_1',
        turn: 0,
        reason: 'needs-you',
        title: 'Streams',
      },
    ]);
    commit([answered]);
    commit([{ ...asked, approvalId: 'q' }]);
    expect(calls).toHaveLength(2);
    expect(counts).toEqual([1, 0, 1]);
  });

  it('is silent while they look, and notifies when they leave unless they saw it', () => {
    const { window, calls, counts, attention, commit } = watched();
    window.away = false;
    window.onScreen = 'ses_1';
    commit([...goal, asked]);
    attention.left();
    expect(calls).toEqual([]);
    expect(counts).toEqual([1]);
    window.onScreen = 'another';
    attention.left();
    attention.left();
    expect(calls).toHaveLength(1);
  });
});

describe('[ATT-needs-you] a run of an old turn that runs again', () => {
  const later: readonly SessionFact[] = Array.from({ length: 300 }, (_, at) =>
    askFacts({ turn: at + 1, reply: 'Yes.', outcome: 'done' }),
  ).flat();

  it('notifies the user and is the work in progress, however many turns follow it', () => {
    const { calls, commit, state } = watched();
    commit([...goal, ended, ...later]);
    expect(busyTurn(state())).toBeUndefined();
    commit([{ type: 'run-resumed', turn: 0, runId: 'r', kept: [] }]);
    expect(busyTurn(state())?.turn).toBe(0);
    expect(activityOf(state())).toBe('working');
    commit([asked]);
    expect(calls).toMatchObject([{ turn: 0, reason: 'needs-you' }]);
    expect(activityOf(state())).toBe('needs-user');
    commit([answered, ended]);
    expect(activityOf(state())).toBeNull();
  });
});

describe('[ATT-answer] a write that the notification shows', () => {
  const callFor = (...facts: readonly SessionFact[]) => {
    const { calls, commit } = watched();
    commit([...goal, ...facts]);
    return calls[0];
  };

  const file = {
    kind: 'text' as const,
    path: 'a.txt',
    hash: 'f',
    exists: false,
    hunks: [],
    added: 1,
    removed: 0,
    omitted: 0,
  };
  const adds: SessionFact = { ...asked, file };

  it('is the only open one, in printable text that is not truncated', () => {
    const short = { ...adds, arguments: { path: 'a'.repeat(90) } };
    expect(callFor(short)?.write?.text).toBe(`mcp://filesystem.write_file {"path":"${'a'.repeat(90)}"}`);
    expect(callFor({ ...adds, arguments: { path: 'a'.repeat(200) } })?.write).toBeUndefined();
    expect(callFor({ ...adds, arguments: { path: 'abc\u202etxt.exe' } })?.write).toBeUndefined();
    expect(callFor(adds, { ...adds, approvalId: 'q' })?.write).toBeUndefined();
  });

  it('only adds a file or folder', () => {
    const folder = { kind: 'folder' as const, path: 'a', hash: 'f' };
    expect(callFor({ ...asked, file: { ...folder, exists: false } })?.write).toBeDefined();
    expect(callFor({ ...asked, file: { ...folder, exists: true } })?.write).toBeUndefined();
    expect(callFor({ ...asked, file: { ...file, exists: true } })?.write).toBeUndefined();
    expect(callFor(asked)?.write).toBeUndefined();
  });

  it('contains no data of another server and was not approved for other content', () => {
    const flows = [{ from: 'file notes.md', to: 'mcp://mail', texts: [] }];
    expect(callFor({ ...adds, flows })?.write).toBeUndefined();
    expect(callFor({ ...adds, again: true })?.write).toBeUndefined();
  });
});

describe('[ATT-ended] work that ended while the user was away', () => {
  it('notifies the user if it took ten seconds, and says how it ended', () => {
    const { calls, commit } = watched();
    commit(goal);
    commit([ended], 10_000);
    expect(calls).toMatchObject([{ reason: 'done' }]);
    commit(askFacts({ turn: 1, reply: '' }));
    const error = { kind: 'LLM', code: 'UNAVAILABLE', message: 'gone', retryable: true } as const;
    commit([{ type: 'reply-ended', turn: 1, outcome: 'failed', error }], 20_000);
    expect(calls).toMatchObject([{ reason: 'done' }, { reason: 'failed' }]);
  });

  it('is silent for short work, for work that the user stopped, and while they look', () => {
    const { window, calls, commit } = watched();
    commit(goal);
    commit([ended], 9_000);
    commit(askFacts({ turn: 1, reply: '' }));
    commit([{ type: 'reply-ended', turn: 1, outcome: 'stopped' }], 20_000);
    window.away = false;
    commit(askFacts({ turn: 2, reply: '' }));
    commit([{ type: 'reply-ended', turn: 2, outcome: 'done' }], 20_000);
    expect(calls).toEqual([]);
  });
});

describe('[RAIL-unread] work that ended unseen', () => {
  it('makes its session unread while another is on the screen', async () => {
    const { window, isUnread, commit } = watched();
    window.onScreen = 'ses_1';
    commit(goal);
    commit([ended]);
    await Promise.resolve();
    expect(isUnread()).toBe(false);
    window.onScreen = 'another';
    commit(askFacts({ turn: 1, reply: 'Yes.' }));
    commit([{ type: 'reply-ended', turn: 1, outcome: 'done' }]);
    await Promise.resolve();
    expect(isUnread()).toBe(true);
  });

  it('does not mark work that the user stopped', async () => {
    const { isUnread, commit } = watched();
    commit(askFacts({ turn: 0, reply: '' }));
    commit([{ type: 'reply-ended', turn: 0, outcome: 'stopped' }]);
    await Promise.resolve();
    expect(isUnread()).toBe(false);
  });
});
