import { useEffect, type RefObject } from 'react';
import { findPattern, type Match } from './find-matches';
import { createWordMarks } from './word-marks';

/** How long a turn may take to come into sight before the place in it is no longer followed. */
const settleMs = 600;
/** Above a word that was scrolled to, so that what it belongs to is seen too. */
const roomAbove = 96;

function bringIntoSight(log: Element, word: Range): void {
  const box = log.getBoundingClientRect();
  const place = word.getBoundingClientRect();
  if (place.height === 0 || (place.top >= box.top && place.bottom <= box.bottom)) return;
  log.scrollTop += place.top - box.top - roomAbove;
}

/** Marks what is looked for wherever it is in the page, again whenever the page changes. */
export function useWordMarks(root: RefObject<HTMLElement | null>, typed: string, match: Match | null): void {
  useEffect(() => {
    const log = root.current?.querySelector('[role="log"]');
    const pattern = findPattern(typed);
    if (!log || !pattern) return undefined;
    const marks = createWordMarks();
    const until = performance.now() + settleMs;
    let frame = 0;
    const paint = () => {
      frame = 0;
      const here = marks.mark(log, pattern, match);
      if (here && performance.now() < until) bringIntoSight(log, here);
    };
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(paint);
    };
    const observer = new MutationObserver(soon);
    observer.observe(log, { childList: true, characterData: true, subtree: true });
    log.addEventListener('scroll', soon, { passive: true });
    soon();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      log.removeEventListener('scroll', soon);
      marks.clear();
    };
  }, [root, typed, match]);
}
