import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { activePath } from '#shared/turn-tree';
import { askFacts, sessionOf } from '../../../testing/sample-session';
import type { FocusTurn, TurnActions } from '../../store/turn-actions';
import { guessTurnHeight, TurnList } from './turn-list';
import { TurnRow } from './turn-row';

const actions: TurnActions = {
  onRegenerate: vi.fn(),
  readItem: vi.fn(),
  onEdit: vi.fn(),
  unsentEdit: () => '',
  saveEdit: vi.fn(),
  onSendEdited: vi.fn(),
  onOtherModel: vi.fn(),
  onChooseBranch: vi.fn(),
  onAnnounce: vi.fn(),
  onFork: vi.fn(),
  onGoBackTo: vi.fn(),
  onStop: vi.fn(),
  onOpenInspector: vi.fn(),
  onSaveRecipe: vi.fn(),
  onShowSent: vi.fn(),
  onAnswerApproval: vi.fn(),
  onEditApproval: vi.fn(),
  onRun: vi.fn(),
  onOpenLink: vi.fn(),
  onCopy: vi.fn(),
};

/** The sizes that a page with layout would report: the view is 600 high, each turn 200. */
const sizes = { view: 600, turn: 200 };
let content = 0;
const observers = new Set<() => void>();

function observing(callback: ResizeObserverCallback): ResizeObserver {
  const observer = {
    observe: (target: Element) => {
      const height = target.getAttribute('role') === 'log' ? sizes.view : sizes.turn;
      const entry = { target, contentRect: { height, width: 800 } } as unknown as ResizeObserverEntry;
      const run = () => callback([entry], observer);
      observers.add(run);
    },
    unobserve: () => undefined,
    disconnect: () => undefined,
  };
  return observer;
}

/** Triggers a new measurement with this total height of all turns. */
function measure(height: number): void {
  content = height;
  act(() => observers.forEach((run) => run()));
}

const view = () => screen.getByRole('log');
const jump = () => screen.queryByRole('button', { name: 'Jump to latest' });

interface Drawn {
  readonly last?: string;
  readonly focusTurn?: FocusTurn | null;
  /** Draws a preview that says it has so many turns, instead of the whole session. */
  readonly counted?: number;
}

function draw(turns: number, { last = 'the last reply', focusTurn = null, counted }: Drawn = {}) {
  const facts = Array.from({ length: turns }, (_, turn) =>
    askFacts({ turn, reply: turn === turns - 1 ? last : `reply ${turn}`, outcome: 'done' }),
  ).flat();
  const whole = sessionOf(facts);
  const { id, seq } = whole;
  return (
    <TurnList
      session={counted === undefined ? whole : { id, seq, turnCount: counted, turns: activePath(whole) }}
      useLive={() => undefined}
      focusTurn={focusTurn}
      editing={null}
      reloaded={null}
      renderRun={() => null}
      renderLineTools={() => null}
      renderRoutedBy={() => null}
      renderRouted={() => null}
      renderCard={() => null}
      renderProposed={() => null}
      actions={actions}
    />
  );
}

// Without this, every element counts as hidden and is not measured.
Object.defineProperty(HTMLElement.prototype, 'offsetParent', { get: () => document.body });

beforeEach(() => {
  content = 0;
  observers.clear();
  const fake = function (callback: ResizeObserverCallback) {
    return observing(callback);
  };
  vi.stubGlobal('ResizeObserver', fake);
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(() => content);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(sizes.view);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(sizes.view);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('TurnList', () => {
  it('draws a preview whose stored count of turns is damaged', () => {
    expect(() => render(draw(3, { counted: 1 }))).not.toThrow();
    expect(view().isConnected).toBe(true);
  });

  it('stays at the end while the end grows', () => {
    render(draw(3));
    measure(2_000);
    expect(view().scrollTop).toBe(2_000);
    measure(2_400);
    expect(view().scrollTop).toBe(2_400);
    expect(jump()).toBeNull();
  });

  it('keeps the position of a reader who scrolled up, and offers to return', () => {
    render(draw(3));
    measure(2_000);
    view().scrollTop = 1_400;
    fireEvent.scroll(view());
    view().scrollTop = 300;
    fireEvent.scroll(view());
    measure(2_600);
    expect(view().scrollTop).toBe(300);
    fireEvent.click(jump() ?? view());
    expect(view().scrollTop).toBe(2_600);
    expect(jump()).toBeNull();
  });

  it('scrolls to the user’s new line from any position', () => {
    const { rerender } = render(draw(3));
    measure(2_000);
    view().scrollTop = 1_400;
    fireEvent.scroll(view());
    view().scrollTop = 300;
    fireEvent.scroll(view());
    rerender(draw(4));
    expect(view().scrollTop).toBe(2_000);
  });

  it('scrolls to the turn of a search hit, highlights it, and stops following the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { rerender } = render(draw(100));
    measure(100 * sizes.turn);
    await act(async () => rerender(draw(100, { focusTurn: { turn: 7, tick: 1 } })));
    act(() => void fireEvent.scroll(view()));
    measure(100 * sizes.turn);
    const found = screen.getByLabelText('Turn 8');
    expect(found.dataset['focused']).toBe('true');
    measure(100 * sizes.turn + 400);
    expect(view().scrollTop).toBeLessThan(10 * sizes.turn);
    act(() => void vi.advanceTimersByTime(3_000));
    expect(found.dataset['focused']).toBeUndefined();
    vi.useRealTimers();
  });
});

describe('[SCALE-scrollbar] the height of turns that were never drawn', () => {
  const turnsOf = (reply: string) =>
    activePath(
      sessionOf(Array.from({ length: 300 }, (_, turn) => askFacts({ turn, reply, outcome: 'done' })).flat()),
    );

  it('is guessed from the lines of their texts, those that wrap included', () => {
    const short = guessTurnHeight(turnsOf('yes'));
    expect(short).toBeLessThan(200);
    expect(guessTurnHeight(turnsOf('yes\n'.repeat(40)))).toBeGreaterThan(short + 800);
    expect(guessTurnHeight(turnsOf('word '.repeat(680)))).toBeGreaterThan(short + 800);
    expect(guessTurnHeight([])).toBeGreaterThan(0);
  });
});

describe('[SCALE-row-tools] a turn that becomes visible', () => {
  const row = () => {
    const turn = sessionOf(askFacts({ turn: 0, reply: 'the reply', outcome: 'done' })).blocks[0]![0]!;
    return (
      <TurnRow
        turn={turn}
        actions={actions}
        focused={false}
        number={1}
        siblings={undefined}
        editing={false}
        edited={undefined}
        useLive={() => undefined}
        renderRun={() => null}
        renderLineTools={() => null}
        renderRoutedBy={() => null}
        renderRouted={() => null}
        renderCard={() => null}
        renderProposed={() => null}
      />
    );
  };

  it('is drawn without its toolbar first, and gets it later at the same height', async () => {
    // Static markup contains the first pass of a mount, before any deferred part.
    const first = new DOMParser().parseFromString(renderToStaticMarkup(row()), 'text/html');
    expect(first.body.textContent).toContain('the reply');
    expect(first.querySelectorAll('button')).toHaveLength(0);
    render(row());
    expect(await screen.findByRole('button', { name: 'Edit' })).toBeDefined();
    // The tools of the reply lie in the space below the turn.
    expect(screen.getByRole('button', { name: 'Copy reply' }).closest('.h-7.-mb-7')).not.toBeNull();
  });
});
