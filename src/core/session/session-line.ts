import { appError } from '#shared/app-error';
import type { InputLine, TurnPlace } from '#shared/input-line';
import { runParameters } from '#shared/model-parameters';
import type { Routing } from '#shared/route';
import type { FactOf, SessionFact } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { AgentRequest } from '../ports/agent';
import { titleByLine } from './session-title';

/** A line of input at its place in a session. */
export interface SessionLine extends InputLine, TurnPlace {
  readonly sessionId: string;
  readonly turn: number;
  /** How questions about writes are answered; default: `ask`. */
  readonly approve?: AgentRequest['approve'];
  /** Agent Mode only: nobody is here to review a plan. */
  readonly leaveForReview?: boolean | undefined;
  /** Agent Mode only: a plan or a recipe to run instead of planning from the line. */
  readonly provided?: AgentRequest['provided'];
  /** Ask only: overrides the setting for server tools. */
  readonly tools?: boolean | undefined;
}

/** A line that has no turn yet. */
export type NewLine = Omit<SessionLine, 'turn'>;

/** What is recorded in the same commit as a line. */
export interface RecordedWith {
  /** How the line was routed, if it was. */
  readonly routing?: Routing;
  /** Further facts, before the line. */
  readonly before?: readonly SessionFact[];
}

export const emptyLine = appError('HOST', 'INVALID_INPUT', 'There is nothing to send.', {
  hint: 'Type a message.',
});
/** Format characters, such as a zero-width space, show nothing either. */
export const isBlank = (text: string): boolean => /^[\s\p{Cf}]*$/u.test(text);

/** The place of a line. */
export type LinePlace = Pick<SessionLine, 'sessionId' | 'turn'>;

/** The part of a line that decides what a model may call for it. */
export type ModelLine = Pick<SessionLine, 'sessionId' | 'turn' | 'tools'>;

/** The part of a line that decides the parameters of its requests. */
export type ParameterLine = Pick<SessionLine, 'model' | 'parameters'>;

/** The fact of a new line, which follows the head of its session unless it names another turn. */
export function sentFact(
  {
    text,
    runMode,
    model,
    items = [],
    workspace,
    parameters,
    review = 'writes',
    parent,
    regenerates,
  }: NewLine,
  { head, turnCount }: Pick<SessionState, 'head' | 'turnCount'>,
  lineId: string | undefined,
): FactOf<'message-sent'> {
  const follows = parent ?? head;
  const applying = runMode === 'ask' ? parameters : runParameters(parameters);
  return {
    type: 'message-sent',
    turn: turnCount,
    text,
    runMode,
    model,
    ...(items.length > 0 && { items }),
    ...(workspace && { workspace }),
    ...(applying && { parameters: applying }),
    ...(runMode === 'agent' && { review }),
    ...(lineId !== undefined && { lineId }),
    ...(follows !== turnCount - 1 && { parent: follows }),
    ...(regenerates !== undefined && { regenerates }),
  };
}

/** The facts of a new line. */
export function lineFacts(
  line: NewLine,
  { routing, before = [] }: RecordedWith,
  state: SessionState,
  lineId?: string,
): readonly SessionFact[] {
  const { turnCount: turn } = state;
  return [
    ...before,
    ...titleByLine(state, line.text),
    sentFact(line, state, lineId),
    ...(routing ? [{ type: 'input-routed' as const, turn, ...routing }] : []),
  ];
}
