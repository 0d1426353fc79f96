import type { ControlPlaneView } from '#shared/control-plane';
import type { CardOutcome, Question, ReasonCode, RouteTrace } from '#shared/route';
import type { QuestionState, RouteState } from '#shared/session-state';
import { text } from '../../locales/text';
import { commandName } from '../../store/slash-lines';

const readings: Readonly<Record<NonNullable<RouteTrace['question']>['reading'], string>> = {
  yes: text('controlPlane.route.yes'),
  no: text('controlPlane.route.no'),
  choice: text('controlPlane.route.choice'),
  'weak-yes': text('controlPlane.route.weakYes'),
  'no-answer': text('controlPlane.route.newLine'),
};

/** A brief reason for the routing of a line; null if there were no candidates. */
export function routingText(view: ControlPlaneView | null, route: RouteState): string | null {
  const { action, trace } = route;
  if (trace.question && trace.question.reading !== 'no-answer') return readings[trace.question.reading];
  const winner = trace.candidates.find(({ outcome }) => outcome === 'won');
  if (action.type === 'continue-with-llm') {
    const first = trace.candidates[0];
    if (action.reasonCode === 'unknown-slash' || action.reasonCode === 'role-required')
      return text('controlPlane.route.toModel', { reason: trace.decision });
    return first
      ? text('controlPlane.route.notTaken', { command: commandName(view, first.commandId).toLowerCase() })
      : null;
  }
  const commandId = winner?.commandId ?? action.commandId;
  if (commandId === undefined) return text('controlPlane.route.handled');
  return text('controlPlane.route.byCommand', { command: commandName(view, commandId).toLowerCase() });
}

const withdrawals: Readonly<Partial<Record<ReasonCode | CardOutcome, string>>> = {
  cancelled: text('controlPlane.withdrawn.cancelled'),
  'workflow-ended': text('controlPlane.withdrawn.workflowEnded'),
  'question-declined': text('controlPlane.withdrawn.declined'),
  'question-withdrawn': text('controlPlane.withdrawn.otherLine'),
};

/** The outcome of a closed question. */
export function outcomeText(question: QuestionState): string {
  if (question.status === 'answered') return question.answer ?? '';
  const reason = question.withdrawn;
  return (reason && withdrawals[reason]) ?? text('controlPlane.withdrawn.other');
}

/**
 * The option that Enter selects: a plain yes, or a model's proposal, which comes first. Undefined between
 * equal choices.
 */
export function primaryOption({ asker, options }: Pick<Question, 'asker' | 'options'>): string | undefined {
  if (asker === 'model' || options.length === 1) return options[0];
  return options.find((option) => option === 'Yes');
}
