import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askFacts, runFacts, runOf, sampleBudgets, sampleModel } from '../testing/sample-session';
import { applyEvents } from './apply-event';
import { applyStoredEvents } from './apply-stored-events';
import type { FactOf, SessionEvent, SessionFact } from './session-event';
import { emptySession, turnAt, type SessionState } from './session-state';
import { lastModelOf } from './turn-tree';

const runEnded: SessionFact = {
  type: 'run-ended',
  turn: 1,
  runId: 'run-1',
  outcome: 'done',
  answer: 'Ran.',
  usage: { modelTurns: 1, inputTokens: 1, outputTokens: 1 },
};
const facts: readonly SessionFact[] = [
  { type: 'session-created', title: 'Sample', project: '/p' },
  ...askFacts({ turn: 0, reply: 'First.', outcome: 'done' }),
  ...runFacts(1, sampleBudgets),
  runEnded,
  ...askFacts({ turn: 2, reply: 'Third.', outcome: 'done' }),
  ...askFacts({ turn: 3, reply: 'Fourth.', outcome: 'done' }),
];
const all = facts.map((fact, index): SessionEvent => ({
  ...fact,
  sessionId: 's',
  seq: index + 1,
  at: 1_000 + index,
  v: 1,
}));

/** The state when only these of the stored events can be read. */
function without(lost: ReadonlySet<number>): SessionState {
  const events = all.filter(({ seq }) => !lost.has(seq));
  const gaps = [...lost].sort((a, b) => a - b).map((seq) => ({ fromSeq: seq, toSeq: seq }));
  return applyStoredEvents(emptySession('s'), { events, gaps, turnCount: 4 });
}

const seqOf = (type: SessionFact['type'], turn: number): number =>
  all.find((event) => event.type === type && 'turn' in event && event.turn === turn)?.seq ?? 0;

describe('[STO-fold] a session with missing events', () => {
  it('has its usual state when none is missing', () => {
    expect(without(new Set())).toEqual(applyEvents(emptySession('s'), all));
  });

  it('sends the next line to a known model, never to one whose name is lost', () => {
    const named = all.filter(({ type }) => type === 'message-sent' || type === 'reply-started');
    expect(lastModelOf(without(new Set(named.map(({ seq }) => seq))))).toBeUndefined();
    const lastNamed = named.filter((event) => 'turn' in event && event.turn === 3);
    expect(lastModelOf(without(new Set(lastNamed.map(({ seq }) => seq))))).toEqual(sampleModel);
  });

  it('never throws, reaches its end, keeps complete turns, and leaves nothing running', () => {
    const whole = applyEvents(emptySession('s'), all);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: all.length }), { minLength: 1 }), (seqs) => {
        const lost = new Set(seqs);
        const state = without(lost);
        expect([state.seq, state.turnCount]).toEqual([all.length, 4]);
        expect(state.blocks.flat().map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
        for (const turn of [0, 1, 2, 3]) {
          const touched = all.some((event) => 'turn' in event && event.turn === turn && lost.has(event.seq));
          const shown = turnAt(state, turn);
          if (!touched) expect(shown).toEqual(turnAt(whole, turn));
          expect(shown?.reply?.status).not.toBe('streaming');
          expect(['planning', 'running']).not.toContain(shown?.run?.status);
        }
        const next = { type: 'session-renamed', title: 'on', sessionId: 's', at: 1, v: 1 } as const;
        expect(applyEvents(state, [{ ...next, seq: all.length + 1 }]).title).toBe('on');
      }),
      { numRuns: 300, seed: 12 },
    );
  });

  it('shows a reply whose line or beginning is missing, and marks the gap', () => {
    const line = without(new Set([seqOf('message-sent', 2)]));
    expect(turnAt(line, 2)).toMatchObject({ unreadable: true, reply: { status: 'done', text: 'Third.' } });
    expect(line.gaps).toMatchObject([{ turn: 1 }]);
    const start = without(new Set([seqOf('reply-started', 2)]));
    expect(turnAt(start, 2)).toMatchObject({ text: 'line 2', reply: { status: 'done', text: 'Third.' } });
    expect(start.gaps).toMatchObject([{ turn: 2 }]);
  });

  it.each([
    ['ends a line that was routed to the model and lost its whole reply', 'continue-with-llm', 'interrupted'],
    ['adds no reply to a line that opened a picker', 'open-picker', undefined],
  ])('%s', (_name, type, status) => {
    const routed = { type: 'input-routed', turn: 0, action: { type, reasonCode: 'plain-text' }, trace: {} };
    const [created, sent] = all;
    const events = [created!, sent!, { ...routed, sessionId: 's', seq: 3, at: 1, v: 1 } as never];
    const gaps = [{ fromSeq: 4, toSeq: 6 }];
    const state = applyStoredEvents(emptySession('s'), { events, gaps, turnCount: 1 });
    expect(turnAt(state, 0)?.reply?.status).toBe(status);
  });

  it('does not resume a run whose end is missing, because a write may be lost', () => {
    const state = without(new Set([seqOf('run-ended', 1)]));
    expect(turnAt(state, 1)?.run).toMatchObject({ status: 'failed', error: { code: 'STORAGE' } });
    expect(turnAt(state, 1)?.run?.approvals.every(({ status }) => status !== 'open')).toBe(true);
  });
});

it('[QUE-now] once the model goes on, a step that was cancelled while it asked waits for no answer; after an interruption it does', () => {
  const run = { turn: 0, runId: 'run-0' };
  const asked = runFacts();
  const other = { ...asked.at(-1), nodeId: 'other', approvalId: 'approval-2' } as SessionFact;
  const ended: SessionFact = {
    ...{ type: 'node-ended', ...run, nodeId: 'write', status: 'cancelled', cached: false },
    ...{ summary: 'Cancelled.', metrics: { cpu_ms: 1, mem_mb: 1, tool_calls: 1, wall_ms: 1 } },
  };
  const goesOn: SessionFact = { type: 'planning-answered', ...run, stage: 1, content: '{}' };
  const interrupted: SessionFact = { type: 'run-interrupted', ...run };
  const statusesOf = (facts: readonly SessionFact[]) =>
    runOf(facts.slice(1)).approvals.map(({ status }) => status);
  expect(statusesOf([...asked, other])).toEqual(['open', 'open']);
  expect(statusesOf([...asked, other, ended, goesOn])).toEqual(['expired', 'open']);
  expect(statusesOf([...asked, other, ended, interrupted])).toEqual(['open', 'open']);
});

describe('the state', () => {
  const stateAfter = (more: readonly SessionFact[]): SessionState => {
    const [created, sent] = facts;
    const events = [created!, sent!, ...more].map((fact, index): SessionEvent => ({
      ...fact,
      sessionId: 's',
      seq: index + 1,
      at: index,
      v: 1,
    }));
    return applyEvents(emptySession('s'), events);
  };

  it('[STO-bounds] keeps the newest 50 model calls of a turn', () => {
    const step = (index: number): FactOf<'model-step-started'> => ({
      type: 'model-step-started',
      turn: 0,
      part: 'reply',
      snapshot: 'a'.repeat(64),
      promptPack: `pack-${index}`,
      toolCatalog: 'none',
      blocks: [],
      tools: [],
      texts: {},
    });
    const state = stateAfter(Array.from({ length: 53 }, (_, index) => step(index)));
    const kept = turnAt(state, 0)?.steps?.map(({ promptPack }) => promptPack);
    expect(kept).toHaveLength(50);
    expect([kept?.[0], kept?.at(-1)]).toEqual(['pack-3', 'pack-52']);
  });

  it("[STO-bounds] leaves the router's question open when another asker's is answered", () => {
    const ask = (questionId: string, asker: 'router' | 'model'): FactOf<'question-asked'> => ({
      type: 'question-asked',
      turn: 0,
      question: { questionId, asker, text: 'Which one?', options: [{ id: 'a', label: 'A' }] } as never,
    });
    const answer = (questionId: string): SessionFact =>
      ({ type: 'question-answered', turn: 0, questionId, option: 'a' }) as never;
    const asked = [ask('mine', 'router'), ask('other', 'model')];
    expect(stateAfter([...asked, answer('other')]).openQuestion).toEqual({ turn: 0, questionId: 'mine' });
    expect(stateAfter([...asked, answer('other'), answer('mine')]).openQuestion).toBeNull();
  });
});
