import type { Action, Question, Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';

type AskAction = Extract<Action, { type: 'ask-clarifying-question' }>;

/** The router's question to record: the action and the state that it is bound to. */
export function questionFrom(
  { questionText, options = ['Yes', 'No'], commandId, resolvedId, choices, resume }: AskAction,
  bound: Pick<Question, 'questionId' | 'binding' | 'mode' | 'focusId' | 'asked'> & {
    readonly yesWords: readonly string[];
    readonly detail?: string;
  },
): Question {
  const { yesWords, ...rest } = bound;
  return {
    ...rest,
    asker: 'router',
    text: questionText,
    options,
    ...(commandId !== undefined && { commandId }),
    ...(resolvedId !== undefined && { resolvedId }),
    ...(choices && { choices }),
    ...(resume !== undefined && { resume }),
    ...(yesWords.length > 0 && { yesWords: [...yesWords] }),
  };
}

/** The fact that records whether a line answered or withdrew the question that was open before it. */
export function answerFacts(
  question: Question,
  text: string,
  state: SessionState,
  { trace }: Routing,
): readonly SessionFact[] {
  const turn = state.openQuestion?.turn ?? 0;
  const { questionId } = question;
  const reading = trace.question?.reading;
  if (reading === 'yes' || reading === 'no' || reading === 'choice') {
    const option = reading === 'yes' ? 'Yes' : reading === 'no' ? 'No' : text.trim().slice(0, 200);
    return [{ type: 'question-answered', turn, questionId, option, by: 'line' }];
  }
  return [{ type: 'question-withdrawn', turn, questionId, reason: 'question-withdrawn' }];
}
