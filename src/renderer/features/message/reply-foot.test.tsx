import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Tooltip } from 'radix-ui';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { turnAt } from '#shared/session-state';
import { askFacts, runFacts, sampleUsage, sessionOf } from '../../../testing/sample-session';
import { ReplyFoot } from './reply-foot';

afterEach(cleanup);

function draw(facts: readonly SessionFact[], number = 0) {
  const turn = turnAt(sessionOf(facts), number);
  if (!turn) throw new Error(`There is no turn ${number}.`);
  const actions = {
    onRegenerate: vi.fn(),
    onOtherModel: vi.fn(),
    onChooseBranch: vi.fn(),
    onAnnounce: vi.fn(),
    onFork: vi.fn(),
    onGoBackTo: vi.fn(),
    onOpenInspector: vi.fn(),
    onShowSent: vi.fn(),
    onCopy: vi.fn(),
  };
  render(
    <Tooltip.Provider>
      <ReplyFoot turn={turn} actions={actions} siblings={undefined} />
    </Tooltip.Provider>,
  );
  return actions;
}
const otherModel = () => screen.queryByRole('button', { name: 'Retry with another model…' });

describe('[TREE-other-model] the foot of an answer', () => {
  it('offers another model for any answer', () => {
    const twice = [
      ...askFacts({ turn: 0, reply: 'One.', outcome: 'done' }),
      ...askFacts({ turn: 1, reply: 'Two.', outcome: 'done' }),
    ];
    const { onOtherModel } = draw(twice);
    fireEvent.click(otherModel()!);
    expect(onOtherModel).toHaveBeenCalledWith(0);
  });

  it('offers it for a run, but not where a command runs the plan', () => {
    const ended: SessionFact = {
      type: 'run-ended',
      turn: 0,
      runId: 'run-0',
      outcome: 'done',
      answer: 'Done.',
      usage: sampleUsage,
    };
    draw([...runFacts(), ended]);
    expect(otherModel()).toBeTruthy();
    cleanup();
    const item = { id: 'count-files', displayName: 'Count files' };
    const command: SessionFact = {
      type: 'command-invoked',
      turn: 0,
      commandId: 'RunRecipe',
      displayName: 'Run',
      item,
    };
    draw([...runFacts(), command, ended]);
    expect(otherModel()).toBeNull();
  });
});

describe('[TREE-rerun] Retry', () => {
  const offered = () => screen.queryAllByRole('button', { name: 'Retry' }).length;
  const error = appError('LLM', 'UNAVAILABLE', 'The provider is not running.');

  it.each(['done', 'stopped', 'interrupted'] as const)('is offered under a reply that is %s', (outcome) => {
    draw(askFacts({ turn: 0, reply: 'One.', outcome }));
    expect(offered()).toBe(1);
  });

  it('is left to the card of an error', () => {
    draw(askFacts({ turn: 0, reply: '', outcome: 'failed', error }));
    expect(offered()).toBe(0);
  });

  it.each([
    ['done', 1],
    ['answered', 1],
    ['failed', 0],
    ['partial', 0],
    ['cancelled', 0],
  ] as const)(
    'is offered under a run that is %s %d times, because other cards offer it',
    (outcome, times) => {
      const failed = outcome === 'failed' && { error };
      const end = { turn: 0, runId: 'run-0', outcome, answer: '', usage: sampleUsage, ...failed };
      draw([...runFacts(), { type: 'run-ended', ...end }]);
      expect(offered()).toBe(times);
    },
  );
});
