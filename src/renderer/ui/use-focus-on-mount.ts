import { useLayoutEffect, useRef, type RefObject } from 'react';

/** For a part that takes the place of the button that opened it: the keyboard continues there, not at the top. */
export function useFocusOnMount<Part extends HTMLElement>(): RefObject<Part | null> {
  const part = useRef<Part>(null);
  // In the layout phase: later, the dialog has already moved the focus elsewhere.
  useLayoutEffect(() => part.current?.focus(), []);
  return part;
}
