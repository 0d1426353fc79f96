import type { ContextItem } from './context-item';
import type { SentImage } from './prompt-image';
import type { ModelStep } from './session-state';
import type { StepContent } from './workspace-event';

/** A block of a system message, as sent. */
export interface SentText {
  readonly source: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  /** The sent text; null when no stored text matches the hash. */
  readonly text: string | null;
  readonly tokens: number;
}

/** One model call of a turn: everything sent before the conversation, and the content it came from. */
export interface SentStepView extends StepContent {
  readonly part: ModelStep['part'];
  readonly at: number;
  /** The plan's node that made the call. */
  readonly node?: string;
  /** In order; joined by one empty line, they are the system message. */
  readonly blocks: readonly SentText[];
  /** What the user attached to the line. */
  readonly items?: readonly ContextItem[];
  /** Images sent with the static context, in order. */
  readonly images?: readonly SentImage[];
  readonly tools: readonly string[];
}
