import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import { offlineModel } from '#shared/model';
import { turnAt } from '#shared/session-state';
import { askFacts, sessionOf, type SampleReply } from '../../../testing/sample-session';
import { Reply } from './reply';
import { UserLine } from './turn-row';

function draw(sample: Omit<SampleReply, 'turn'>, live?: string) {
  const turn = turnAt(sessionOf(askFacts({ turn: 0, ...sample })), 0);
  const reply = turn?.reply;
  if (!turn || !reply) throw new Error('The sample has no reply.');
  const onRetry = vi.fn();
  const view = render(
    <Reply
      asksUser={false}
      turn={turn}
      reply={reply}
      renderCard={() => null}
      useLive={() => live}
      onRetry={onRetry}
      onOpenLink={vi.fn()}
      onCopy={vi.fn()}
    />,
  );
  return { ...view, onRetry, endedAt: reply.endedAt ?? 0 };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(1_004_000);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('Reply', () => {
  it('[ASK-thinking] shows thinking folded, with its time, as plain text', () => {
    const turn = turnAt(sessionOf(askFacts({ turn: 0, reply: 'The answer.' })), 0);
    const reply = turn?.reply;
    if (!turn || !reply) throw new Error('The sample has no reply.');
    const thinking = { text: 'THINKINGWORDS <b>about</b> locks', ms: 12_100 };
    const actions = { onRetry: vi.fn(), onOpenLink: vi.fn(), onCopy: vi.fn() };
    const shared = { asksUser: false, turn, renderCard: () => null, ...actions };
    const { container } = render(
      <Reply {...shared} reply={{ ...reply, thinking }} useLive={() => undefined} />,
    );
    expect(screen.getByText('Thought for 12 s')).toBeTruthy();
    expect(container.querySelector('details')?.open).toBe(false);
    expect(container.textContent).toContain('THINKINGWORDS <b>about</b> locks');
    expect(container.textContent).toContain('The answer.');
  });

  it('shows the live text while it streams, and the saved text afterwards', () => {
    expect(draw({ reply: 'saved' }, 'saved and live').container.textContent).toBe('saved and live');
    cleanup();
    expect(draw({ reply: 'saved', outcome: 'done' }, 'saved and live').container.textContent).toBe('saved');
  });

  it('never shows less than the saved text', () => {
    expect(draw({ reply: 'all that is saved' }, 'all').container.textContent).toBe('all that is saved');
  });

  it('[LLM-limit-wait] counts down to the next attempt, with Stop and another model', () => {
    const turn = turnAt(sessionOf(askFacts({ turn: 0, reply: '' })), 0);
    if (!turn?.reply) throw new Error('The sample has no reply.');
    const [onStop, onOtherModel] = [vi.fn(), vi.fn()];
    const error = appError('LLM', 'RATE_LIMITED', 'Local models accepts no more requests right now.');
    const waiting = { ...turn.reply, delayed: { error, retryAt: Date.now() + 30_000 } };
    const rest = {
      asksUser: false,
      renderCard: () => null,
      turn,
      onRetry: vi.fn(),
      onOpenLink: vi.fn(),
      onCopy: vi.fn(),
    };
    render(
      <Reply
        {...rest}
        onStop={onStop}
        onOtherModel={onOtherModel}
        reply={waiting}
        useLive={() => undefined}
      />,
    );
    expect(screen.getByText(/Tries again in 30 s/)).toBeTruthy();
    expect(screen.getByText(/Messages in the queue wait until then/)).toBeTruthy();
    act(() => void vi.advanceTimersByTime(2_000));
    expect(screen.getByText(/Tries again in 28 s/)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
    fireEvent.click(screen.getByRole('button', { name: 'Other model…' }));
    expect([onStop.mock.calls, onOtherModel.mock.calls]).toEqual([[[0]], [[0]]]);
  });

  it('names the provider that it waits for', () => {
    expect(draw({ reply: '' }).container.textContent).toContain('Waiting for a reply from Local models');
  });

  it.each([
    ['stopped', 'Stopped here'],
    ['interrupted', 'The text so far is kept'],
  ] as const)('keeps the text of a reply that was %s, and says so', (outcome, words) => {
    const { container } = draw({ reply: 'the first half', outcome });
    expect(container.textContent).toContain('the first half');
    expect(container.textContent).toContain(words);
  });

  it('keeps the text of a reply that was cut off, with the reason and the next step', () => {
    const error = appError('LLM', 'UNAVAILABLE', 'The stream broke.', { retryable: true });
    const { onRetry, container } = draw({ reply: 'the first half', outcome: 'failed', error });
    expect(screen.getByRole('region', { name: 'The reply is incomplete' })).toBeTruthy();
    expect(container.textContent).toContain('The 14 characters received so far are kept above.');
    expect(container.textContent).toContain('The stream broke.');
    expect(container.textContent).toContain('LLM/UNAVAILABLE');
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(onRetry).toHaveBeenCalledWith(0);
  });

  it('counts down until the provider is ready, then offers to retry', () => {
    const error = appError('LLM', 'RATE_LIMITED', '429', { retryAfterMs: 12_000 });
    const { endedAt } = draw({ reply: '', outcome: 'failed', error });
    act(() => {
      vi.advanceTimersByTime(endedAt + 9_000 - 1_004_000);
    });
    const button = screen.getByRole<HTMLButtonElement>('button');
    expect(button.textContent).toBe('Retry in 3 s');
    expect(button.disabled).toBe(true);
    act(() => {
      vi.advanceTimersByTime(3_000);
    });
    expect(button.textContent).toBe('Retry');
    expect(button.disabled).toBe(false);
  });

  it('labels a reply that no model wrote', () => {
    expect(draw({ reply: 'x', outcome: 'done', model: offlineModel }).container.textContent).toContain(
      'Offline (no model)',
    );
    cleanup();
    expect(draw({ reply: 'x', outcome: 'done' }).container.textContent).toBe('x');
  });
});

describe('UserLine', () => {
  it('shows a short line in full, as it was typed', () => {
    const { container } = render(<UserLine line={'a **b**\n  c'} />);
    expect(container.textContent).toBe('a **b**\n  c');
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('folds a long one until the user opens it', () => {
    const text = Array.from({ length: 60 }, (_, n) => `line ${n}`).join('\n');
    const { container } = render(<UserLine line={text} />);
    expect(container.textContent).not.toContain('line 30');
    fireEvent.click(screen.getByRole('button', { name: 'Show all' }));
    expect(container.textContent).toContain('line 59');
  });
});
