import { describe, expect, it } from 'vitest';
import type { SessionState } from '#shared/session-state';
import { askFacts, sessionOf } from '../../testing/sample-session';
import { routed, sent } from '../../testing/sample-routing';
import { headRefusal, leavingFacts, regenerateRefusal } from './turn-place';

const three = sessionOf([0, 1, 2].flatMap((turn) => askFacts({ turn, reply: 'x', outcome: 'done' })));

/** The same session while a workflow runs that a line started. */
const inWorkflow = (turn: number | null): SessionState => ({
  ...three,
  workflow: { turn } as unknown as NonNullable<SessionState['workflow']>,
});

describe('[TREE-workflow] the head of a session with a running workflow', () => {
  it('does not move before the line that started it', () => {
    expect(headRefusal(inWorkflow(1), 0, false)).toMatchObject({
      code: 'STATE',
      hint: 'Cancel the workflow first.',
    });
    expect(headRefusal(inWorkflow(1), -1, false)).toMatchObject({ code: 'STATE' });
    expect(headRefusal(inWorkflow(1), 1, false)).toBeNull();
    expect(headRefusal(inWorkflow(1), 2, false)).toBeNull();
  });

  it('moves anywhere when no line started the workflow', () => {
    expect(headRefusal(inWorkflow(null), -1, false)).toBeNull();
    expect(headRefusal(three, 0, false)).toBeNull();
  });
});

describe('[TREE-busy] a turn that cannot be continued or regenerated', () => {
  it('is any turn while work is in progress, and a missing turn', () => {
    expect(headRefusal(three, 1, true)).toMatchObject({ code: 'STATE', hint: 'Stop it first.' });
    expect(headRefusal(three, 3, false)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is a line that no model answered', () => {
    expect(regenerateRefusal(three, 1)).toBeNull();
    expect(regenerateRefusal(three, 9)).toMatchObject({ code: 'NOT_FOUND' });
    const command = routed({ type: 'invoke-command', commandId: 'switch-mode' } as never);
    const state = sessionOf([sent('/mode'), command]);
    expect(regenerateRefusal(state, 0)).toMatchObject({ code: 'STATE' });
  });
});

describe('[TREE-question] the router’s question on a line of another branch', () => {
  it('is withdrawn, so the next line does not answer it', () => {
    expect(leavingFacts({ openQuestion: { turn: 2, questionId: 'q' } })).toEqual([
      { type: 'question-withdrawn', turn: 2, questionId: 'q', reason: 'cancelled' },
    ]);
    expect(leavingFacts({ openQuestion: null })).toEqual([]);
  });
});
