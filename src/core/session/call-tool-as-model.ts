import type { AgentMode } from '#shared/mode';
import type { ModelToolCall } from '../ports/llm';
import type { HostCallOutcome, HostCallScope } from '../tools/host-tool-caller';
import type { ModelLine } from './model-host';

/** The line that a model's call belongs to, also when a user makes the call by hand. */
export interface CallLine extends ModelLine {
  /** How questions of a host tool are answered; default: `ask`. */
  readonly approve?: HostCallScope['approve'];
  /** Previews the tools of another mode than the session's own. */
  readonly mode?: AgentMode;
}

/**
 * Makes one call as a model in that session does: restricted by its lists and workflow, and recorded in the
 * workflow.
 */
export type CallToolAsModel = (
  line: CallLine,
  call: ModelToolCall,
  signal: AbortSignal,
) => Promise<HostCallOutcome>;
