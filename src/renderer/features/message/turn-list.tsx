import { ArrowDown } from 'lucide-react';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { SessionPreview } from '#shared/session-preview';
import type { SessionState, Turn } from '#shared/session-state';
import { activePath, siblingsIn, turnsAfterHead } from '#shared/turn-tree';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import type { FocusTurn, TurnActions, TurnListProps } from '../../store/turn-actions';
import { watchMoves } from '../../ui/use-at-rest';
import { VirtualContainer, VirtualItem } from '../../ui/virtual-container';
import { TurnRow } from './turn-row';
import { useFollowEnd, type EndFollower } from './use-follow-end';
import './turn-list.css';

const topSpace = 24;

/** Space above a turn that was scrolled to the top of the view. */
const gapAbove = 16;
const upwards: readonly string[] = ['PageUp', 'ArrowUp'];

function JumpToLatest({ onJump }: { onJump: () => void }) {
  return (
    <button
      type="button"
      className="absolute inset-x-0 bottom-3 mx-auto flex w-fit animate-appear items-center gap-1.5 rounded-full bg-overlay px-3 py-1.5 text-sm shadow-overlay hover:text-accent-text"
      onClick={onJump}
    >
      <ArrowDown aria-hidden="true" className="size-3.5" />
      {text('message.jumpToLatest')}
    </button>
  );
}

const isField = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

/** The keys that jump to an end of the conversation, wherever in it the focus is. */
function endKey({ key, target, shiftKey, altKey, metaKey }: KeyboardEvent): 'Home' | 'End' | null {
  if (shiftKey || altKey || metaKey || isField(target)) return null;
  return key === 'Home' || key === 'End' ? key : null;
}

/**
 * The browser scrolls to an estimated height until the turns there have rendered, so `End` follows the end
 * until it is reached. While a session opens, the list itself scrolls to its end and would take the view back
 * there; an upward key stops that.
 */
function useScrollKeys(
  list: RefObject<VirtualizerHandle | null>,
  { leaveEnd, toEnd, stayAt }: Pick<EndFollower, 'leaveEnd' | 'toEnd' | 'stayAt'>,
) {
  return (event: KeyboardEvent) => {
    const end = endKey(event);
    if (end) event.preventDefault();
    if (end === 'End') toEnd();
    else if (end === 'Home') {
      // Held, because the start of a session that still loads is not there yet.
      stayAt(() => list.current?.scrollToIndex(0, { align: 'start', offset: -topSpace }));
    } else if (event.target === event.currentTarget && upwards.includes(event.key)) {
      leaveEnd(false);
      list.current?.scrollBy(0);
    }
  };
}

/** Says that the conversation was taken back to an earlier turn, and offers the way forward again. */
function LaterTurns({
  session,
  onChooseBranch,
}: { readonly session: SessionState } & Pick<TurnActions, 'onChooseBranch'>) {
  const undoneTurns = turnsAfterHead(session);
  if (undoneTurns === 0) return null;
  return (
    <div className="mx-auto flex max-w-column items-center gap-2 px-5 pb-5 text-sm text-muted">
      {text('message.laterTurns', { count: undoneTurns })}
      <Button tone="quiet" onClick={() => onChooseBranch(session.head)}>
        {text('message.showLater')}
      </Button>
    </div>
  );
}

const notLoaded = { blocks: [] };

/**
 * The rows of a session. Those of a preview are the last of as many as the session has turns, so that nothing moves
 * when the others arrive.
 */
function rowsOf(session: SessionState | SessionPreview): readonly (Turn | undefined)[] {
  if ('blocks' in session) return activePath(session);
  const { turns, turnCount } = session;
  return new Array<Turn | undefined>(Math.max(0, turnCount - turns.length)).fill(undefined).concat(turns);
}

/** The row of a turn; -1 when it has none. */
const placeOf = (rows: readonly (Turn | undefined)[], turn: number | null | undefined): number =>
  turn === null || turn === undefined ? -1 : rows.findIndex((row) => row?.turn === turn);

/** Counts how often a preview was replaced by a session with other rows: one with branches. */
function useRowsReplaced(rows: readonly (Turn | undefined)[]): number {
  const [shown, setShown] = useState({ rows, count: 0 });
  if (shown.rows === rows) return shown.count;
  const isReplaced = shown.rows[0] === undefined && rows.length !== shown.rows.length;
  const count = isReplaced ? shown.count + 1 : shown.count;
  setShown({ rows, count });
  return count;
}

/** About how many pixels the lines of a turn take besides its text, and a line of text; about its characters. */
const turnSpace = 110;
const lineHeight = 24;
const lineLength = 85;
/** How many turns are looked at to guess the height of all. */
const guessedFrom = 100;

const linesOf = (words: string): number =>
  words.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / lineLength), 0);

/** The mean height of turns that were never drawn, so that the scrollbar shows about where one is. */
export function guessTurnHeight(turns: readonly Turn[]): number {
  const every = Math.max(1, Math.floor(turns.length / guessedFrom));
  const some = turns.filter((_, at) => at % every === 0);
  const lines = some.reduce(
    (sum, { text: line, reply, run }) => sum + linesOf(line) + linesOf(reply?.text ?? run?.answer ?? ''),
    0,
  );
  return Math.round(turnSpace + (lines / Math.max(1, some.length)) * lineHeight);
}

function SessionTurns(props: TurnListProps) {
  const { session, useLive, focusTurn, editing, reloaded, actions } = props;
  const { renderRun, renderLineTools, renderRoutedBy, renderRouted, renderCard, renderProposed } = props;
  const whole = 'blocks' in session ? session : null;
  const { blocks } = whole ?? notLoaded;
  const { turnCount } = session;
  const turns = useMemo(() => rowsOf(session), [session]);
  const replaced = useRowsReplaced(turns);
  const siblings = useMemo(() => siblingsIn({ blocks }), [blocks]);
  const [itemSize] = useState(() =>
    guessTurnHeight('turns' in session ? session.turns : activePath(session)),
  );
  const list = useRef<VirtualizerHandle>(null);
  const { scroller, content, atEnd, onScroll, toEnd, leaveEnd, stayAt } = useFollowEnd();
  useEffect(() => (scroller.current ? watchMoves(scroller.current) : undefined), [scroller]);
  const last = useRef(0);
  useLayoutEffect(() => {
    last.current = turns.length - 1;
  }, [turns]);
  useLayoutEffect(() => {
    list.current?.scrollToIndex(last.current, { align: 'end' });
  }, [turnCount, replaced]);
  // A new line of the user always scrolls to the end, whatever was in view; another branch does not.
  useEffect(toEnd, [turnCount, toEnd]);
  const onPath = useRef(turns);
  useLayoutEffect(() => {
    onPath.current = turns;
  }, [turns]);
  const show = useCallback(
    (turn: number) => {
      const place = placeOf(onPath.current, turn);
      if (place === -1) return;
      leaveEnd(true);
      list.current?.scrollToIndex(place, { align: 'start', offset: -gapAbove });
    },
    [leaveEnd],
  );
  const focused = useFocusedTurn(focusTurn, show);
  const [firstPlace] = useState(reloaded?.place);
  useEffect(() => {
    const place = placeOf(onPath.current, firstPlace?.turn);
    if (!firstPlace || place === -1) return;
    stayAt(() => list.current?.scrollToIndex(place, { align: 'start', offset: firstPlace.above }));
  }, [firstPlace, stayAt]);
  // The row that is being edited stays, so that scrolling away loses no text; the row of the place stays too,
  // because a long reply gets its full height only while it is in the page.
  const mountedRows = useMemo(
    () =>
      [...new Set([editing, firstPlace?.turn])].map((turn) => placeOf(turns, turn)).filter((at) => at !== -1),
    [turns, editing, firstPlace],
  );
  const onKeyDown = useScrollKeys(list, { leaveEnd, toEnd, stayAt });
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={text('message.conversation')}
        tabIndex={0}
        className="@container absolute inset-0 overflow-y-auto [overflow-anchor:none] [scrollbar-gutter:stable] focus-visible:-outline-offset-2"
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div ref={content}>
          <div className="h-6" />
          <Virtualizer
            key={replaced}
            as={VirtualContainer}
            item={VirtualItem}
            ref={list}
            data={turns}
            startMargin={topSpace}
            scrollRef={scroller}
            bufferSize={0}
            itemSize={itemSize}
            keepMounted={mountedRows}
          >
            {(turn, index) =>
              turn ? (
                <TurnRow
                  key={turn.turn}
                  number={whole ? index + 1 : turn.turn + 1}
                  siblings={siblings.get(turn.turn)}
                  editing={turn.turn === editing}
                  edited={turn.turn === editing ? (reloaded?.edited ?? undefined) : undefined}
                  focused={turn.turn === focused}
                  turn={turn}
                  actions={actions}
                  useLive={useLive}
                  renderRun={renderRun}
                  renderLineTools={renderLineTools}
                  renderRoutedBy={renderRoutedBy}
                  renderRouted={renderRouted}
                  renderCard={renderCard}
                  renderProposed={renderProposed}
                />
              ) : (
                <div key={index} style={{ height: itemSize }} />
              )
            }
          </Virtualizer>
          {whole && <LaterTurns session={whole} onChooseBranch={actions.onChooseBranch} />}
        </div>
      </div>
      {!atEnd && <JumpToLatest onJump={toEnd} />}
    </div>
  );
}

/** The conversation of one session; only the turns near the view exist in the page. */
export function TurnList(props: TurnListProps) {
  return <SessionTurns key={props.session.id} {...props} />;
}

/** Long enough to notice, short enough not to get in the way. */
const shownMs = 2000;

/** Scrolls to each requested turn; returns it for a moment so that it can be highlighted. */
function useFocusedTurn(focusTurn: FocusTurn | null, show: (turn: number) => void): number | null {
  const [over, setOver] = useState<FocusTurn | null>(null);
  useEffect(() => {
    if (!focusTurn) return undefined;
    show(focusTurn.turn);
    const timer = setTimeout(() => setOver(focusTurn), shownMs);
    return () => clearTimeout(timer);
  }, [focusTurn, show]);
  return focusTurn && focusTurn !== over ? focusTurn.turn : null;
}
