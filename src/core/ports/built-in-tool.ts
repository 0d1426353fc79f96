import type { JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { ChangeCause } from '#shared/work-context';

/** The caller of a built-in tool, and the line the call belongs to. */
export interface BuiltInToolContext {
  readonly sessionId: string | null;
  readonly turn: number | null;
  readonly callId: string;
  /** The recorded cause of a mode or focus change. */
  readonly cause: ChangeCause;
  /** A user's command counts as approval; a model's call may need to ask first. */
  readonly actor: 'user' | 'model';
  /** How questions raised by a model's call are answered; `ask` waits for the user. */
  readonly approve: 'all' | 'none' | 'ask';
  readonly signal: AbortSignal;
}

/**
 * A tool built into Patina. Its result is a JSON string; a refusal is a typed error, returned to
 * the caller.
 */
export interface BuiltInTool {
  readonly name: string;
  readonly isToolFullyExecutedOnServer: true;
  /** Text for the model: when and how to use the tool. */
  readonly toolUsageMetadata: string;
  /** JSON Schema of the arguments; the gate checks them before `execute`. */
  readonly schema: JsonObject;
  /**
   * The tool validates its own arguments and reports errors in the shape its callers expect; the gate only
   * checks that the arguments are one object.
   */
  readonly answersArguments?: true;
  /** Included in every tool list, whatever the mode, catalog or workflow. */
  readonly alwaysOffered?: boolean;
  /** Requires a session. */
  readonly needsSession?: boolean;
  /**
   * The tool asks for approval itself and shows more than its arguments (such as a diff or a mode).
   * A previously recorded approval is neither required nor sufficient, so the user is asked once
   * and sees the whole change.
   */
  readonly asksItself?: boolean;
  /** Only a user's command may call it; a model may never choose its arguments. */
  readonly commandOnly?: boolean;
  readonly execute: (argumentsJson: string, context: BuiltInToolContext) => Promise<Result<string>>;
}
