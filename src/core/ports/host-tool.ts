import type { JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { ChangeCause } from '#shared/work-context';

/** On whose behalf and for which line a host tool is called. */
export interface HostToolContext {
  readonly sessionId: string | null;
  readonly turn: number | null;
  readonly callId: string;
  /** What a change of mode or focus is put down to. */
  readonly cause: ChangeCause;
  /** The user's own command is its yes; a model's call may have to ask first. */
  readonly actor: 'user' | 'model';
  /** Who answers the questions a model's call leads to; `ask` waits for a person. */
  readonly approve: 'all' | 'none' | 'ask';
  readonly signal: AbortSignal;
}

/** A tool of the host itself. Its answer is a string of JSON; a refusal is a typed error, told to whoever called. */
export interface HostTool {
  readonly name: string;
  readonly isToolFullyExecutedOnServer: true;
  /** What the model reads: when to use it, and how. */
  readonly toolUsageMetadata: string;
  /** JSON Schema of the arguments; the gate checks them before `execute`. */
  readonly schema: JsonObject;
  /** It finds wrong arguments itself, in the shape its callers know; the gate only sees to it that there is one object. */
  readonly answersArguments?: true;
  /** In every tools list, whatever the mode, catalog or workflow. */
  readonly alwaysOffered?: boolean;
  /** Makes no sense without a session. */
  readonly needsSession?: boolean;
  /**
   * Puts to the user by itself what it would do, with more than its arguments show (a difference, a mode): an approval
   * recorded before is neither needed nor stands in for that, so the user is asked once, and sees it whole.
   */
  readonly asksItself?: boolean;
  /** Whose arguments a model may never give itself: only a command of the user names it. */
  readonly commandOnly?: boolean;
  readonly execute: (argumentsJson: string, context: HostToolContext) => Promise<Result<string>>;
}
