import { applyRunEvent } from './apply-run-event';
import { assertNever } from './result';
import type { FactOf, SessionEvent } from './session-event';
import { turnsPerBlock, type SessionState, type Turn, type TurnBlocks } from './session-state';

type Envelope = Pick<SessionEvent, 'at' | 'seq'>;

function replaceBlock(blocks: TurnBlocks, index: number, block: readonly Turn[]): TurnBlocks {
  return index === blocks.length ? [...blocks, block] : blocks.with(index, block);
}

function addTurn(state: SessionState, event: FactOf<'message-sent'> & Envelope): SessionState {
  const { turn, text, runMode, model, at } = event;
  const index = Math.floor(turn / turnsPerBlock);
  const block = [...(state.blocks[index] ?? []), { turn, text, at, runMode, model }];
  return { ...state, turnCount: turn + 1, blocks: replaceBlock(state.blocks, index, block) };
}

function changeTurn(state: SessionState, turn: number, change: (turn: Turn) => Turn): SessionState {
  const index = Math.floor(turn / turnsPerBlock);
  const block = state.blocks[index];
  const old = block?.[turn % turnsPerBlock];
  if (!block || !old) return state;
  return {
    ...state,
    blocks: replaceBlock(state.blocks, index, block.with(turn % turnsPerBlock, change(old))),
  };
}

function startReply(turn: Turn, event: FactOf<'reply-started'> & Envelope): Turn {
  const { model, providerName, at } = event;
  return { ...turn, reply: { status: 'streaming', model, providerName, text: '', startedAt: at } };
}

function endReply(turn: Turn, event: FactOf<'reply-ended'> & Envelope): Turn {
  if (!turn.reply) return turn;
  const { outcome, usage, error, at } = event;
  return {
    ...turn,
    reply: { ...turn.reply, status: outcome, endedAt: at, ...(usage && { usage }), ...(error && { error }) },
  };
}

function extendReply(turn: Turn, text: string): Turn {
  return turn.reply ? { ...turn, reply: { ...turn.reply, text: turn.reply.text + text } } : turn;
}

function startRun(turn: Turn, event: FactOf<'run-started'> & Envelope): Turn {
  const { runId, goal, at } = event;
  return {
    ...turn,
    run: { runId, goal, status: 'planning', startedAt: at, nodes: [], writes: [], approvals: [] },
  };
}

function applyFact(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session-created':
      return { ...state, title: event.title, project: event.project, createdAt: event.at };
    case 'session-renamed':
      return { ...state, title: event.title };
    case 'session-archived':
      return { ...state, archived: true };
    case 'session-restored':
      return { ...state, archived: false };
    case 'project-chosen':
      return { ...state, project: event.project };
    case 'message-sent':
      return addTurn(state, event);
    case 'reply-started':
      return changeTurn(state, event.turn, (turn) => startReply(turn, event));
    case 'reply-extended':
      return changeTurn(state, event.turn, (turn) => extendReply(turn, event.text));
    case 'reply-ended':
      return changeTurn(state, event.turn, (turn) => endReply(turn, event));
    case 'run-started':
      return changeTurn(state, event.turn, (turn) => startRun(turn, event));
    case 'plan-made':
    case 'node-started':
    case 'write-intended':
    case 'tool-called':
    case 'approval-requested':
    case 'approval-answered':
    case 'node-ended':
    case 'run-ended':
    case 'run-interrupted':
      return changeTurn(state, event.turn, (turn) =>
        turn.run ? { ...turn, run: applyRunEvent(turn.run, event) } : turn,
      );
    default:
      return assertNever(event);
  }
}

/**
 * The state after one more event. Pure; used by main, by the window and by replay, so all three agree.
 * An event that is not the next one in `seq` changes nothing: the caller sees the gap and takes a snapshot.
 */
export function applyEvent(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq !== state.seq + 1) return state;
  const next = applyFact(state, event);
  return { ...next, seq: event.seq, updatedAt: event.at };
}
