import type { Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolAnswer } from './ask-turn';
import type { OfferedTools } from '../tools/offered-tools';
import type { PromptText } from '../ports/prompt-text';
import type { ToolLists } from '../ports/tool-lists';
import type { CallKind } from './step-material';
import type { StepMaterial } from './step-material';

/** A line that a model answers. */
export interface ModelLine {
  readonly sessionId: string;
  readonly turn: number;
  /** Whether the line is answered with server tools; default: the setting. */
  readonly tools?: boolean | undefined;
}

/**
 * Provides the parts of model calls that come from a session's mode, focus and workspace; a `turn` may
 * override them.
 */
export interface ModelHost {
  /** Begins a step of a line and adopts the workspace changes due at its boundary. Absent: no workspace. */
  readonly step?: (
    line: { readonly sessionId: string; readonly turn: number },
    boundary: 'run-start' | 'step',
  ) => Result<StepMaterial>;
  /**
   * The system message's blocks for a kind of call that offers these tools; no block denies an offered tool
   * or claims another.
   */
  readonly blocks: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => readonly PromptText[];
  /**
   * The blocks before every model call of a run: the pack's text for its kind, and the mode (AGN-014 §6.1).
   */
  readonly brief: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => readonly PromptText[];
  /** The lists that currently restrict the tools a model may call. */
  readonly lists: (state: SessionState, turn?: number) => ToolLists;
  /** Server tools: those that the running workflow permits, or those of tools in Ask; otherwise none. */
  readonly stepTools: (state: SessionState, line: ModelLine) => Promise<readonly ModelTool[]>;
  /** Maximum rounds of tool calls in one reply; higher with server tools. */
  readonly rounds: (state: SessionState, line: ModelLine) => number;
  /** The host's own tools, in the form offered to a model. */
  readonly tools: (state: SessionState, turn?: number) => readonly ModelTool[];
  /** Executes a model's tool call through the gate. */
  readonly call: (line: ModelLine, call: ModelToolCall, signal: AbortSignal) => Promise<ToolAnswer>;
}
