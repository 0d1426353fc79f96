import { applyRouteEvent, replyPlace, type RouteTurnFact } from './apply-route-event';
import { applyRunEvent, type RunFact } from './apply-run-event';
import { applyWorkflowEvent, type WorkflowFact } from './apply-workflow-event';
import { withoutDirectionControls } from './direction-controls';
import { applyWorkspaceFact, inheritWorkspace, type WorkspaceFact } from './apply-workspace-event';
import { applyCompactionFact } from './compaction';
import { applyQueueFact, withoutLine, type SteeredLine } from './line-queue';
import { zeroSpent } from './run-spent';
import { sentInNow } from './sent-in';
import type { FactOf, SessionEvent, SessionFact } from './session-event';
import { addSpent, spentBy } from './spent';
import { marksAfter, usedAt } from './session-marks';
import { turnsPerBlock, type RunState, type SessionState, type Turn, type TurnBlocks } from './session-state';

type Numbered = Pick<SessionEvent, 'at' | 'seq'>;
/** The fields that one event changes; `seq`, `marks` and `updatedAt` follow for every event. */
type Changes = Partial<SessionState>;

function replaceBlock(blocks: TurnBlocks, index: number, block: readonly Turn[]): TurnBlocks {
  const next = blocks.slice();
  next[index] = block;
  return next;
}

/** Appends a turn to the state. */
export function placeTurn(state: SessionState, turn: Turn): SessionState {
  const index = Math.floor(turn.turn / turnsPerBlock);
  const block = [...(state.blocks[index] ?? []), turn];
  return {
    ...state,
    turnCount: turn.turn + 1,
    head: turn.turn,
    blocks: replaceBlock(state.blocks, index, block),
  };
}

function addTurn(state: SessionState, event: FactOf<'message-sent'> & Numbered): Changes {
  const { turn, text, runMode, model, items, workspace, parameters, review, parent, regenerates, at } = event;
  const { unreadable } = event;
  const sentIn = sentInNow(state);
  const chosen = {
    ...(items && { items }),
    ...(sentIn && { sentIn }),
    ...(workspace && { workspace }),
    ...(parameters && { parameters }),
    ...(review && { review }),
  };
  const place = {
    ...(parent !== undefined && { parent }),
    ...(regenerates !== undefined && { regenerates }),
    ...(unreadable && { unreadable }),
  };
  const placed = placeTurn(state, { turn, text, at, runMode, model, ...chosen, ...place });
  return event.lineId === undefined ? placed : { ...placed, queue: withoutLine(state.queue, event.lineId) };
}

function changeTurn(state: SessionState, turn: number, change: (turn: Turn) => Turn): Changes {
  const index = Math.floor(turn / turnsPerBlock);
  const block = state.blocks[index]?.slice();
  const old = block?.[turn % turnsPerBlock];
  if (!block || !old) return {};
  block[turn % turnsPerBlock] = change(old);
  return { blocks: replaceBlock(state.blocks, index, block) };
}

export function startReply(
  turn: Turn,
  event: Pick<FactOf<'reply-started'> & Numbered, 'model' | 'providerName' | 'at'>,
): Turn {
  const { model, providerName, at } = event;
  return { ...turn, reply: { status: 'streaming', model, providerName, text: '', startedAt: at } };
}

function endReply(turn: Turn, event: FactOf<'reply-ended'> & Numbered): Turn {
  if (!turn.reply) return turn;
  const { outcome, usage, error, at } = event;
  const ending = { status: outcome, endedAt: at, ...(usage && { usage }), ...(error && { error }) };
  const { delayed: _over, ...reply } = turn.reply;
  return { ...turn, reply: { ...reply, ...ending } };
}

function extendReply(turn: Turn, text: string): Turn {
  if (!turn.reply) return turn;
  const { delayed: _over, ...reply } = turn.reply;
  return { ...turn, reply: { ...reply, text: reply.text + text } };
}

function thinkReply(turn: Turn, { text, ms }: FactOf<'reply-thought'>): Turn {
  if (!turn.reply) return turn;
  const { delayed: _over, thinking, ...reply } = turn.reply;
  return { ...turn, reply: { ...reply, thinking: { text: (thinking?.text ?? '') + text, ms } } };
}

function delayReply(turn: Turn, { error, waitMs, at }: FactOf<'reply-delayed'> & Numbered): Turn {
  const delayed = { error, retryAt: at + waitMs };
  if (turn.run) return { ...turn, run: { ...turn.run, delayed } };
  return turn.reply ? { ...turn, reply: { ...turn.reply, delayed } } : turn;
}

function startRun(turn: Turn, event: FactOf<'run-started'> & Numbered): Turn {
  const { runId, goal, at, budgets, source } = event;
  const empty = { nodes: [], writes: [], approvals: [] };
  const limits = budgets && { budgets, spent: zeroSpent(at) };
  const run = { runId, goal, status: 'planning' as const, startedAt: at, ...empty, ...limits };
  return { ...turn, run: { ...run, ...(source && { source }) } };
}

function changeRun(state: SessionState, event: RunFact): Changes {
  return changeTurn(state, event.turn, (turn) => {
    if (!turn.run) return turn;
    const { delayed: _over, ...run } = turn.run;
    return { ...turn, run: applyRunEvent(run, event) };
  });
}

/** Counts a call for its turn; the usage of a reply or run is counted when it ends. */
function callModel(state: SessionState, event: FactOf<'model-called'> & Numbered): Changes {
  const call = spentBy(event.model, event.usage);
  return changeTurn(state, event.turn, (turn) => {
    const counted = call ? { ...turn, spent: addSpent(turn.spent ?? [], [call]) } : turn;
    if (!counted.run || event.runId === undefined) return counted;
    const { delayed: _over, ...run } = counted.run;
    return { ...counted, run: applyRunEvent(run, event) };
  });
}

/** A run with one more line; a plan that waited when the line came does not run. */
function withSteered({ proposal, ...run }: RunState, line: SteeredLine): RunState {
  const waits = proposal && !line.planning ? { proposal } : {};
  return { ...run, ...waits, steered: [...(run.steered ?? []), line] };
}

function steerRun(state: SessionState, fact: FactOf<'line-steered'>): Changes {
  const { turn, lineId, runId, stage, planning } = fact;
  const line = state.queue?.lines.find((one) => one.lineId === lineId);
  if (!line) return {};
  const how = { ...(planning && { planning }), ...(line.when === 'now' && { now: true as const }) };
  const steered = { lineId, stage, text: line.text, ...how };
  const taken = changeTurn(state, turn, (old) =>
    old.run?.runId === runId ? { ...old, run: withSteered(old.run, steered) } : old,
  );
  return { ...taken, queue: withoutLine(state.queue, lineId) };
}

const changeQueue = (state: SessionState, event: Parameters<typeof applyQueueFact>[1]): Changes => ({
  queue: applyQueueFact(state.queue, event),
});

const changeRoute = (state: SessionState, event: RouteTurnFact): Changes =>
  changeTurn(state, event.turn, (turn) => applyRouteEvent(turn, event));

function askQuestion(state: SessionState, event: FactOf<'question-asked'>): Changes {
  const { questionId, asker } = event.question;
  const open = asker === 'router' ? { openQuestion: { turn: event.turn, questionId } } : {};
  return { ...changeRoute(state, event), ...open };
}

function closeQuestion(
  state: SessionState,
  event: FactOf<'question-answered'> | FactOf<'question-withdrawn'>,
): Changes {
  const open = state.openQuestion?.questionId === event.questionId ? null : state.openQuestion;
  return { ...changeRoute(state, event), openQuestion: open };
}

function changeWorkflow(state: SessionState, event: WorkflowFact & Numbered): Changes {
  const { state: changes, moment } = applyWorkflowEvent(state, event);
  if (!moment || event.type === 'workflows-pinned' || event.turn === null) return changes;
  const show = (turn: Turn): Turn => {
    const entry = { ...moment, questionsBefore: turn.questions?.length ?? 0, ...replyPlace(turn) };
    return { ...turn, workflow: [...(turn.workflow ?? []), entry] };
  };
  return { ...changes, ...changeTurn(state, event.turn, show) };
}

const changeWorkspace = (state: SessionState, event: WorkspaceFact & Numbered): Changes => ({
  workspace: applyWorkspaceFact(state.workspace, event),
});

/** Maximum model calls per turn in the state; the events contain all of them. */
const maxSteps = 50;

function startStep(state: SessionState, event: FactOf<'model-step-started'>): Changes {
  const { turn, part, snapshot, promptPack, toolCatalog, blocks, tools } = event;
  const step = { part, snapshot, promptPack, toolCatalog, blocks, tools };
  const newHashes = Object.keys(event.texts).filter((hash) => !state.sentTexts.includes(hash));
  const change = (old: Turn): Turn => ({
    ...old,
    steps: [...(old.steps ?? []).slice(-(maxSteps - 1)), step],
  });
  const { imageSnapshots = [] } = state;
  const snapshots = event.images && !imageSnapshots.includes(snapshot) ? [...imageSnapshots, snapshot] : null;
  return {
    ...changeTurn(state, turn, change),
    sentTexts: [...state.sentTexts, ...newHashes],
    ...(snapshots && { imageSnapshots: snapshots }),
  };
}

/** One fold per fact; a missing fold does not compile. */
const folds: {
  readonly [T in SessionFact['type']]: (state: SessionState, event: FactOf<T> & Numbered) => Changes;
} = {
  'session-created': (_state, { title, project, workflows, workspace, at }) => ({
    title: withoutDirectionControls(title),
    project,
    createdAt: at,
    ...(workflows && { workflowPin: workflows }),
    workspace: inheritWorkspace(workspace, at),
  }),
  'session-forked': (_state, { from, turns }) => ({ forked: { from, turns } }),
  'session-renamed': (_state, { title }) => ({ title: withoutDirectionControls(title) }),
  'session-archived': () => ({ archived: true }),
  'session-restored': () => ({ archived: false }),
  'session-marked': () => ({}),
  'project-chosen': (_state, { project }) => ({ project }),
  'message-sent': addTurn,
  'branch-chosen': (_state, { turn }) => ({ head: turn }),
  'history-compacted': (state, event) => ({ compactions: applyCompactionFact(state, event) }),
  'compaction-undone': (state, event) => ({ compactions: applyCompactionFact(state, event) }),
  'instructions-changed': (_state, { text }) => ({ instructions: text }),
  'parameters-changed': (_state, { parameters }) => ({ parameters }),
  'line-queued': changeQueue,
  'line-edited': changeQueue,
  'line-withdrawn': changeQueue,
  'line-moved': changeQueue,
  'line-steered': steerRun,
  'queue-paused': changeQueue,
  'queue-resumed': changeQueue,
  'reply-started': (state, event) => changeTurn(state, event.turn, (turn) => startReply(turn, event)),
  'reply-delayed': (state, event) => changeTurn(state, event.turn, (turn) => delayReply(turn, event)),
  'reply-thought': (state, event) => changeTurn(state, event.turn, (turn) => thinkReply(turn, event)),
  'reply-extended': (state, event) => changeTurn(state, event.turn, (turn) => extendReply(turn, event.text)),
  'reply-ended': (state, event) => changeTurn(state, event.turn, (turn) => endReply(turn, event)),
  'run-started': (state, event) => changeTurn(state, event.turn, (turn) => startRun(turn, event)),
  'plan-proposed': changeRun,
  'plan-reviewed': changeRun,
  'plan-made': changeRun,
  'replan-started': changeRun,
  'plan-revised': changeRun,
  'replan-failed': changeRun,
  'node-started': changeRun,
  'attempt-failed': changeRun,
  'node-progressed': changeRun,
  'model-called': callModel,
  'write-intended': changeRun,
  'write-refused': changeRun,
  'tool-called': changeRun,
  'approval-requested': changeRun,
  'approval-answered': changeRun,
  'approval-edited': changeRun,
  'grants-given': changeRun,
  'run-resumed': changeRun,
  'run-paused': changeRun,
  'run-continued': changeRun,
  'write-settled': changeRun,
  'write-undo-intended': changeRun,
  'write-undone': changeRun,
  'stage-ended': changeRun,
  'planning-started': changeRun,
  'model-step-ended': changeRun,
  'planning-answered': changeRun,
  'node-ended': changeRun,
  'run-ended': changeRun,
  'run-interrupted': changeRun,
  'host-tool-called': changeRoute,
  'input-routed': changeRoute,
  'picker-chosen': changeRoute,
  'picker-closed': changeRoute,
  'question-asked': askQuestion,
  'question-answered': closeQuestion,
  'question-withdrawn': closeQuestion,
  'command-invoked': changeRoute,
  'command-ended': changeRoute,
  'session-branched': changeRoute,
  'mode-changed': (_state, { to }) => ({ modeId: to }),
  'context-changed': (_state, { context }) => ({ context }),
  'workflow-started': changeWorkflow,
  'workflow-inputs-given': changeWorkflow,
  'workflow-step-ended': changeWorkflow,
  'workflow-approval-answered': changeWorkflow,
  'workflow-approval-used': changeWorkflow,
  'workflow-error-raised': changeWorkflow,
  'workflow-error-answered': changeWorkflow,
  'workflow-ended': changeWorkflow,
  'workflows-pinned': changeWorkflow,
  'workspace-sync-requested': changeWorkspace,
  'workspace-sync-unchanged': changeWorkspace,
  'workspace-snapshot-ready': changeWorkspace,
  'workspace-snapshot-rejected': changeWorkspace,
  'workspace-apply-requested': changeWorkspace,
  'snapshot-applied': changeWorkspace,
  'workspace-content-chosen': changeWorkspace,
  'model-step-started': startStep,
};

/**
 * Returns the state after one more event. Pure; main, the window and replay all use it, so they agree. An
 * event that is not the next in `seq` changes nothing; the caller detects the gap and fetches a snapshot.
 */
export function applyEvent(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq !== state.seq + 1) return state;
  // The table pairs each type with its fold; the compiler checks every row but cannot follow the lookup.
  const fold = folds[event.type] as (state: SessionState, event: SessionEvent) => Changes;
  return {
    ...state,
    ...fold(state, event),
    seq: event.seq,
    marks: marksAfter(state.marks, event),
    updatedAt: usedAt(state.updatedAt, event),
  };
}

type Piece = FactOf<'reply-extended'> & Numbered;

/** Consecutive pieces of one reply beginning at `start`; empty when that event is not a piece. */
function piecesFrom(events: readonly SessionEvent[], start: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let index = start; index < events.length; index += 1) {
    const event = events[index];
    const last = pieces.at(-1) ?? event;
    if (event?.type !== 'reply-extended' || last?.type !== 'reply-extended') break;
    if (event.turn !== last.turn || (event !== last && event.seq !== last.seq + 1)) break;
    pieces.push(event);
  }
  return pieces;
}

/** Applies pieces of one reply as if they were one; `last` is the last of them. */
function applyPieces(state: SessionState, pieces: readonly Piece[], { turn, seq, at }: Piece): SessionState {
  const text = pieces.map((piece) => piece.text).join('');
  const changes = changeTurn(state, turn, (old) => extendReply(old, text));
  return { ...state, ...changes, seq, updatedAt: at };
}

/**
 * Returns the same state as calling `applyEvent` for each event in order. Joins consecutive pieces of a reply
 * first, because they are most events of a long session and each would copy its turn's block. `prepare`
 * changes the state before an event is applied.
 */
export function applyEvents(
  state: SessionState,
  events: readonly SessionEvent[],
  prepare: (state: SessionState, event: SessionEvent) => SessionState = (same) => same,
): SessionState {
  let folded = state;
  for (let index = 0; index < events.length; index += 1) {
    const event = events[index];
    if (event?.seq !== folded.seq + 1) continue;
    const pieces = piecesFrom(events, index);
    const last = pieces.at(-1);
    folded = prepare(folded, event);
    folded = last ? applyPieces(folded, pieces, last) : applyEvent(folded, event);
    index += Math.max(0, pieces.length - 1);
  }
  return folded;
}
