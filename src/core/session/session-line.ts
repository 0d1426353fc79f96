import type { InputLine } from '#shared/input-line';
import type { AgentRequest } from '../ports/agent';

/** A line of input at its place in a session. */
export interface SessionLine extends InputLine {
  readonly sessionId: string;
  readonly turn: number;
  /** How questions about writes are answered; default: `ask`. */
  readonly approve?: AgentRequest['approve'];
  /** Agent Mode only: nobody is here to review a plan. */
  readonly leaveForReview?: boolean | undefined;
  /** Agent Mode only: a plan or a recipe to run instead of planning from the line. */
  readonly given?: AgentRequest['given'];
  /** Ask only: overrides the setting for server tools. */
  readonly tools?: boolean | undefined;
}

/** A line that has no turn yet. */
export type NewLine = Omit<SessionLine, 'turn'>;

/** The place of a line. */
export type LinePlace = Pick<SessionLine, 'sessionId' | 'turn'>;

/** The part of a line that decides what a model may call for it. */
export type ModelLine = Pick<SessionLine, 'sessionId' | 'turn' | 'tools'>;
