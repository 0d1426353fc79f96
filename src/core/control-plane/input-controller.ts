import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type QuestionState, type SessionState } from '#shared/session-state';
import type { ChoiceOutcome } from '#shared/window-action';
import { headTurn } from '#shared/turn-tree';
import {
  createActionExecutor,
  itemNotFound,
  noPendingWork,
  type ActionExecutor,
  type ActionExecutorDeps,
  type LineOutcome,
} from './action-executor';
import type { AppChange } from './command-runner';
import type { RouteInput } from './control-plane';
import type { AnswerOutcome, ModelQuestions, CardAnswer } from './model-questions';
import {
  openQuestionOf,
  resumeLine,
  runWaitingCommand,
  submitLine,
  type LineToRoute,
  type RoutedLine,
} from './submit-line';

/** Accepts lines of input, choices and answers; routes, records and executes each of them once. */
export type InputController = ReturnType<typeof createInputController>;

export interface InputControllerDeps extends ActionExecutorDeps {
  readonly questions: ModelQuestions;
}

interface Context {
  readonly deps: InputControllerDeps;
  readonly executor: ActionExecutor;
}

const errPickerClosed = appError('HOST', 'STATE', 'That picker is no longer open.');
const errQuestionClosed = appError('HOST', 'STATE', 'That question is no longer open.');

/** Runs the work of each session in order, one piece at a time. */
function createOrder() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(sessionId: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(sessionId) ?? Promise.resolve();
    const next = before.then(work, work);
    last.set(sessionId, next);
    const forget = (): void => {
      if (last.get(sessionId) === next) last.delete(sessionId);
    };
    next.then(forget, forget);
    return next;
  };
}

const openPicker = (state: SessionState, turn: number) => {
  const route = turnAt(state, turn)?.route;
  return route?.picker?.status === 'open' && route.action.type === 'open-picker' ? route.action : null;
};

async function choose(
  { deps, executor }: Context,
  place: Omit<CardAnswer, 'questionId' | 'option'>,
  id: string,
) {
  const { sessionId, turn } = place;
  const state = executor.opened(sessionId);
  if (!state.ok) return state;
  const action = openPicker(state.value, turn);
  if (!action) return err(errPickerClosed);
  const found = deps.plane.find(state.value, action.source, id);
  if (!found) return err(itemNotFound(id));
  const commandId = deps.plane.commandIdForChoice(state.value, action.commandId);
  const item = found.item.header;
  const chosen = executor.record(sessionId, [{ type: 'picker-chosen', turn, commandId, item }]);
  if (!chosen.ok) return chosen;
  const acted = await executor.execute(
    state.value,
    turn,
    deps.plane.actionFor(state.value, commandId, item.id),
  );
  if (!acted.ok) return acted;
  const next = await resumeLine(deps, executor, place, action.resume, true);
  if (!next) return acted;
  return next.ok ? ok({ ...acted.value, pending: next.value.done }) : next;
}

/** The facts that close a turn's open picker and its open router question. */
function closingFacts(state: SessionState, turn: number, then: 'nothing' | 'model'): readonly SessionFact[] {
  const questions = (turnAt(state, turn)?.questions ?? []).filter(
    ({ asker, status }) => asker === 'router' && status === 'open',
  );
  return [
    ...(openPicker(state, turn) ? [{ type: 'picker-closed' as const, turn, then }] : []),
    ...questions.map(({ questionId }) => ({
      type: 'question-withdrawn' as const,
      turn,
      questionId,
      reason: 'cancelled' as const,
    })),
  ];
}

/** Whether a turn has an ended command and no model answer, so that the model can still answer its line. */
function hasEndedCommand(state: SessionState, turn: number): boolean {
  const found = turnAt(state, turn);
  if (!found?.route || found.reply || found.run) return false;
  return found.command !== undefined && found.command.status !== 'running';
}

function closePicker(
  { executor }: Context,
  place: Omit<CardAnswer, 'questionId' | 'option'>,
  then: 'nothing' | 'model',
): Result<LineOutcome> {
  const { sessionId, turn } = place;
  const state = executor.opened(sessionId);
  if (!state.ok) return state;
  const closing = closingFacts(state.value, turn, then);
  const toModel = then === 'model' && hasEndedCommand(state.value, turn);
  if (closing.length === 0 && !toModel) return err(errPickerClosed);
  const closed = executor.record(sessionId, closing);
  if (!closed.ok) return closed;
  return then === 'model' ? executor.forwardToModel(sessionId, turn) : ok(noPendingWork);
}

/** Records a picker that a yes opened on the question's own line, with that line's trace. */
function rerouted(state: SessionState, turn: number, action: Routing['action']): readonly SessionFact[] {
  const trace = turnAt(state, turn)?.route?.trace;
  return trace && action.type === 'open-picker' ? [{ type: 'input-routed', turn, action, trace }] : [];
}

/** Whether a question is still valid; a change of mode or focus voids it. */
function holds({ deps }: Context, state: SessionState, question: QuestionState): boolean {
  const focusId = state.context?.entityHeader?.id ?? null;
  return question.mode === deps.plane.modeOf(state).key && question.focusId === focusId;
}

/** What the caller shows after a choice or an answer. */
export const choiceOutcome = ({ opened, windowAction }: Omit<LineOutcome, 'pending'>): ChoiceOutcome => ({
  opened: opened ?? null,
  ...(windowAction && { windowAction }),
});

async function answerOwn(context: Context, state: SessionState, place: CardAnswer, question: QuestionState) {
  const { turn, questionId, option } = place;
  const { deps, executor } = context;
  if (question.status !== 'open') return err(errQuestionClosed);
  if (!holds(context, state, question)) {
    const reason = 'question-withdrawn' as const;
    const withdrawn = executor.record(state.id, [{ type: 'question-withdrawn', turn, questionId, reason }]);
    return withdrawn.ok ? err(errQuestionClosed) : withdrawn;
  }
  const { reading, action } = deps.plane.actOn(option, question, state);
  if (reading === 'no-answer' || !action) return err(errQuestionClosed);
  const answered: SessionFact = { type: 'question-answered', turn, questionId, option, by: 'card' };
  const recorded = executor.record(state.id, [answered, ...rerouted(state, turn, action)]);
  if (!recorded.ok) return recorded;
  const acted = await executor.execute(state, turn, action);
  if (!acted.ok) return acted;
  const resume = action.type === 'invoke-command' ? question.resume : undefined;
  const next = await resumeLine(deps, executor, { sessionId: state.id, turn }, resume, true);
  return next && !next.ok ? next : ok(choiceOutcome(acted.value));
}

/** Continues the model on a new line after an answer to a card whose call is gone. */
async function continueAfterCard(
  { deps, executor }: Context,
  { sessionId }: CardAnswer,
  { line, opened }: AnswerOutcome,
) {
  const state = executor.opened(sessionId);
  const last = state.ok ? headTurn(state.value) : undefined;
  if (line !== undefined && last) {
    const { runMode, model } = last;
    await submitLine(deps, executor, { sessionId, text: line, runMode, model, ui: true });
  }
  return ok({ opened });
}

async function answer(context: Context, place: CardAnswer): Promise<Result<ChoiceOutcome>> {
  const state = context.executor.opened(place.sessionId);
  if (!state.ok) return state;
  const openQuestions = turnAt(state.value, place.turn)?.questions ?? [];
  const question = openQuestions.find(({ questionId }) => questionId === place.questionId);
  // A tool's question is found by its id alone, because a call from the command line has no turn.
  if (question?.asker !== 'router') {
    const answered = context.deps.questions.answer(place);
    return answered.ok ? continueAfterCard(context, place, answered.value) : answered;
  }
  return answerOwn(context, state.value, place, question);
}

/** The only entry point for what a person types, chooses or answers. */
export function createInputController(deps: InputControllerDeps) {
  const executor = createActionExecutor(deps);
  const context: Context = { deps, executor };
  const inOrder = createOrder();
  deps.conversation.onCommandLine((sessionId, line) =>
    inOrder(sessionId, () => runWaitingCommand(executor, sessionId, line)),
  );
  return {
    /** Routes a line before any model sees it; lines of one session run in order. */
    send: (request: LineToRoute): Promise<Result<RoutedLine>> =>
      inOrder(request.sessionId, () => submitLine(deps, executor, request)),
    /** Routes a line without recording or executing anything; considers the session's open question. */
    async preview(text: string, place: RouteInput): Promise<Routing> {
      await deps.plane.warm(text, place);
      const question = place.state ? openQuestionOf(place.state) : null;
      return deps.plane.route(text, { question, ...place });
    },
    /** Acts on a line that changes the app and no session; null for any other line. */
    async changeApp(text: string): Promise<Result<AppChange | null>> {
      const place = { state: null, ui: true };
      await deps.plane.warm(text, place);
      const { action } = deps.plane.route(text, place);
      if (action.type !== 'invoke-command') return ok(null);
      return deps.commands.changeApp({ commandId: action.commandId, id: action.resolvedId });
    },
    /** Chooses an item in a turn's open picker. */
    choose: (sessionId: string, turn: number, id: string): Promise<Result<LineOutcome>> =>
      inOrder(sessionId, () => choose(context, { sessionId, turn }, id)),
    /**
     * Closes a turn's picker or question. With `model`, the model answers its line, even if its command has
     * ended.
     */
    closePicker: (sessionId: string, turn: number, then: 'nothing' | 'model'): Result<LineOutcome> =>
      closePicker(context, { sessionId, turn }, then),
    /** Answers a question on its card. */
    answer: (place: CardAnswer): Promise<Result<ChoiceOutcome>> =>
      inOrder(place.sessionId, () => answer(context, place)),
  };
}
