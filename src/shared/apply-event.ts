import { applyRunEvent, type RunFact } from './apply-run-event';
import type { FactOf, SessionEvent, SessionFact } from './session-event';
import { turnsPerBlock, type SessionState, type Turn, type TurnBlocks } from './session-state';

type Numbered = Pick<SessionEvent, 'at' | 'seq'>;
/** What one event changes; `seq` and `updatedAt` follow from its envelope. */
type Changes = Partial<SessionState>;

function replaceBlock(blocks: TurnBlocks, index: number, block: readonly Turn[]): TurnBlocks {
  const next = blocks.slice();
  next[index] = block;
  return next;
}

function addTurn(state: SessionState, event: FactOf<'message-sent'> & Numbered): Changes {
  const { turn, text, runMode, model, at } = event;
  const index = Math.floor(turn / turnsPerBlock);
  const block = [...(state.blocks[index] ?? []), { turn, text, at, runMode, model }];
  return { turnCount: turn + 1, blocks: replaceBlock(state.blocks, index, block) };
}

function changeTurn(state: SessionState, turn: number, change: (turn: Turn) => Turn): Changes {
  const index = Math.floor(turn / turnsPerBlock);
  const block = state.blocks[index]?.slice();
  const old = block?.[turn % turnsPerBlock];
  if (!block || !old) return {};
  block[turn % turnsPerBlock] = change(old);
  return { blocks: replaceBlock(state.blocks, index, block) };
}

function startReply(turn: Turn, event: FactOf<'reply-started'> & Numbered): Turn {
  const { model, providerName, at } = event;
  return { ...turn, reply: { status: 'streaming', model, providerName, text: '', startedAt: at } };
}

function endReply(turn: Turn, event: FactOf<'reply-ended'> & Numbered): Turn {
  if (!turn.reply) return turn;
  const { outcome, usage, error, at } = event;
  const ending = { status: outcome, endedAt: at, ...(usage && { usage }), ...(error && { error }) };
  return { ...turn, reply: { ...turn.reply, ...ending } };
}

function extendReply(turn: Turn, text: string): Turn {
  return turn.reply ? { ...turn, reply: { ...turn.reply, text: turn.reply.text + text } } : turn;
}

function startRun(turn: Turn, event: FactOf<'run-started'> & Numbered): Turn {
  const { runId, goal, at } = event;
  return {
    ...turn,
    run: { runId, goal, status: 'planning', startedAt: at, nodes: [], writes: [], approvals: [] },
  };
}

function changeRun(state: SessionState, event: RunFact): Changes {
  return changeTurn(state, event.turn, (turn) =>
    turn.run ? { ...turn, run: applyRunEvent(turn.run, event) } : turn,
  );
}

/** One row per fact; a fact without a row does not compile. */
const folds: {
  readonly [T in SessionFact['type']]: (state: SessionState, event: FactOf<T> & Numbered) => Changes;
} = {
  'session-created': (_state, { title, project, at }) => ({ title, project, createdAt: at }),
  'session-renamed': (_state, { title }) => ({ title }),
  'session-archived': () => ({ archived: true }),
  'session-restored': () => ({ archived: false }),
  'project-chosen': (_state, { project }) => ({ project }),
  'message-sent': addTurn,
  'reply-started': (state, event) => changeTurn(state, event.turn, (turn) => startReply(turn, event)),
  'reply-extended': (state, event) => changeTurn(state, event.turn, (turn) => extendReply(turn, event.text)),
  'reply-ended': (state, event) => changeTurn(state, event.turn, (turn) => endReply(turn, event)),
  'run-started': (state, event) => changeTurn(state, event.turn, (turn) => startRun(turn, event)),
  'plan-made': changeRun,
  'node-started': changeRun,
  'write-intended': changeRun,
  'tool-called': changeRun,
  'approval-requested': changeRun,
  'approval-answered': changeRun,
  'node-ended': changeRun,
  'run-ended': changeRun,
  'run-interrupted': changeRun,
};

/**
 * The state after one more event. Pure; used by main, by the window and by replay, so all three agree.
 * An event that is not the next one in `seq` changes nothing: the caller sees the gap and takes a snapshot.
 */
export function applyEvent(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq !== state.seq + 1) return state;
  // The table pairs each type with its own fold, which the compiler checks row by row but cannot follow through the lookup.
  const fold = folds[event.type] as (state: SessionState, event: SessionEvent) => Changes;
  return { ...state, ...fold(state, event), seq: event.seq, updatedAt: event.at };
}
