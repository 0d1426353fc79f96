import type { SessionState } from '#shared/session-state';
import type { ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolLists } from '../tools/tool-lists';
import type { ToolAnswer } from './ask-turn';
import type { PromptText } from './prompt';

/** What a session's mode and focus bring to its model calls. */
export interface ModelHost {
  /** The system message's blocks. */
  readonly blocks: (state: SessionState) => readonly PromptText[];
  /** Those of them that stand before every model call of a run (AGN-014 §6.1). */
  readonly brief: (state: SessionState) => readonly PromptText[];
  /** What bounds the tools a model may call, now. */
  readonly lists: (state: SessionState) => ToolLists;
  /** The host's own tools, as a model is offered them. */
  readonly tools: (state: SessionState) => readonly ModelTool[];
  /** Tools of servers that the running workflow permits; none when no workflow runs. */
  readonly stepTools: (state: SessionState) => Promise<readonly ModelTool[]>;
  /** Rounds of tool calls one reply may take; a workflow's steps are many. */
  readonly rounds: (state: SessionState) => number;
  /** Carries out a model's call of one, through the gate. */
  readonly call: (
    line: { readonly sessionId: string; readonly turn: number },
    call: ModelToolCall,
    signal: AbortSignal,
  ) => Promise<ToolAnswer>;
}
