import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type QuestionState, type SessionState } from '#shared/session-state';
import { createActor, goneItem, nothingGoes, type Actor, type ActorDeps, type Taken } from './act-on-line';
import type { RoutePlace } from './control-plane';
import type { Answered, ModelQuestions, QuestionPlace } from './model-questions';
import { openQuestionOf, resumeLine, takeLine, type LineRequest, type RoutedLine } from './take-line';

/** Where lines of input, choices and answers come in: each is routed, recorded, and acted on once. */
export interface LineDesk {
  /** Routes a line before any model sees it; lines of one session keep their order. */
  send(request: LineRequest): Promise<Result<RoutedLine>>;
  /** Routes a line without recording or doing anything, held against the session's open question. */
  preview(text: string, place: RoutePlace): Promise<Routing>;
  /** Takes an item of a turn's open picker. */
  choose(sessionId: string, turn: number, id: string): Promise<Result<Taken>>;
  /** Closes a turn's picker or question; `model` has the model answer its line, also after its command has ended. */
  closePicker(sessionId: string, turn: number, then: 'nothing' | 'model'): Result<Taken>;
  /** Answers a question on its card. */
  answer(place: QuestionPlace): Promise<Result<{ readonly opened: string | null }>>;
}

export interface LineDeskDeps extends ActorDeps {
  readonly questions: ModelQuestions;
}

interface Rim {
  readonly deps: LineDeskDeps;
  readonly actor: Actor;
}

const noPicker = appError('HOST', 'STATE', 'That picker is no longer open.');
const noQuestion = appError('HOST', 'STATE', 'That question is no longer open.');

/** Runs what belongs to one session one after another. */
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

async function choose({ deps, actor }: Rim, place: Omit<QuestionPlace, 'questionId' | 'option'>, id: string) {
  const { sessionId, turn } = place;
  const state = actor.opened(sessionId);
  if (!state.ok) return state;
  const action = openPicker(state.value, turn);
  if (!action) return err(noPicker);
  const found = deps.plane.find(state.value, action.source, id);
  if (!found) return err(goneItem(id));
  const commandId = deps.plane.takerOf(state.value, action.commandId);
  const item = found.item.header;
  const chosen = actor.record(sessionId, [{ type: 'picker-chosen', turn, commandId, item }]);
  if (!chosen.ok) return chosen;
  const acted = await actor.act(state.value, turn, deps.plane.actionFor(state.value, commandId, item.id));
  if (!acted.ok) return acted;
  const next = await resumeLine(deps, actor, place, action.resume, true);
  if (!next) return acted;
  return next.ok ? ok({ ...acted.value, going: next.value.done }) : next;
}

/** What closes when a turn's line is not dealt with by its card: its picker, and its open question of the router. */
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

/** Whether a command that ended stands on a turn that no model has answered: its line can still be the model's. */
function hasEndedCommand(state: SessionState, turn: number): boolean {
  const found = turnAt(state, turn);
  if (!found?.route || found.reply || found.run) return false;
  return found.command !== undefined && found.command.status !== 'running';
}

function closePicker(
  { actor }: Rim,
  place: Omit<QuestionPlace, 'questionId' | 'option'>,
  then: 'nothing' | 'model',
): Result<Taken> {
  const { sessionId, turn } = place;
  const state = actor.opened(sessionId);
  if (!state.ok) return state;
  const closing = closingFacts(state.value, turn, then);
  const toModel = then === 'model' && hasEndedCommand(state.value, turn);
  if (closing.length === 0 && !toModel) return err(noPicker);
  const closed = actor.record(sessionId, closing);
  if (!closed.ok) return closed;
  return then === 'model' ? actor.handOn(sessionId, turn) : ok(nothingGoes);
}

/** A picker that a yes led to stands on the question's own line, whose trace it keeps. */
function rerouted(state: SessionState, turn: number, action: Routing['action']): readonly SessionFact[] {
  const trace = turnAt(state, turn)?.route?.trace;
  return trace && action.type === 'open-picker' ? [{ type: 'input-routed', turn, action, trace }] : [];
}

/** Whether what a question was about still holds; a change of mode or focus voids it. */
function holds({ deps }: Rim, state: SessionState, question: QuestionState): boolean {
  const focusId = state.context?.entityHeader?.id ?? null;
  return question.mode === deps.plane.modeOf(state).key && question.focusId === focusId;
}

async function answerOwn(rim: Rim, state: SessionState, place: QuestionPlace, question: QuestionState) {
  const { turn, questionId, option } = place;
  const { deps, actor } = rim;
  if (question.status !== 'open') return err(noQuestion);
  if (!holds(rim, state, question)) {
    const reason = 'question-withdrawn' as const;
    const withdrawn = actor.record(state.id, [{ type: 'question-withdrawn', turn, questionId, reason }]);
    return withdrawn.ok ? err(noQuestion) : withdrawn;
  }
  const { reading, action } = deps.plane.actOn(option, question, state);
  if (reading === 'no-answer' || !action) return err(noQuestion);
  const answered: SessionFact = { type: 'question-answered', turn, questionId, option, by: 'card' };
  const recorded = actor.record(state.id, [answered, ...rerouted(state, turn, action)]);
  if (!recorded.ok) return recorded;
  const acted = await actor.act(state, turn, action);
  if (!acted.ok) return acted;
  const resume = action.type === 'invoke-command' ? question.resume : undefined;
  const next = await resumeLine(deps, actor, { sessionId: state.id, turn }, resume, true);
  return next && !next.ok ? next : ok({ opened: acted.value.opened ?? null });
}

/** What a model goes on with after a card that outlived its call, on a line of its own. */
async function goOn({ deps, actor }: Rim, { sessionId }: QuestionPlace, { line, opened }: Answered) {
  const state = actor.opened(sessionId);
  const last = state.ok ? turnAt(state.value, state.value.turnCount - 1) : undefined;
  if (line !== undefined && last) {
    const { runMode, model } = last;
    await takeLine(deps, actor, { sessionId, text: line, runMode, model, ui: true });
  }
  return ok({ opened });
}

async function answer(rim: Rim, place: QuestionPlace): Promise<Result<{ readonly opened: string | null }>> {
  const state = rim.actor.opened(place.sessionId);
  if (!state.ok) return state;
  const asked = turnAt(state.value, place.turn)?.questions ?? [];
  const question = asked.find(({ questionId }) => questionId === place.questionId);
  // A tool's question is known by its id alone: a call from the command line has no line to stand on.
  if (question?.asker !== 'router') {
    const answered = rim.deps.questions.answer(place);
    return answered.ok ? goOn(rim, place, answered.value) : answered;
  }
  return answerOwn(rim, state.value, place, question);
}

/** The one way in for what a person types, chooses or answers. */
export function createLineDesk(deps: LineDeskDeps): LineDesk {
  const actor = createActor(deps);
  const rim: Rim = { deps, actor };
  const inOrder = createOrder();
  return {
    send: (request) => inOrder(request.sessionId, () => takeLine(deps, actor, request)),
    async preview(text, place) {
      await deps.plane.warm(place);
      const question = place.state ? openQuestionOf(place.state) : null;
      return deps.plane.route(text, { question, ...place });
    },
    choose: (sessionId, turn, id) => inOrder(sessionId, () => choose(rim, { sessionId, turn }, id)),
    closePicker: (sessionId, turn, then) => closePicker(rim, { sessionId, turn }, then),
    answer: (place) => inOrder(place.sessionId, () => answer(rim, place)),
  };
}
