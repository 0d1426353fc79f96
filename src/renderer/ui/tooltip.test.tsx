import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Tooltip, TooltipLayer } from './tooltip';

const show = (label = 'Copy') => (
  <>
    <div data-testid="box">
      <Tooltip text={label} keys="Mod+C">
        <button type="button">C</button>
      </Tooltip>
      <Tooltip text="Paste">
        <button type="button">P</button>
      </Tooltip>
    </div>
    <TooltipLayer />
  </>
);
const control = (name: string) => screen.getByRole('button', { name });
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const tooltip = () => screen.queryByRole('tooltip')?.textContent;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('ResizeObserver', function observer() {
    return { observe: vi.fn(), unobserve: vi.fn(), disconnect: vi.fn() };
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('[WIN-tooltip] a tooltip', () => {
  it('opens when the pointer rests on its control, and describes the control until it leaves', async () => {
    render(show());
    fireEvent.pointerOver(control('C'));
    await wait(400);
    expect(tooltip()).toBeUndefined();
    await wait(200);
    expect(tooltip()).toContain('Copy');
    expect(control('C').getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id);
    fireEvent.pointerOver(screen.getByTestId('box'));
    await wait(0);
    expect(tooltip()).toBeUndefined();
    expect(control('C').hasAttribute('aria-describedby')).toBe(false);
  });

  it('opens at once beside one that was open, and stays closed after a press', async () => {
    render(show());
    fireEvent.pointerOver(control('C'));
    await wait(600);
    fireEvent.pointerOver(control('P'));
    await wait(0);
    expect(tooltip()).toBe('Paste');
    fireEvent.pointerDown(control('P'));
    fireEvent.pointerOver(control('P'));
    await wait(2_000);
    expect(tooltip()).toBeUndefined();
  });

  it('opens on keyboard focus, and closes with Escape and when its control scrolls or loses the focus', async () => {
    render(show());
    const focus = async () => {
      act(() => control('P').focus());
      act(() => control('C').focus());
      await wait(0);
      expect(tooltip()).toContain('Copy');
    };
    await focus();
    fireEvent.keyDown(document, { key: 'Escape' });
    await wait(0);
    expect(tooltip()).toBeUndefined();
    await focus();
    fireEvent.scroll(screen.getByTestId('box'));
    await wait(0);
    expect(tooltip()).toBeUndefined();
    await focus();
    act(() => control('C').blur());
    await wait(0);
    expect(tooltip()).toBeUndefined();
  });

  it('says what its control says now, and goes with it', async () => {
    const { rerender } = render(show());
    fireEvent.pointerOver(control('C'));
    await wait(600);
    rerender(show('Copied'));
    await wait(0);
    expect(tooltip()).toContain('Copied');
    rerender(
      <>
        {null}
        <TooltipLayer />
      </>,
    );
    await wait(0);
    expect(tooltip()).toBeUndefined();
  });
});
