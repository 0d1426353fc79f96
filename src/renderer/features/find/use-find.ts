import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { SessionState } from '#shared/session-state';
import { createMatchFinder, findInSlices, firstFrom, stepFrom, type Match } from './find-matches';

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
  /** The places of what is sought are not all known yet; `matches` is about what was sought before. */
  readonly counting: boolean;
  readonly type: (text: string) => void;
  /** Every place that fits, in order. */
  readonly matches: readonly Match[];
  /** The place one is at. */
  readonly match: Match | null;
  readonly step: (step: -1 | 1) => void;
}

interface Found {
  readonly find: ReturnType<typeof createMatchFinder>;
  readonly matches: readonly Match[];
}

/** What is looked for in a session, where it is, and the way from one place to the next. */
export function useFind(
  session: SessionState,
  root: RefObject<HTMLElement | null>,
  show: (turn: number) => void,
): Find {
  const [typed, type] = useState('');
  const [match, setMatch] = useState<Match | null>(null);
  // Typing stays fast however long the session: the search follows when there is time.
  const sought = useDeferredValue(typed);
  const find = useMemo(() => createMatchFinder(sought), [sought]);
  const [found, setFound] = useState<Found>({ find, matches: [] });
  const { matches } = found;
  useEffect(
    () => findInSlices(find, session.blocks, (places) => setFound({ find, matches: places })),
    [find, session.blocks],
  );
  const shown = useRef(find);

  const goTo = useCallback(
    (next: Match | null) => {
      setMatch(next);
      if (next !== null && next.turn !== match?.turn) show(next.turn);
    },
    [show, match],
  );
  useEffect(() => {
    // Only new words move the view; matches that come with a growing reply do not.
    if (shown.current === found.find) return;
    shown.current = found.find;
    goTo(firstFrom(matches, match?.turn ?? turnInSight(root.current)));
  }, [found, matches, match, root, goTo]);

  const step = (by: -1 | 1) =>
    goTo(match === null ? firstFrom(matches, turnInSight(root.current)) : stepFrom(matches, match, by));
  return { typed, sought, counting: found.find !== find, type, matches, match, step };
}
