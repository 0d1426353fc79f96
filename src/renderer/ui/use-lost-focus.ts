import { useEffect, useRef, type FocusEvent } from 'react';

/**
 * Notices that a change removed the focused element of a box, after which the focus is on what contains the box: on
 * the page, where no key works, or on a dialog. An element that takes the focus with the same change has precedence.
 *
 * @param change any value that differs after such a change.
 * @returns the `onFocus` of the box.
 */
export function useLostFocus(change: unknown, onLost: () => void): (event: FocusEvent<HTMLElement>) => void {
  const last = useRef<HTMLElement | null>(null);
  const box = useRef<HTMLElement | null>(null);
  const lost = useRef(onLost);
  useEffect(() => {
    lost.current = onLost;
  }, [onLost]);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (!last.current || last.current.isConnected) return;
      const focused = document.activeElement;
      if (focused !== document.body && !focused?.contains(box.current)) return;
      last.current = null;
      lost.current();
    });
    return () => cancelAnimationFrame(frame);
  }, [change]);
  return ({ target, currentTarget }) => {
    box.current = currentTarget;
    last.current = target;
  };
}
