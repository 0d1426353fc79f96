import { appError } from '#shared/app-error';
import { asksFirst } from '#shared/command';
import { err, ok, type Result } from '#shared/result';
import type { Action, Question, Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type QuestionState, type SessionState, type Turn } from '#shared/session-state';
import type { Ids } from '../ports/ids';
import type { Conversation, SendRequest, TurnReport } from '../session/conversation';
import type { SessionLog } from '../session/session-log';
import type { CommandDesk } from './command-desk';
import type { ControlPlane, RoutePlace } from './control-plane';
import type { ModelQuestions } from './model-questions';
import { answerFacts, questionFrom } from './question-facts';

export type LineRequest = Omit<SendRequest, 'routing' | 'before'> & {
  /** Whether pickers can be shown. */
  readonly ui: boolean;
};

/** A routed line: where it stands, what was decided, and what comes of it when that takes time. */
export interface RoutedLine {
  readonly turn: number;
  readonly routing: Routing;
  /** Null when no model and no run answers it. */
  readonly done: Promise<TurnReport | null>;
  /** A session the line's command leads to. */
  readonly opened?: string;
}

/** Where lines of input, choices and answers come in: each is routed, recorded, and acted on once. */
export interface LineDesk {
  /** Routes a line before any model sees it; lines of one session keep their order. */
  send(request: LineRequest): Promise<Result<RoutedLine>>;
  /** Routes a line without recording or doing anything, held against the session's open question. */
  preview(text: string, place: RoutePlace): Promise<Routing>;
  /** Takes an item of a turn's open picker. */
  choose(sessionId: string, turn: number, id: string): Promise<Result<Taken>>;
  /** Closes a turn's picker; `model` sends its line on. */
  closePicker(sessionId: string, turn: number, then: 'nothing' | 'model'): Result<Taken>;
  /** Answers a question on its card. */
  answer(place: QuestionPlace): Promise<Result<{ readonly opened: string | null }>>;
}

export interface QuestionPlace {
  readonly sessionId: string;
  readonly turn: number;
  readonly questionId: string;
  readonly option: string;
}

export interface LineDeskDeps {
  readonly plane: ControlPlane;
  readonly log: SessionLog;
  readonly conversation: Conversation;
  readonly commands: CommandDesk;
  readonly questions: ModelQuestions;
  readonly ids: Ids;
}

/** A line, choice or answer that no command came of. */
export interface Taken {
  readonly going: RoutedLine['done'] | null;
  readonly opened?: string;
}

const nothing: Taken = { going: null };
const noPicker = appError('HOST', 'STATE', 'That picker is no longer open.');
const noQuestion = appError('HOST', 'STATE', 'That question is no longer open.');

/** The router's question that may own the next line, if there is one. */
function openQuestionOf(state: SessionState): QuestionState | null {
  const { openQuestion } = state;
  if (!openQuestion) return null;
  const questions = turnAt(state, openQuestion.turn)?.questions ?? [];
  return questions.find(({ questionId }) => questionId === openQuestion.questionId) ?? null;
}

/** Runs what belongs to one session one after another. */
function createOrder() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(sessionId: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(sessionId) ?? Promise.resolve();
    const next = before.then(work, work);
    last.set(sessionId, next);
    void next.finally(() => {
      if (last.get(sessionId) === next) last.delete(sessionId);
    });
    return next;
  };
}

export function createLineDesk(deps: LineDeskDeps): LineDesk {
  const { plane, log, conversation } = deps;
  const inOrder = createOrder();

  const opened = (sessionId: string): Result<SessionState> => {
    const session = log.open(sessionId);
    if (!session.ok) return session;
    return session.value.readOnly ? err(session.value.readOnly) : ok(session.value.state);
  };
  const record = (sessionId: string, facts: readonly SessionFact[]): Result<null> => {
    const appended = facts.length === 0 ? ok(null) : log.append(sessionId, facts);
    return appended.ok ? ok(null) : appended;
  };

  const ask = (state: SessionState, action: Action & { type: 'ask-clarifying-question' }, again = false) => {
    const command = action.commandId === undefined ? undefined : plane.command(action.commandId);
    const question: Question = questionFrom(action, {
      questionId: deps.ids.next('qst'),
      binding: command !== undefined && asksFirst(command),
      yesWords: command?.confirmation?.yesWords ?? [],
      mode: plane.modeOf(state).key,
      focusId: state.context?.entityHeader?.id ?? null,
      asked: again ? 2 : 1,
    });
    return question;
  };

  /** What an action does on a recorded line. */
  const act = async (state: SessionState, turn: number, action: Action): Promise<Result<Taken>> => {
    const sessionId = state.id;
    if (action.type === 'invoke-command') {
      const { commandId, resolvedId: id } = action;
      return deps.commands.run({ sessionId, turn, commandId, id });
    }
    if (action.type === 'ask-clarifying-question') {
      const asked = record(sessionId, [{ type: 'question-asked', turn, question: ask(state, action) }]);
      return asked.ok ? ok(nothing) : asked;
    }
    if (action.type === 'open-picker' || action.reasonCode === 'question-declined') return ok(nothing);
    const resumed = conversation.resume({ sessionId, turn });
    return resumed.ok ? ok({ going: resumed.value.done }) : resumed;
  };

  /** Records a line that is not the model's, with all that its routing means for an open question. */
  const take = async (
    request: LineRequest,
    state: SessionState,
    routing: Routing,
    before: readonly SessionFact[],
  ): Promise<Result<RoutedLine>> => {
    const { sessionId, text, runMode, model } = request;
    const turn = state.turnCount;
    const { action } = routing;
    const again = routing.trace.question?.reading === 'weak-yes';
    const asked: readonly SessionFact[] =
      action.type === 'ask-clarifying-question'
        ? [{ type: 'question-asked', turn, question: ask(state, action, again) }]
        : [];
    const sent: SessionFact = { type: 'message-sent', turn, text, runMode, model };
    const routed: SessionFact = { type: 'input-routed', turn, ...routing };
    const recorded = record(sessionId, [...before, sent, routed, ...asked]);
    if (!recorded.ok) return recorded;
    if (action.type !== 'invoke-command') return ok({ turn, routing, done: Promise.resolve(null) });
    const { commandId, resolvedId: id } = action;
    const ended = await deps.commands.run({ sessionId, turn, commandId, id });
    if (!ended.ok) return ended;
    const { going, opened: other } = ended.value;
    const done = going ?? Promise.resolve(null);
    return ok({ turn, routing, done, ...(other !== undefined && { opened: other }) });
  };

  const send = async (request: LineRequest): Promise<Result<RoutedLine>> => {
    const first = opened(request.sessionId);
    if (!first.ok) return first;
    await plane.warm({ state: first.value, ui: request.ui });
    // What came while the sources were read counts: a card may have been answered.
    const now = opened(request.sessionId);
    if (!now.ok) return now;
    const state = now.value;
    const question = openQuestionOf(state);
    const routing = plane.route(request.text, { state, ui: request.ui, question });
    const before = question ? answerFacts(question, request.text, state, routing) : [];
    const { action } = routing;
    if (action.type !== 'continue-with-llm' || action.reasonCode === 'question-declined') {
      return take(request, state, routing, before);
    }
    const sent = conversation.send({ ...request, routing, before });
    return sent.ok ? ok({ ...sent.value, routing }) : sent;
  };

  const pickerOf = (state: SessionState, turn: number): Turn | null => {
    const line = turnAt(state, turn);
    return line?.route?.picker?.status === 'open' ? line : null;
  };

  const choose = async (sessionId: string, turn: number, id: string): Promise<Result<Taken>> => {
    const state = opened(sessionId);
    if (!state.ok) return state;
    const action = pickerOf(state.value, turn)?.route?.action;
    if (action?.type !== 'open-picker') return err(noPicker);
    const found = plane.find(state.value, action.source, id);
    if (!found) return err(appError('HOST', 'NOT_FOUND', `There is no “${id}” to choose any more.`));
    const commandId = plane.executableOf(action.commandId);
    const item = found.item.header;
    const chosen = record(sessionId, [{ type: 'picker-chosen', turn, commandId, item }]);
    if (!chosen.ok) return chosen;
    return act(state.value, turn, plane.actionFor(state.value, commandId, item.id));
  };

  const answerOwn = async (state: SessionState, place: QuestionPlace, question: QuestionState) => {
    const { turn, questionId, option } = place;
    const { reading, action } = plane.actOn(option, question, state);
    if (reading === 'no-answer' || !action) return err(noQuestion);
    const answered: SessionFact = { type: 'question-answered', turn, questionId, option, by: 'card' };
    const picker = action.type === 'open-picker' ? [rerouted(state, turn, action)] : [];
    const recorded = record(state.id, [answered, ...picker]);
    if (!recorded.ok) return recorded;
    const acted = await act(state, turn, action);
    return acted.ok ? ok({ opened: acted.value.opened ?? null }) : acted;
  };

  return {
    send: (request) => inOrder(request.sessionId, () => send(request)),
    async preview(text, place) {
      await plane.warm(place);
      const question = place.state ? openQuestionOf(place.state) : null;
      return plane.route(text, { question, ...place });
    },
    choose: (sessionId, turn, id) => inOrder(sessionId, () => choose(sessionId, turn, id)),
    closePicker(sessionId, turn, then) {
      const state = opened(sessionId);
      if (!state.ok) return state;
      if (!pickerOf(state.value, turn)) return err(noPicker);
      const closed = record(sessionId, [{ type: 'picker-closed', turn, then }]);
      if (!closed.ok || then === 'nothing') return closed.ok ? ok(nothing) : closed;
      const resumed = conversation.resume({ sessionId, turn });
      return resumed.ok ? ok({ going: resumed.value.done }) : resumed;
    },
    answer: (place) =>
      inOrder(place.sessionId, async () => {
        const state = opened(place.sessionId);
        if (!state.ok) return state;
        const asked = turnAt(state.value, place.turn)?.questions ?? [];
        const question = asked.find(({ questionId }) => questionId === place.questionId);
        // A tool's question is known by its id alone: a call from the command line has no line to stand on.
        if (question?.asker !== 'router') return deps.questions.answer(place.questionId, place.option);
        if (question.status !== 'open') return err(noQuestion);
        return answerOwn(state.value, place, question);
      }),
  };
}

/** A picker that a yes led to stands on the question's own line; its trace is the line's. */
function rerouted(state: SessionState, turn: number, action: Action): SessionFact {
  const trace = turnAt(state, turn)?.route?.trace ?? {
    ...{ folded: '', mode: '', candidates: [], decision: 'The question was answered.', unavailable: [] },
  };
  return { type: 'input-routed', turn, action, trace };
}
