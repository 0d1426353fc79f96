import type { Result } from '#shared/result';
import type { SessionState, Turn } from '#shared/session-state';
import { activePath, parentOf } from '#shared/turn-tree';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import { slashLine, slashRows } from './slash-lines';

/** A move of the head that the user made in this window; `turnCount`: the turns that the session had then. */
interface HeadMove {
  readonly from: number;
  readonly to: number;
  readonly turnCount: number;
}

/** A turn whose command was taken back, and the turns that the session had before the line that did it. */
interface TakenBack {
  readonly turn: Turn;
  readonly turnCount: number;
}

/** What Undo knows of a session, the newest last. */
interface History {
  readonly moves: HeadMove[];
  readonly takenBack: TakenBack[];
}

const isCommandAlone = ({ command, reply, run }: Turn): boolean =>
  command !== undefined && reply === undefined && run === undefined;

/** The last move, unless the conversation went on from there: then taking it back would leave something new. */
function lastMove(session: SessionState, moves: readonly HeadMove[]): HeadMove | undefined {
  const move = moves.at(-1);
  if (!move) return undefined;
  const since = activePath(session).filter(({ turn }) => turn >= move.turnCount);
  const [first] = since;
  const start = first ? parentOf(first) : session.head;
  return start === move.to && since.every(isCommandAlone) ? move : undefined;
}

/** The newest turn whose command can be taken back; a command and the line that took it back cancel each other out. */
function newestCommand({ blocks, forked }: SessionState, takenBack: readonly TakenBack[]): Turn | undefined {
  const turns = blocks.flat();
  const over = new Set<number>();
  for (const { turn, turnCount } of takenBack) {
    const undo = turn.command?.undo;
    const line = turns.find(
      (each) =>
        each.turn >= turnCount &&
        each.command?.commandId === undo?.commandId &&
        each.command?.item.id === undo?.id,
    );
    for (const each of [turn, line]) if (each) over.add(each.turn);
  }
  const own = forked?.turns ?? 0;
  return turns.findLast(({ turn, command }) => command?.undo && turn >= own && !over.has(turn));
}

/** Moves of the head, and what takes back the newest one or the newest command. Both never touch a file. */
export function createHeadMoves(
  { bridge, mirror, view }: CommandDeps,
  send: (sessionId: string, line: string) => Promise<Result<unknown>>,
) {
  const histories = new Map<string, History>();
  const historyOf = (sessionId: string): History => {
    const history = histories.get(sessionId) ?? { moves: [], takenBack: [] };
    histories.set(sessionId, history);
    return history;
  };
  const go = async (sessionId: string, turn: number): Promise<boolean> => {
    const moved = await bridge.invoke('head-move', { sessionId, turn });
    if (!moved.ok) view.fail(text('store.failed.branch'), moved.error);
    return moved.ok;
  };
  const takeBackMove = async (sessionId: string, move: HeadMove): Promise<boolean> => {
    if (!(await go(sessionId, move.from))) return false;
    const { moves } = historyOf(sessionId);
    const place = moves.indexOf(move);
    // The moves after it led on from where it led.
    if (place !== -1) moves.splice(place);
    return true;
  };
  const takeBackCommand = async (sessionId: string, back: TakenBack, line: string): Promise<void> => {
    const { takenBack } = historyOf(sessionId);
    takenBack.push(back);
    const sent = await send(sessionId, line);
    if (sent.ok) return;
    takenBack.splice(takenBack.indexOf(back), 1);
    view.fail(text('store.failed.send'), sent.error);
  };
  return {
    /** Continues from another turn; returns what takes the move back, null if it failed. */
    async move({ id, head, turnCount }: SessionState, to: number): Promise<(() => void) | null> {
      if (!(await go(id, to))) return null;
      const move = { from: head, to, turnCount };
      if (head !== to) historyOf(id).moves.push(move);
      return () => void takeBackMove(id, move);
    },
    /** Takes back the last move or the newest command, whichever is newer; false if there is neither. */
    undoLast(session: SessionState | undefined): boolean {
      if (!session) return false;
      const { id, turnCount } = session;
      const { moves, takenBack } = historyOf(id);
      const move = lastMove(session, moves);
      const turn = newestCommand(session, takenBack);
      if (move && (!turn || turn.turn < move.turnCount)) {
        void takeBackMove(id, move).then((done) => done && view.toast(text('store.movedBack')));
        return true;
      }
      const undo = turn?.command?.undo;
      const rows = slashRows(mirror.store.getState().controlPlane);
      const row = rows.find(({ commandId }) => commandId === undo?.commandId);
      if (!turn || !undo || !row) return false;
      void takeBackCommand(id, { turn, turnCount }, slashLine(row, undo.id));
      return true;
    },
  };
}
