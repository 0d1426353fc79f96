import { useEffect, useRef, type FocusEvent } from 'react';

/**
 * Notices that a change removed the focused element of a box, after which no key would work. An element that takes
 * the focus with the same change has precedence.
 *
 * @param change any value that differs after such a change.
 * @returns the `onFocus` of the box.
 */
export function useLostFocus(change: unknown, onLost: () => void): (event: FocusEvent<HTMLElement>) => void {
  const last = useRef<HTMLElement | null>(null);
  const lost = useRef(onLost);
  useEffect(() => {
    lost.current = onLost;
  }, [onLost]);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (!last.current || last.current.isConnected || document.activeElement !== document.body) return;
      last.current = null;
      lost.current();
    });
    return () => cancelAnimationFrame(frame);
  }, [change]);
  return ({ target }) => {
    last.current = target;
  };
}
