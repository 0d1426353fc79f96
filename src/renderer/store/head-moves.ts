import type { Result } from '#shared/result';
import { ledgerOf } from '#shared/ledger';
import type { RunState, SessionState, Turn } from '#shared/session-state';
import { activePath, parentOf, pathTo } from '#shared/turn-tree';
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

/** A session that continues from another turn, with its head until then. */
interface LeftBranch {
  readonly sessionId: string;
  readonly head: number;
  readonly to: number;
}

/** The runs of the turns that the session left, oldest first. */
function leftRuns(session: SessionState, { head, to }: LeftBranch): readonly RunState[] {
  const onPath = new Set(pathTo(session, to).map(({ turn }) => turn));
  return pathTo(session, head).flatMap(({ turn, run }) => (run && !onPath.has(turn) ? [run] : []));
}

/** What a run wrote and can still undo. */
const undoableTargets = (run: RunState): readonly string[] =>
  ledgerOf(run).flatMap(({ undo, target }) => (undo === 'possible' ? [target] : []));

/** Moves of the head, and what takes back the newest one or the newest command. Both never touch a file. */
export function createHeadMoves(
  { bridge, mirror, view }: CommandDeps,
  send: (sessionId: string, line: string) => Promise<Result<unknown>>,
  undoRun: (sessionId: string, runId: string) => Promise<unknown>,
) {
  const histories = new Map<string, History>();
  const historyOf = (sessionId: string): History => {
    const history = histories.get(sessionId) ?? { moves: [], takenBack: [] };
    histories.set(sessionId, history);
    return history;
  };
  const sessionOf = (sessionId: string) => mirror.store.getState().sessions[sessionId];
  const offerUndo = (left: LeftBranch): void => {
    const session = sessionOf(left.sessionId);
    const runs = session ? leftRuns(session, left).filter((run) => undoableTargets(run).length > 0) : [];
    const count = new Set(runs.flatMap(undoableTargets)).size;
    if (count === 0) return;
    const undo = async () => {
      for (const { runId } of runs.toReversed()) await undoRun(left.sessionId, runId);
    };
    view.toast(text('store.leftWrites', { count }), {
      label: text('store.undoLeftWrites'),
      run: () => void undo(),
    });
  };
  const go = async (sessionId: string, turn: number): Promise<boolean> => {
    const head = sessionOf(sessionId)?.head;
    const moved = await bridge.invoke('head-move', { sessionId, turn });
    if (!moved.ok) view.fail(text('store.failed.branch'), moved.error);
    else if (head !== undefined) offerUndo({ sessionId, head, to: turn });
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
    /** Offers to undo what was written on a branch that was left for a new turn after `to`. */
    offerUndo,
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
