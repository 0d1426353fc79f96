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
  /** Whether the line is answered with the tools of servers; as the settings say unless said otherwise. */
  readonly tools?: boolean | undefined;
}

/** What a session's mode, focus and workspace bring to its model calls; a `turn` may have its own wishes. */
export interface ModelHost {
  /** A step of a line begins: what is to be adopted here is adopted. Absent: there is no workspace. */
  readonly step?: (
    line: { readonly sessionId: string; readonly turn: number },
    boundary: 'run-start' | 'step',
  ) => Result<StepMaterial>;
  /** The system message's blocks for a kind of call that offers these tools: no block denies one of them or claims another. */
  readonly blocks: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => readonly PromptText[];
  /** Those of them that stand before every model call of a run: the pack's words for its kind, and the mode (AGN-014 §6.1). */
  readonly brief: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => readonly PromptText[];
  /** What bounds the tools a model may call, now. */
  readonly lists: (state: SessionState, turn?: number) => ToolLists;
  /** Tools of servers: those the running workflow permits, or those of tools in Ask; else none. */
  readonly stepTools: (state: SessionState, line: ModelLine) => Promise<readonly ModelTool[]>;
  /** Rounds of tool calls one reply may take; with tools of servers they are many. */
  readonly rounds: (state: SessionState, line: ModelLine) => number;
  /** The host's own tools, as a model is offered them. */
  readonly tools: (state: SessionState, turn?: number) => readonly ModelTool[];
  /** Carries out a model's call of one, through the gate. */
  readonly call: (line: ModelLine, call: ModelToolCall, signal: AbortSignal) => Promise<ToolAnswer>;
}
