import type { InputLine, TurnPlace } from '#shared/input-line';
import { runParameters } from '#shared/model-parameters';
import type { FactOf } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { AgentRequest } from '../ports/agent';

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
