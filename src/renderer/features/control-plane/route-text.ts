import type { ControlPlaneView } from '#shared/control-plane';
import type { CardOutcome, Question, ReasonCode, RouteTrace } from '#shared/route';
import type { QuestionState, RouteState } from '#shared/session-state';
import { commandName } from '../../store/slash-lines';

const readings: Readonly<Record<NonNullable<RouteTrace['question']>['reading'], string>> = {
  yes: 'read as a yes',
  no: 'read as a no',
  choice: 'read as a choice',
  'weak-yes': 'not a clear yes',
  'no-answer': 'read as a new line',
};

/** A brief reason for the routing of a line; null if there were no candidates. */
export function routedWords(view: ControlPlaneView | null, route: RouteState): string | null {
  const { action, trace } = route;
  if (trace.question && trace.question.reading !== 'no-answer') return readings[trace.question.reading];
  const winner = trace.candidates.find(({ outcome }) => outcome === 'won');
  if (action.type === 'continue-with-llm') {
    const first = trace.candidates[0];
    if (action.reasonCode === 'unknown-slash' || action.reasonCode === 'role-required')
      return `sent to the model: ${trace.decision}`;
    return first
      ? `sent to the model, not taken for “${commandName(view, first.commandId).toLowerCase()}”`
      : null;
  }
  const commandId = winner?.commandId ?? action.commandId;
  if (commandId === undefined) return 'routed by the control plane';
  return `routed by “${commandName(view, commandId).toLowerCase()}”`;
}

const withdrawals: Readonly<Partial<Record<ReasonCode | CardOutcome, string>>> = {
  cancelled: 'It was called off.',
  'workflow-ended': 'Its workflow ended before you answered, so nothing was done.',
  'question-declined': 'You said no.',
  'question-withdrawn': 'The next line was about something else.',
};

/** The outcome of a closed question. */
export function endedWords(question: QuestionState): string {
  if (question.status === 'answered') return question.answer ?? '';
  const reason = question.withdrawn;
  return (reason && withdrawals[reason]) ?? 'It was withdrawn; nothing was done.';
}

/**
 * The option that Enter selects: a plain yes, or a model's proposal, which comes first. Undefined between
 * equal choices.
 */
export function primaryOption({ asker, options }: Pick<Question, 'asker' | 'options'>): string | undefined {
  if (asker === 'model' || options.length === 1) return options[0];
  return options.find((option) => option === 'Yes');
}
