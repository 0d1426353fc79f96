import { useCallback, useEffect, useRef, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';

export interface SessionSelection {
  /** The selected sessions; null while nothing is being selected. */
  readonly chosen: ReadonlySet<string> | null;
  readonly choose: (id: string, range: boolean) => void;
  /** Selects the rows from one that has the focus to one that gets it; back onto a selected row, deselects those left. */
  readonly extend: (from: string, to: string) => void;
  /** Selects all sessions that are drawn. */
  readonly chooseAll: () => void;
  /** Begins to select, with nothing selected. */
  readonly begin: () => void;
  readonly end: () => void;
}

/** The rows between two rows of a list, both included. */
function between(listed: readonly string[], from: string | null, to: string): readonly string[] {
  const [at, end] = [from === null ? -1 : listed.indexOf(from), listed.indexOf(to)];
  if (at === -1 || end === -1) return [to];
  return listed.slice(Math.min(at, end), Math.max(at, end) + 1);
}

/** Selects several sessions of a list, in the order in which they are drawn. */
export function useSessionSelection(listed: readonly string[], current: string | null): SessionSelection {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  // In a ref, so that the rows get the same function each time and only the changed ones render.
  const place = useRef({ listed, from: current });
  useEffect(() => {
    place.current.listed = listed;
  }, [listed]);
  const choose = useCallback((id: string, range: boolean) => {
    const { from } = place.current;
    const rows = range ? between(place.current.listed, from, id) : [id];
    place.current.from = id;
    setChosen((before) => {
      const next = new Set(before);
      for (const row of rows) if (range || !next.delete(row)) next.add(row);
      return next;
    });
  }, []);
  const extend = (from: string, to: string): void => {
    if (![from, to].every((id) => listed.includes(id))) return;
    place.current.from = to;
    const rows = between(listed, from, to);
    setChosen((before) => {
      const next = new Set(before);
      const back = next.has(from) && next.has(to);
      for (const row of rows) {
        if (back && row !== to) next.delete(row);
        else next.add(row);
      }
      return next;
    });
  };
  return {
    chosen,
    choose,
    extend,
    chooseAll: () => setChosen(new Set(listed)),
    begin: () => setChosen(new Set()),
    end: () => {
      place.current.from = current;
      setChosen(null);
    },
  };
}

/** How many sessions are selected, and what can be done with them. */
export function SelectionBar({
  chosen,
  onEnd,
}: {
  readonly chosen: ReadonlySet<string>;
  readonly onEnd: () => void;
}) {
  const commands = useCommands();
  const none = chosen.size === 0;
  const act = (run: (ids: readonly string[]) => Promise<void>) => {
    onEnd();
    void run([...chosen]);
  };
  return (
    <div className="flex flex-wrap items-center gap-1 border-t border-line px-3 py-2 text-sm">
      <span aria-live="polite" className="numbers w-full text-xs text-muted">
        {text('rail.selected', { count: chosen.size })}
      </span>
      <Button className="h-7 px-2" disabled={none} onClick={() => act(commands.archiveSessions)}>
        {text('rail.archive')}
      </Button>
      <Button
        className="h-7 px-2"
        disabled={none}
        onClick={() => act((ids) => commands.markSessions(ids, { pinned: true }))}
      >
        {text('rail.pin')}
      </Button>
      <Button
        className="h-7 px-2"
        disabled={none}
        onClick={() => act((ids) => commands.markSessions(ids, { unread: false }))}
      >
        {text('rail.markRead')}
      </Button>
      <Button tone="quiet" className="h-7 px-2" onClick={onEnd}>
        {text('rail.done')}
      </Button>
    </div>
  );
}
