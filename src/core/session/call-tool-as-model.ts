import type { AgentMode } from '#shared/mode';
import type { ModelToolCall } from '../ports/llm';
import type { HostCallOutcome, HostCallScope } from '../tools/host-tool-caller';
import type { ModelLine } from './model-host';

/** The line a model's call is made on, or made for by hand. */
export interface CallLine extends ModelLine {
  /** Who answers what a host tool asks; `ask` unless said otherwise. */
  readonly approve?: HostCallScope['approve'];
  /** Another mode's tools than the session's own, for a look. */
  readonly mode?: AgentMode;
}

/** One call as a model in that session makes it: bound by its lists and its workflow, and recorded against that. */
export type CallToolAsModel = (
  line: CallLine,
  call: ModelToolCall,
  signal: AbortSignal,
) => Promise<HostCallOutcome>;
