import type { Action, Question, ReasonCode } from '#shared/route';
import { followChoice } from './actions';
import type { Answer } from './read-answer';
import type { RouteContext } from './route-context';

const toModel = (reasonCode: ReasonCode): Action => ({ type: 'continue-with-llm', reasonCode });

/** Asks the same question again, word for word. */
function askAgain({ text, options, commandId, resolvedId, choices, resume }: Question): Action {
  return {
    type: 'ask-clarifying-question',
    questionText: text,
    options,
    ...(commandId === undefined ? {} : { commandId }),
    ...(resolvedId === undefined ? {} : { resolvedId }),
    ...(choices === undefined ? {} : { choices }),
    ...(resume === undefined ? {} : { resume }),
  };
}

/** The action for a yes: exactly the command and id that the question showed. */
function accept({ choices, commandId, resolvedId }: Question, context: RouteContext): Action {
  const [choice] = choices ?? [];
  if (choice) return followChoice(choice, context) ?? toModel('question-withdrawn');
  if (commandId === undefined || !context.table.commands.has(commandId)) return toModel('question-withdrawn');
  if (resolvedId !== undefined) return { type: 'invoke-command', commandId, resolvedId };
  return followChoice({ label: '', commandId }, context) ?? toModel('question-withdrawn');
}

/** Copies the pending line to the picker or question that the answer opens. */
function withResume(action: Action, { resume }: Question): Action {
  if (resume === undefined || (action.type !== 'open-picker' && action.type !== 'ask-clarifying-question'))
    return action;
  return { resume, ...action };
}

/**
 * Returns the action for an answer from a line or a card. A yes runs exactly what was shown; a choice with a
 * side effect still asks for confirmation (AGN-000037 §8). "OK" does not consent to a side effect: the
 * question is repeated once, then withdrawn. Returns null for `no-answer`: the line is routed as usual.
 */
export function actOnAnswer(answer: Answer, question: Question, context: RouteContext): Action | null {
  if (answer === 'no-answer') return null;
  if (answer === 'no') return toModel('question-declined');
  if (answer === 'yes') return withResume(accept(question, context), question);
  if (answer === 'weak-yes') {
    if (!question.binding) return withResume(accept(question, context), question);
    return question.asked === 1 ? askAgain(question) : toModel('question-withdrawn');
  }
  const choice = question.choices?.[answer.choice];
  if (!choice) return toModel('question-declined');
  return withResume(followChoice(choice, context) ?? toModel('question-withdrawn'), question);
}

/** Whether a question is still valid: the mode and focus have not changed since it was asked. */
export function isQuestionValid({ mode, focusId }: Question, context: RouteContext): boolean {
  return mode === context.mode && focusId === (context.focus?.entityHeader?.id ?? null);
}
