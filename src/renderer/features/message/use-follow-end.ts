import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

const nearEnd = 32;

const distanceToEnd = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight;

export interface EndFollower {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
  /**
   * Stops following the end: with `elsewhere` because something else is about to scroll into view, otherwise
   * because the user reads above.
   */
  readonly leaveEnd: (toOtherTurn: boolean) => void;
  /**
   * Leaves the end for a place, and scrolls there again whenever a height changes, until the user does something:
   * rows are drawn and measured late on a busy machine.
   */
  readonly stayAt: (scrollThere: () => void) => void;
}

/** User input that moves the view; a scroll event alone does not show who scrolled. */
const userMoves = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Keeps the end of a growing list in view until the user scrolls up, and again once the user is back at the
 * end.
 */
export function useFollowEnd(): EndFollower {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  /** Scrolling to another target; passing the end does not resume following it. */
  const away = useRef(false);
  const restorePlace = useRef<(() => void) | null>(null);
  const last = useRef({ top: 0, height: 0 });
  const [atEnd, setAtEnd] = useState(true);

  const onScroll = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const { top, height } = last.current;
    last.current = { top: box.scrollTop, height: box.scrollHeight };
    const near = distanceToEnd(box) <= nearEnd;
    // Only the user moves the view up while the height stays the same: growth and measuring change the
    // height.
    const movedUp = box.scrollTop < top - 1 && box.scrollHeight === height;
    if (near && !away.current) stuck.current = true;
    else if (movedUp) stuck.current = false;
    setAtEnd(near || stuck.current);
  }, []);

  const toEnd = useCallback(() => {
    stuck.current = true;
    away.current = false;
    restorePlace.current = null;
    setAtEnd(true);
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, []);

  const leaveEnd = useCallback((toOtherTurn: boolean) => {
    stuck.current = false;
    away.current = toOtherTurn;
    restorePlace.current = null;
  }, []);

  const stayAt = useCallback(
    (scrollThere: () => void) => {
      leaveEnd(true);
      restorePlace.current = scrollThere;
      scrollThere();
    },
    [leaveEnd],
  );

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return undefined;
    const observer = new ResizeObserver(() => {
      if (stuck.current) box.scrollTop = box.scrollHeight;
      else restorePlace.current?.();
    });
    observer.observe(inner);
    observer.observe(box);
    const arrived = () => {
      away.current = false;
    };
    // What the user does in a dialog moves nothing behind it.
    const release = ({ target }: Event) => {
      if (!(target instanceof Element && target.closest('dialog'))) restorePlace.current = null;
    };
    const page = box.ownerDocument;
    for (const move of userMoves) {
      box.addEventListener(move, arrived, { passive: true });
      page.addEventListener(move, release, { passive: true, capture: true });
    }
    return () => {
      observer.disconnect();
      for (const move of userMoves) {
        box.removeEventListener(move, arrived);
        page.removeEventListener(move, release, { capture: true });
      }
    };
  }, []);

  return { scroller, content, atEnd, onScroll, toEnd, leaveEnd, stayAt };
}
