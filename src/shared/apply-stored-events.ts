import { appError } from './app-error';
import { applyEvents, placeTurn, startReply } from './apply-event';
import type { SessionEvent } from './session-event';
import {
  isUnanswered,
  turnAt,
  turnsPerBlock,
  type EventGap,
  type QuestionState,
  type RunState,
  type SessionState,
  type Turn,
} from './session-state';

const ofReply: ReadonlySet<string> = new Set(['reply-thought', 'reply-extended', 'reply-ended']);

/** The readable events of a session, and the gaps between them. */
export interface ReadEvents {
  readonly events: readonly SessionEvent[];
  readonly gaps: readonly Omit<EventGap, 'turn'>[];
  readonly turnCount: number;
}

const unknownModel = { providerId: '', model: '' };
const lostLine = 'This message could not be read.';

export const partLost = appError('HOST', 'STORAGE', 'A part of this could not be read.', {
  hint: 'Repair the session, or restore it from a copy.',
});

/** Inserts placeholders for lines whose own events are missing, so that later lines keep their numbers. */
function fillTurns(state: SessionState, turnCount: number): SessionState {
  let filled = state;
  for (let turn = state.turnCount; turn < turnCount; turn += 1) {
    filled = placeTurn(filled, {
      turn,
      text: lostLine,
      at: state.updatedAt,
      runMode: 'ask',
      model: unknownModel,
      unreadable: true,
    });
  }
  return filled;
}

function changeTurn(state: SessionState, turn: Turn): SessionState {
  const index = Math.floor(turn.turn / turnsPerBlock);
  const block = (state.blocks[index] ?? []).map((old) => (old.turn === turn.turn ? turn : old));
  return { ...state, blocks: state.blocks.map((old, at) => (at === index ? block : old)) };
}

type TurnEvent = Extract<SessionEvent, { turn: number }>;

/** Starts the reply or run that this event continues, when the event that started it is missing. */
function withAnswer(state: SessionState, event: TurnEvent): SessionState {
  const turn = turnAt(state, event.turn);
  if (!turn) return state;
  const { at } = event;
  if (ofReply.has(event.type) && !turn.reply) {
    return changeTurn(state, startReply(turn, { model: turn.model, providerName: '', at }));
  }
  if (event.type === 'model-called') return state;
  if (!('runId' in event) || event.type === 'run-started' || turn.run) return state;
  const run: RunState = {
    runId: event.runId,
    goal: turn.text,
    status: 'planning',
    startedAt: at,
    nodes: [],
    writes: [],
    approvals: [],
  };
  return changeTurn(state, { ...turn, run });
}

const isTurnEvent = (event: SessionEvent): event is TurnEvent =>
  'turn' in event && typeof event.turn === 'number';

/** Adds the state that an event after a gap depends on and that the gap removed. */
function withMissingState(state: SessionState, event: SessionEvent): SessionState {
  if (!isTurnEvent(event)) return state;
  if (event.type === 'message-sent') return fillTurns(state, event.turn);
  return withAnswer(fillTurns(state, event.turn + 1), event);
}

/** Marks all approvals as used: the missing events may include their use. */
const withoutApprovals = ({ workflow }: SessionState): SessionState['workflow'] =>
  workflow && { ...workflow, approvals: workflow.approvals.map((one) => ({ ...one, used: true })) };

function skip(state: SessionState, { fromSeq, toSeq }: Omit<EventGap, 'turn'>): SessionState {
  const gap = { fromSeq, toSeq, turn: state.turnCount - 1 };
  return { ...state, seq: toSeq, gaps: [...(state.gaps ?? []), gap], workflow: withoutApprovals(state) };
}

/** Gives a line that went to the model an ended reply, even when none of its reply is left. */
function closedReply(turn: Turn): Turn['reply'] {
  const { reply, model, at } = turn;
  if (reply)
    return reply.status === 'streaming' ? { ...reply, status: 'interrupted', error: partLost } : reply;
  if (!isUnanswered(turn)) return undefined;
  const times = { startedAt: at, endedAt: at };
  return { status: 'interrupted', model, providerName: '', text: '', ...times, error: partLost };
}

const isRunning = (run: RunState): boolean => run.status === 'planning' || run.status === 'running';

/** Ends everything still running in a line with missing events: its end may be among them. */
function closed(turn: Turn): Turn {
  const { run, command, questions } = turn;
  const reply = closedReply(turn);
  const ended = { status: 'failed' as const, summary: partLost.message, error: partLost };
  return {
    ...turn,
    ...(reply && { reply }),
    ...(run && { run: isRunning(run) ? failed(run) : run }),
    ...(command && { command: command.status === 'running' ? { ...command, ...ended } : command }),
    ...(questions && { questions: questions.map(withdrawn) }),
  };
}

const withdrawn = (question: QuestionState): QuestionState =>
  question.status === 'open' ? { ...question, status: 'withdrawn' } : question;

/** Fails a running run so that it is not resumed: the missing events may include a write that was made. */
const failed = (run: RunState): RunState => ({
  ...run,
  status: 'failed',
  error: partLost,
  writes: run.writes.map((write) =>
    write.outcome === 'intended' ? { ...write, outcome: 'unknown' } : write,
  ),
  approvals: run.approvals.map((one) => (one.status === 'open' ? { ...one, status: 'expired' } : one)),
});

/** Closes the lines that a gap affects: the line it follows, and lines whose own event it contains. */
function closeTouched(state: SessionState, gaps: readonly EventGap[]): SessionState {
  const touched = new Set(gaps.map(({ turn }) => turn));
  const blocks = state.blocks.map((block) =>
    block.some(({ turn, unreadable }) => unreadable || touched.has(turn))
      ? block.map((turn) => (turn.unreadable || touched.has(turn.turn) ? closed(turn) : turn))
      : block,
  );
  const open = state.openQuestion;
  return { ...state, blocks, openQuestion: open && touched.has(open.turn) ? null : open };
}

/**
 * Returns the state after stored events, some of which may be missing. Skips each gap and
 * records it in `gaps`, shows lines and replies without a beginning as unreadable, and applies
 * everything after a gap. Pure.
 */
export function applyStoredEvents(
  state: SessionState,
  { events, gaps, turnCount }: ReadEvents,
): SessionState {
  if (gaps.length === 0) return applyEvents(state, events);
  let folded = state;
  let from = 0;
  for (const gap of gaps) {
    const to = events.findIndex(({ seq }, index) => index >= from && seq > gap.toSeq);
    const end = to === -1 ? events.length : to;
    const before = events.slice(from, end).filter(({ seq }) => seq < gap.fromSeq);
    folded = skip(applyEvents(folded, before, withMissingState), gap);
    from += before.length;
  }
  folded = fillTurns(applyEvents(folded, events.slice(from), withMissingState), turnCount);
  return closeTouched(folded, folded.gaps ?? []);
}
