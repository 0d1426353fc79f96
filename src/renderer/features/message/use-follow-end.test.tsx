import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { useFollowEnd } from './use-follow-end';

function Kept({ scrollThere }: { scrollThere: () => void }) {
  const { scroller, content, stayAt } = useFollowEnd();
  useEffect(() => stayAt(scrollThere), [stayAt, scrollThere]);
  return (
    <>
      <div ref={scroller}>
        <div ref={content} />
      </div>
      <dialog open>
        <button>Close</button>
      </dialog>
    </>
  );
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('[I18N-reload] a place is kept while rows are measured late, also while a dialog is closed, until the user goes on', () => {
  const resized = vi.fn<(run: () => void) => void>();
  const observer = { observe: () => undefined, disconnect: () => undefined };
  vi.stubGlobal('ResizeObserver', function (run: () => void) {
    resized(run);
    return observer;
  });
  const measure = () => act(() => resized.mock.calls.forEach(([run]) => run()));
  const scrollThere = vi.fn();
  render(<Kept scrollThere={scrollThere} />);
  expect(scrollThere).toHaveBeenCalledTimes(1);

  fireEvent.pointerDown(screen.getByRole('button'));
  fireEvent.keyDown(screen.getByRole('button'), { key: 'Escape' });
  measure();
  expect(scrollThere).toHaveBeenCalledTimes(2);

  fireEvent.keyDown(document.body, { key: 'PageDown' });
  measure();
  expect(scrollThere).toHaveBeenCalledTimes(2);
});
