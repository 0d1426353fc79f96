import type { Action, Question, ReasonCode } from '#shared/route';
import { followChoice } from './actions';
import type { Answer } from './read-answer';
import type { RouteContext } from './route-context';

const toModel = (reasonCode: ReasonCode): Action => ({ type: 'continue-with-llm', reasonCode });

/** The same question once more, word for word. */
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

/** What a yes leads to: exactly the command and id that were shown. */
function accept({ choices, commandId, resolvedId }: Question, context: RouteContext): Action {
  const [choice] = choices ?? [];
  if (choice) return followChoice(choice, context) ?? toModel('question-withdrawn');
  if (commandId === undefined || !context.table.commands.has(commandId)) return toModel('question-withdrawn');
  if (resolvedId !== undefined) return { type: 'invoke-command', commandId, resolvedId };
  return followChoice({ label: '', commandId }, context) ?? toModel('question-withdrawn');
}

/** What waits for an answer waits for the choice that the answer leads to as well. */
function withResume(action: Action, { resume }: Question): Action {
  if (resume === undefined || (action.type !== 'open-picker' && action.type !== 'ask-clarifying-question'))
    return action;
  return { resume, ...action };
}

/**
 * What follows from an answer to a question, given by a line or on its card: a yes runs exactly what was shown,
 * a choice that leads to a side effect still asks (AGN-000037 §8). "OK" is no consent to a side effect: the same is
 * asked once more, then withdrawn. Nothing for `no-answer`: the line is routed as usual.
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

/** Whether a question still stands: it was asked in this mode, with this focus. */
export function isQuestionValid({ mode, focusId }: Question, context: RouteContext): boolean {
  return mode === context.mode && focusId === (context.focus?.entityHeader?.id ?? null);
}
