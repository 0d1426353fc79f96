import { appError } from '#shared/app-error';
import type { QueuedLine } from '#shared/line-queue';
import { err, ok, type Result } from '#shared/result';
import type { Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type QuestionState, type SessionState } from '#shared/session-state';
import type { WindowActionCall } from '#shared/window-action';
import type { TurnReport } from '../session/turn-work';
import { sentFact, type NewLine } from '../session/session-line';
import { leavingFacts } from '../session/turn-place';
import { titleByCommand } from '../session/session-title';
import { noPendingWork, type ActionExecutor, type ActionExecutorDeps } from './action-executor';
import { sessionTools } from './check-command';
import { answerFacts } from './question-facts';

export interface LineToRoute extends NewLine {
  /** Whether pickers can be shown. */
  readonly ui: boolean;
  /** A line for the model continues a paused queue: its lines follow in order. */
  readonly resumesQueue?: boolean;
}

/** A routed line: its turn, the decision, and the promise of its answer. */
export interface RoutedLine {
  /** The turn of the line; for a line that waits, the turn that it waits for. */
  readonly turn: number;
  /** Present while the line waits. */
  readonly lineId?: string;
  readonly routing: Routing;
  /** Resolves to null when no model and no run answers the line. */
  readonly done: Promise<TurnReport | null>;
  /** The session that the line's command opens. */
  readonly opened?: string;
  /** What the line's command asks the window, or the terminal, to do. */
  readonly windowAction?: WindowActionCall;
  /** The pending line that waited for this answer, routed separately. */
  readonly next?: RoutedLine;
}

/** The router's question that the next line may answer; null when none is open. */
export function openQuestionOf(state: SessionState): QuestionState | null {
  const { openQuestion } = state;
  if (!openQuestion) return null;
  const questions = turnAt(state, openQuestion.turn)?.questions ?? [];
  return questions.find(({ questionId }) => questionId === openQuestion.questionId) ?? null;
}

interface Line {
  readonly request: LineToRoute;
  readonly state: SessionState;
  readonly routing: Routing;
  /** The facts about the question that was open before the line. */
  readonly before: readonly SessionFact[];
  /** The waiting line that becomes this turn. */
  readonly lineId?: string;
}

/** Records a line that the host handles, with the question it raises. */
function recordLine(
  executor: ActionExecutor,
  { request, state, routing, before, lineId }: Line,
): Result<null> {
  const { sessionId, text } = request;
  const turn = state.turnCount;
  const { action, trace } = routing;
  const repeatsQuestion = trace.question?.reading === 'weak-yes';
  const sent = sentFact(request, state, lineId);
  const routed: SessionFact = { type: 'input-routed', turn, ...routing };
  const askedQuestion =
    action.type === 'ask-clarifying-question'
      ? [executor.questionFact(state, turn, action, repeatsQuestion)]
      : [];
  return executor.record(sessionId, [
    ...before,
    ...titleByCommand(state, text),
    sent,
    routed,
    ...askedQuestion,
  ]);
}

async function recordAndExecute(executor: ActionExecutor, line: Line): Promise<Result<RoutedLine>> {
  const recorded = recordLine(executor, line);
  if (!recorded.ok) return recorded;
  const { state, routing } = line;
  const turn = state.turnCount;
  // `recordLine` has already recorded a question; only a command still needs execution.
  const acted =
    routing.action.type === 'invoke-command'
      ? await executor.execute(state, turn, routing.action)
      : ok(noPendingWork);
  if (!acted.ok) return acted;
  const { pending, opened, windowAction } = acted.value;
  const done = pending ?? Promise.resolve(null);
  return ok({
    turn,
    routing,
    done,
    ...(opened !== undefined && { opened }),
    ...(windowAction && { windowAction }),
  });
}

/** Whether a routed line is a command that takes effect only when the running stage ends. */
function waitsForStage({ plane, conversation }: ActionExecutorDeps, { request, routing }: Line): boolean {
  const { action } = routing;
  if (action.type !== 'invoke-command' || !conversation.commandWaits(request.sessionId)) return false;
  return sessionTools.has(plane.command(action.commandId)?.toolName ?? '');
}

/** Executes a command that waited in the queue, as it was routed when it was typed. */
export async function runWaitingCommand(
  executor: ActionExecutor,
  sessionId: string,
  queued: QueuedLine,
): Promise<Result<RoutedLine>> {
  const opened = executor.opened(sessionId);
  if (!opened.ok) return opened;
  const { lineId, when: _when, routing, ...input } = queued;
  if (!routing) return err(appError('HOST', 'STATE', 'This line was not routed.'));
  const request: LineToRoute = { ...input, sessionId, ui: true };
  return recordAndExecute(executor, { request, state: opened.value, routing, before: [], lineId });
}

/** A turn whose command a line waited for. */
interface ResumePlace {
  readonly sessionId: string;
  readonly turn: number;
  readonly askedIn?: number;
}

/**
 * Routes the line that waited for a turn's command, if that command succeeded, with what was attached to and chosen
 * for it in the turn `askedIn`; absent: the turn of the command.
 */
export async function resumeLine(
  deps: ActionExecutorDeps,
  executor: ActionExecutor,
  { sessionId, turn, askedIn = turn }: ResumePlace,
  resume: string | undefined,
  ui: boolean,
): Promise<Result<RoutedLine> | null> {
  const state = executor.opened(sessionId);
  const done = state.ok ? turnAt(state.value, turn) : undefined;
  if (resume === undefined || done?.command?.status !== 'done') return null;
  const { runMode, model } = done;
  const { items, parameters, workspace } = (state.ok && turnAt(state.value, askedIn)) || done;
  const attached = { ...(items && { items: [...items] }), ...(parameters && { parameters }) };
  const line = { ...attached, ...(workspace && { workspace }) };
  return submitLine(deps, executor, { ...line, sessionId, text: resume, runMode, model, ui });
}

/** Adds the line that waited, if the routed line answered a question with a command. */
async function withNext(
  deps: ActionExecutorDeps,
  executor: ActionExecutor,
  { request: { sessionId, ui }, state }: Line,
  routed: RoutedLine,
  question: QuestionState | null,
): Promise<Result<RoutedLine>> {
  const { action, trace } = routed.routing;
  const reading = trace.question?.reading ?? 'no-answer';
  if (action.type !== 'invoke-command' || reading === 'no-answer') return ok(routed);
  const place = { sessionId, turn: routed.turn, askedIn: state.openQuestion?.turn ?? routed.turn };
  const next = await resumeLine(deps, executor, place, question?.resume, ui);
  if (!next) return ok(routed);
  return next.ok ? ok({ ...routed, next: next.value }) : next;
}

/** Routes a line before any model sees it, records it with its trace, and executes the one action. */
export async function submitLine(
  deps: ActionExecutorDeps,
  executor: ActionExecutor,
  request: LineToRoute,
): Promise<Result<RoutedLine>> {
  const { plane } = deps;
  const { sessionId, ui, text } = request;
  const first = executor.opened(sessionId);
  if (!first.ok) return first;
  if (request.parent !== undefined) {
    const left = deps.conversation.leavable(sessionId, request.parent);
    if (!left.ok) return left;
  }
  await plane.warm(text, { state: first.value, ui });
  // Read the state again, because a card may have been answered while the sources were loading.
  const now = executor.opened(sessionId);
  if (!now.ok) return now;
  const state = now.value;
  const leaves = request.parent !== undefined;
  // A line that continues from another turn withdraws the open question.
  const question = leaves ? null : openQuestionOf(state);
  const routing = plane.route(text, { state, ui, question });
  const answers = question ? answerFacts(question, text, state, routing) : [];
  const before = leaves ? leavingFacts(state) : answers;
  const { action } = routing;
  const line = { request, state, routing, before };
  return action.type !== 'continue-with-llm' || action.reasonCode === 'question-declined'
    ? handleLine(deps, executor, line, question)
    : sendToModel(deps, line);
}

/** Executes the action of a line that the host handles, or lets it wait for the end of the stage. */
async function handleLine(
  deps: ActionExecutorDeps,
  executor: ActionExecutor,
  line: Line,
  question: QuestionState | null,
): Promise<Result<RoutedLine>> {
  const { request, routing, before } = line;
  if (question?.resume === undefined && waitsForStage(deps, line)) {
    const queued = deps.conversation.queueCommand(request, { routing, before });
    return queued.ok ? ok({ ...queued.value, routing }) : queued;
  }
  const routed = await recordAndExecute(executor, line);
  return routed.ok ? withNext(deps, executor, line, routed.value, question) : routed;
}

function sendToModel({ conversation }: ActionExecutorDeps, line: Line): Result<RoutedLine> {
  const { request, routing, before } = line;
  const sent = conversation.send(request, { routing, before });
  if (!sent.ok) return sent;
  if (request.resumesQueue === true) conversation.resumeQueue(request.sessionId);
  return ok({ ...sent.value, routing });
}
