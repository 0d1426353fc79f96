import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { SessionState } from '#shared/session-state';
import { createTurnFinder, firstFrom, stepFrom } from './find-turns';

/** The first turn in sight. */
function turnInSight(root: HTMLElement | null): number {
  const log = root?.querySelector('[role="log"]');
  const top = log?.getBoundingClientRect().top ?? 0;
  for (const turn of log?.querySelectorAll<HTMLElement>('[data-turn]') ?? []) {
    if (turn.getBoundingClientRect().bottom > top) return Number(turn.dataset['turn']);
  }
  return 0;
}

export interface Find {
  readonly typed: string;
  /** What the matches are about: `typed`, or what it was a moment ago. */
  readonly sought: string;
  readonly type: (text: string) => void;
  /** The turns that hold it, in order. */
  readonly matches: readonly number[];
  /** The match on the screen. */
  readonly turn: number | null;
  readonly step: (step: -1 | 1) => void;
}

/** What is looked for in a session, where it is, and the way from one place to the next. */
export function useFind(
  session: SessionState,
  root: RefObject<HTMLElement | null>,
  show: (turn: number) => void,
): Find {
  const [typed, type] = useState('');
  const [turn, setTurn] = useState<number | null>(null);
  // Typing stays fast however long the session: the search follows when there is time.
  const sought = useDeferredValue(typed);
  const find = useMemo(() => createTurnFinder(sought), [sought]);
  const matches = useMemo(() => find(session.blocks), [find, session.blocks]);
  const shown = useRef(find);

  const goTo = useCallback(
    (next: number | null) => {
      setTurn(next);
      if (next !== null) show(next);
    },
    [show],
  );
  useEffect(() => {
    // Only new words move the view; matches that come with a growing reply do not.
    if (shown.current === find) return;
    shown.current = find;
    goTo(firstFrom(matches, turn ?? turnInSight(root.current)));
  }, [find, matches, turn, root, goTo]);

  const step = (by: -1 | 1) =>
    goTo(turn === null ? firstFrom(matches, turnInSight(root.current)) : stepFrom(matches, turn, by));
  return { typed, sought, type, matches, turn, step };
}
