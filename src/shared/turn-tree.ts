import type { ModelRef } from './model';
import { turnAt, turnsPerBlock, type SessionState, type Turn, type TurnBlocks } from './session-state';

type Tree = Pick<SessionState, 'blocks' | 'turnCount'>;

/** The turn that a turn follows; -1 for the beginning. */
export const parentOf = ({ turn, parent }: Pick<Turn, 'turn' | 'parent'>): number => parent ?? turn - 1;

/** This turn and those before it on its path, the newest first. */
function* upFrom(tree: Pick<SessionState, 'blocks'>, last: number): Generator<Turn> {
  // A parent is always an earlier turn; anything else is damage and ends the path.
  for (let at = last, before = Infinity; at >= 0 && at < before;) {
    const turn = turnAt(tree, at);
    if (!turn) return;
    yield turn;
    before = at;
    at = parentOf(turn);
  }
}

/** The path of a session without branches before `last`, made without a step for each turn; else null. */
function straightPath(blocks: TurnBlocks, last: number): readonly Turn[] | null {
  const turns = blocks.flat().slice(0, last + 1);
  return turns.at(-1)?.turn === last && turns.every(({ parent }) => parent === undefined) ? turns : null;
}

/** The last path made of these blocks: several parts of the window ask for the same one. */
const paths = new WeakMap<TurnBlocks, { readonly last: number; readonly path: readonly Turn[] }>();

/** The turns from the beginning to this one, in order. */
export function pathTo({ blocks }: Pick<SessionState, 'blocks'>, last: number): readonly Turn[] {
  const known = paths.get(blocks);
  if (known?.last === last) return known.path;
  const path = straightPath(blocks, last) ?? Array.from(upFrom({ blocks }, last)).reverse();
  paths.set(blocks, { last, path });
  return path;
}

/** The active path of a session: what the window shows and the model is sent. */
export const activePath = (state: Pick<SessionState, 'blocks' | 'head'>): readonly Turn[] =>
  pathTo(state, state.head);

/** The active path in blocks, the same ones as the session's own while it has no branches. */
export function pathBlocks(state: Pick<SessionState, 'blocks' | 'head' | 'turnCount'>): TurnBlocks {
  const path = activePath(state);
  if (path.length === state.turnCount) return state.blocks;
  const count = Math.ceil(path.length / turnsPerBlock);
  return Array.from({ length: count }, (_, at) => path.slice(at * turnsPerBlock, (at + 1) * turnsPerBlock));
}

/** The last turn of the active path. */
export const headTurn = (state: Pick<SessionState, 'blocks' | 'head'>): Turn | undefined =>
  turnAt(state, state.head);

/**
 * The model that answered a line; undefined for a run of scripts only. Runs of earlier versions
 * do not record their model.
 */
function answeringModel({ reply, run, model }: Turn): ModelRef | undefined {
  const answering =
    reply?.model ?? run?.model ?? (run?.usage && run.usage.modelTurns > 0 ? model : undefined);
  // An empty provider means that the event naming the model is damaged; never send it as a provider id.
  return answering?.providerId === '' ? undefined : answering;
}

/** The last model that answered on the active path; skips lines that no model answered. */
export function lastModelOf(state: Pick<SessionState, 'blocks' | 'head'>): ModelRef | undefined {
  for (const turn of upFrom(state, state.head)) {
    const model = answeringModel(turn);
    if (model) return model;
  }
  return undefined;
}

/** The newest turn of the active path that a model or a run answered; skips lines that commands handled. */
export function lastAnswered(state: Pick<SessionState, 'blocks' | 'head'>): Turn | undefined {
  for (const turn of upFrom(state, state.head)) if (turn.reply || turn.run) return turn;
  return undefined;
}

/** The turns that can stand in a turn's place. Each list is in order of appending and includes the turn. */
export interface Siblings {
  /** Other lines at the same place: of each, the newest of its answers, and for the turn's own line itself. */
  readonly lines: readonly number[];
  /** The turns that answer the same line. */
  readonly replies: readonly number[];
}

/** The turns of each line at each place: by parent, then by the line that the turns answer. */
type Places = ReadonlyMap<number, ReadonlyMap<number, readonly number[]>>;

function placesIn(blocks: TurnBlocks): Places {
  const places = new Map<number, Map<number, number[]>>();
  const lineOf = new Map<number, number>();
  for (const turn of blocks.flat()) {
    const { regenerates } = turn;
    const line = regenerates === undefined ? turn.turn : (lineOf.get(regenerates) ?? regenerates);
    lineOf.set(turn.turn, line);
    const lines = places.get(parentOf(turn)) ?? new Map<number, number[]>();
    places.set(parentOf(turn), lines);
    const replies = lines.get(line);
    if (replies) replies.push(turn.turn);
    else lines.set(line, [turn.turn]);
  }
  return places;
}

/** The siblings of every turn that has some. */
export function siblingsIn({ blocks }: Pick<SessionState, 'blocks'>): ReadonlyMap<number, Siblings> {
  // Most sessions have no branches: only a turn with a parent of its own can be a sibling.
  const branches = blocks.some((block) => block.some(({ parent }) => parent !== undefined));
  const places: Places = branches ? placesIn(blocks) : new Map();
  const siblings = new Map<number, Siblings>();
  for (const lines of places.values()) {
    for (const replies of lines.values()) {
      if (lines.size === 1 && replies.length === 1) continue;
      for (const turn of replies) siblings.set(turn, { lines: newestOf(lines, turn, replies), replies });
    }
  }
  return siblings;
}

const newestOf = (
  lines: ReadonlyMap<number, readonly number[]>,
  turn: number,
  own: readonly number[],
): readonly number[] =>
  [...lines.values()].map((replies) => (replies === own ? turn : (replies.at(-1) ?? turn)));

/** The newest turn that follows this one, directly or through others; the turn itself if none does. */
export function newestAfter({ blocks, turnCount }: Tree, turn: number): number {
  const below = new Set([turn]);
  let newest = turn;
  for (let at = turn + 1; at < turnCount; at += 1) {
    const next = turnAt({ blocks }, at);
    if (!next || !below.has(parentOf(next))) continue;
    below.add(at);
    newest = at;
  }
  return newest;
}

/** How many turns follow the head on the branch of the newest of them; 0 unless the head was moved back. */
export function turnsAfterHead(state: Tree & Pick<SessionState, 'head'>): number {
  if (state.head === state.turnCount - 1) return 0;
  const newest = newestAfter(state, state.head);
  return newest === state.head ? 0 : pathTo(state, newest).length - pathTo(state, state.head).length;
}
