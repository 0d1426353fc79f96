import type { RunMode } from '#shared/run-mode';
import type { WorkspaceOverride } from '#shared/workspace';

/** Of which model call the prompt is shown. */
export interface PromptQuestion {
  /** Null: a session that does not exist yet. */
  readonly sessionId: string | null;
  /** A mode's Key that stands in for the session's own. */
  readonly mode?: string;
  /** Of which call: a reply, or the planning call of a run. */
  readonly runMode: RunMode;
  /** Whether the line is answered with tools in Ask; as the settings say unless said otherwise. */
  readonly tools?: boolean;
  /** Content that stands in for the session's own. */
  readonly workspace?: WorkspaceOverride;
}
