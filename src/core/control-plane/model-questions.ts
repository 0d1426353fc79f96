import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { CardOutcome, Question } from '#shared/route';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { turnAt, type QuestionState, type SessionState } from '#shared/session-state';
import type { BuiltInToolContext } from '../ports/built-in-tool';
import type { Ids } from '../ports/ids';
import type { SessionLog } from '../session/session-log';

/** A question that a tool asks the user before it acts on a model's proposal. */
export interface ModelQuestion {
  readonly text: string;
  /** The effect of a yes, or the model's reason; shown as data. */
  readonly detail?: string;
  readonly detailForm?: Question['detailForm'];
  /** The exact call that a yes approves. */
  readonly call?: Question['call'];
  /** `approve: all` chooses the first option, `approve: none` the last. */
  readonly options: readonly string[];
  readonly commandId?: string;
  readonly resolvedId?: string;
  readonly mode: string;
  readonly focusId: string | null;
}

/**
 * The effect of an answer, recorded in one commit with it; `opened` is the session to which the work moves.
 */
export interface AnswerEffect {
  readonly facts: readonly SessionFact[];
  readonly opened?: string;
  /** The line that continues the model when no call awaits the answer any more. */
  readonly line?: string;
}

/** The chosen option, and the question it answers. */
export interface CardAnswer {
  readonly sessionId: string;
  readonly turn: number;
  readonly questionId: string;
  readonly option: string;
}

/** The outcome of an answer. */
export type AnswerOutcome = Pick<AnswerEffect, 'line'> & { readonly opened: string | null };

export type EffectOf = (option: string) => Result<AnswerEffect>;

/** The open cards of tools that a model called. Only a click answers them, never a line of text. */
export type ModelQuestions = ReturnType<typeof createModelQuestions>;

interface OpenCard {
  readonly options: readonly string[];
  /** The workflow that was running when the question was asked. */
  readonly workflowRunId: string | undefined;
  readonly take: (option: string) => Result<AnswerEffect>;
  readonly withdraw: (reason: CardOutcome) => void;
}

const noSession = appError('HOST', 'STATE', 'This tool asks the user, and there is no session to ask in.', {
  hint: 'Name a session, or say how to answer with --approve.',
});
const closed = appError('HOST', 'STATE', 'That question is no longer open.');

/** Asks the user to confirm a change that a model proposes; false when the user cannot be asked. */
export const createConfirmation =
  (questions: Pick<ModelQuestions, 'ask'>, detailForm?: Question['detailForm']) =>
  async (
    { text, detail }: { readonly text: string; readonly detail: string },
    context: BuiltInToolContext,
  ): Promise<boolean> => {
    const question = { text, detail, options: ['Yes', 'No'], mode: '', focusId: null };
    const shownQuestion = detailForm ? { ...question, detailForm } : question;
    const answer = await questions.ask(context, shownQuestion, () => ok({ facts: [] }));
    return answer.ok && answer.value === 'Yes';
  };

export interface ModelQuestionsDeps {
  readonly log: SessionLog;
  readonly ids: Ids;
  /** The effect of an answer when the call that asked died with its process. */
  readonly effectOfOrphan: (
    state: SessionState,
    question: QuestionState,
    cardAnswer: CardAnswer,
  ) => Result<AnswerEffect>;
}

/** A question, the call that asks it, and the effect of each answer. */
interface QuestionRequest {
  readonly context: BuiltInToolContext;
  readonly question: ModelQuestion;
  readonly effectOf: EffectOf;
}

function askedFact(turn: number, questionId: string, { question }: QuestionRequest): SessionFact {
  const { options, ...rest } = question;
  return {
    type: 'question-asked',
    turn,
    question: { ...rest, questionId, asker: 'model', options: [...options], binding: true, asked: 1 },
  };
}

/** Asks on a card and waits for the click; the answer and its effect are one commit. */
function waitForClick(
  { log, ids }: ModelQuestionsDeps,
  open: Map<string, OpenCard>,
  request: QuestionRequest,
): Promise<Result<string | null>> {
  const { sessionId, turn, signal } = request.context;
  if (sessionId === null || turn === null) return Promise.resolve(err(noSession));
  const questionId = ids.next('qst');
  const workflowRunId = log.state(sessionId)?.workflow?.workflowRunId;
  const recorded = log.append(sessionId, [askedFact(turn, questionId, request)]);
  if (!recorded.ok) return Promise.resolve(recorded);
  return new Promise((resolve) => {
    const complete = (result: Result<string | null>): void => {
      open.delete(questionId);
      signal.removeEventListener('abort', cancel);
      resolve(result);
    };
    const withdraw = (reason: CardOutcome): void => {
      log.append(sessionId, [{ type: 'question-withdrawn', turn, questionId, reason }]);
      complete(ok(null));
    };
    const cancel = (): void => withdraw('cancelled');
    const take = (option: string): Result<AnswerEffect> => {
      const effect = request.effectOf(option);
      if (!effect.ok) return effect;
      const answered: SessionFact = { type: 'question-answered', turn, questionId, option, by: 'card' };
      const committed = log.append(sessionId, [answered, ...effect.value.facts]);
      if (!committed.ok) return committed;
      complete(ok(option));
      return effect;
    };
    open.set(questionId, { options: request.question.options, workflowRunId, take, withdraw });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}

/** Answers without asking, for `--approve all|none`; the effect is the same. */
function decide(
  { log }: ModelQuestionsDeps,
  { context, question, effectOf }: QuestionRequest,
): Result<string | null> {
  const { sessionId, approve } = context;
  const option = question.options.at(approve === 'all' ? 0 : -1) ?? '';
  const effect = effectOf(option);
  if (!effect.ok) return effect;
  const { facts } = effect.value;
  const committed = sessionId === null || facts.length === 0 ? ok([]) : log.append(sessionId, facts);
  return committed.ok ? ok(option) : committed;
}

/** The question, if it is open and has the chosen option. */
function openIn(state: SessionState | null, { turn, questionId, option }: CardAnswer) {
  const questions = state ? turnAt(state, turn)?.questions : undefined;
  const question = questions?.find((one) => one.questionId === questionId);
  return question?.status === 'open' && question.options.includes(option) ? question : undefined;
}

/** Answers a card whose process is gone: records the answer, although no call awaits it. */
function answerOrphan(
  { log, effectOfOrphan }: ModelQuestionsDeps,
  cardAnswer: CardAnswer,
): Result<AnswerOutcome> {
  const { sessionId, turn, questionId, option } = cardAnswer;
  const state = log.state(sessionId);
  const question = openIn(state, cardAnswer);
  if (!state || !question) return err(closed);
  const effect = effectOfOrphan(state, question, cardAnswer);
  if (!effect.ok) {
    log.append(sessionId, [{ type: 'question-withdrawn', turn, questionId, reason: 'cancelled' }]);
    return effect;
  }
  const { facts, line } = effect.value;
  const answered: SessionFact = { type: 'question-answered', turn, questionId, option, by: 'card' };
  const committed = log.append(sessionId, [answered, ...facts]);
  return committed.ok ? ok({ opened: null, ...(line !== undefined && { line }) }) : committed;
}

type Ended = Extract<SessionEvent, { readonly type: 'workflow-ended' }>;

/** Withdraws the open approvals of a workflow whose calls died with their process. */
function orphanedApprovals(state: SessionState | null, workflowRunId: string): readonly SessionFact[] {
  const turns = state?.blocks.flat() ?? [];
  return turns.flatMap(({ turn, questions = [] }) =>
    questions
      .filter(({ status, call }) => status === 'open' && call?.workflowRunId === workflowRunId)
      .map(({ questionId }) => ({
        type: 'question-withdrawn' as const,
        turn,
        questionId,
        reason: 'workflow-ended' as const,
      })),
  );
}

/** Withdraws the questions of an ended workflow, because no answer could allow anything any more. */
function closeWith({ log }: ModelQuestionsDeps, open: Map<string, OpenCard>, ended: Ended): void {
  const { sessionId, workflowRunId } = ended;
  for (const card of open.values()) {
    if (card.workflowRunId === workflowRunId) card.withdraw('workflow-ended');
  }
  const orphaned = orphanedApprovals(log.state(sessionId), workflowRunId);
  if (orphaned.length > 0) log.append(sessionId, orphaned);
}

export function createModelQuestions(deps: ModelQuestionsDeps) {
  const open = new Map<string, OpenCard>();
  deps.log.subscribe((events) => {
    // Deferred, so that the answer that ended the workflow stays an answer, and other listeners see the end
    // first.
    for (const event of events) {
      if (event.type === 'workflow-ended') void Promise.resolve().then(() => closeWith(deps, open, event));
    }
  });
  return {
    /**
     * Resolves with the chosen option, with null when the call was cancelled, or with the error that prevented
     * recording the answer.
     */
    async ask(
      context: BuiltInToolContext,
      question: ModelQuestion,
      effectOf: EffectOf,
    ): Promise<Result<string | null>> {
      const request = { context, question, effectOf };
      return context.approve === 'ask' ? waitForClick(deps, open, request) : decide(deps, request);
    },
    /** HOST/STATE when the question is no longer open or has no such option. */
    answer(cardAnswer: CardAnswer): Result<AnswerOutcome> {
      const { questionId, option } = cardAnswer;
      const question = open.get(questionId);
      if (!question) return answerOrphan(deps, cardAnswer);
      if (!question.options.includes(option)) return err(closed);
      const taken = question.take(option);
      return taken.ok ? ok({ opened: taken.value.opened ?? null }) : taken;
    },
  };
}
