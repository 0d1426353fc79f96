import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { SessionState } from '#shared/session-state';
import { pathBlocks } from '#shared/turn-tree';
import { createMatchFinder, findInSlices, firstFrom, stepFrom, type Match } from './find-matches';

/** The first visible turn. */
function turnInSight(root: HTMLElement | null): number {
  const log = root?.querySelector('[role="log"]');
  const top = log?.getBoundingClientRect().top ?? 0;
  for (const turn of log?.querySelectorAll<HTMLElement>('[data-turn]') ?? []) {
    if (turn.getBoundingClientRect().bottom > top) return Number(turn.dataset['turn']);
  }
  return 0;
}

export interface Find {
  readonly query: string;
  /** The text that `matches` belongs to: `typed`, or its previous value. */
  readonly sought: string;
  /** The search for `sought` is not complete; `matches` still belongs to the previous text. */
  readonly counting: boolean;
  readonly type: (text: string) => void;
  /** All matches, in order. */
  readonly matches: readonly Match[];
  /** The current match. */
  readonly match: Match | null;
  readonly step: (step: -1 | 1) => void;
}

interface Found {
  readonly find: ReturnType<typeof createMatchFinder>;
  readonly matches: readonly Match[];
}

/** A search in a session: its text, its matches, and the steps between them. */
export function useFind(
  session: SessionState,
  root: RefObject<HTMLElement | null>,
  show: (turn: number) => void,
): Find {
  const [query, type] = useState('');
  const [match, setMatch] = useState<Match | null>(null);
  // Typing stays fast however long the session: the search runs when there is time.
  const sought = useDeferredValue(query);
  const find = useMemo(() => createMatchFinder(sought), [sought]);
  const [found, setFound] = useState<Found>({ find, matches: [] });
  const { matches } = found;
  const { blocks, head, turnCount } = session;
  useEffect(
    () =>
      findInSlices(find, pathBlocks({ blocks, head, turnCount }), (places) =>
        setFound({ find, matches: places }),
      ),
    [find, blocks, head, turnCount],
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
    // Only a new search text scrolls the view; new matches from a growing reply do not.
    if (shown.current === found.find) return;
    shown.current = found.find;
    goTo(firstFrom(matches, match?.turn ?? turnInSight(root.current)));
  }, [found, matches, match, root, goTo]);

  const step = (by: -1 | 1) =>
    goTo(match === null ? firstFrom(matches, turnInSight(root.current)) : stepFrom(matches, match, by));
  return { query: query, sought, counting: found.find !== find, type, matches, match, step };
}
