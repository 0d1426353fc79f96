import type { SentImage } from './prompt-image';
import type { ModelStep } from './session-state';
import type { StepContent } from './workspace-event';

/** A block of a system message, as it was sent. */
export interface SentText {
  readonly source: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  /** The bytes that were sent; null when what is kept is no longer what was sent. */
  readonly text: string | null;
  readonly tokens: number;
}

/** One model call of a turn: what stood before the conversation, and what it was made from. */
export interface SentStepView extends StepContent {
  readonly part: ModelStep['part'];
  readonly at: number;
  /** The plan's node that made the call. */
  readonly node?: string;
  /** In their order; with one empty line between they are the system message. */
  readonly blocks: readonly SentText[];
  /** Images that went with the static context, in their order. */
  readonly images?: readonly SentImage[];
  readonly tools: readonly string[];
}
