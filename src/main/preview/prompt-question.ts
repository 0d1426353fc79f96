import type { RunMode } from '#shared/run-mode';
import type { WorkspaceOverride } from '#shared/workspace';

/** The model call whose prompt to show. */
export interface PromptQuestion {
  /** Null for a session that does not exist yet. */
  readonly sessionId: string | null;
  /** Key of a mode that replaces the session's own. */
  readonly mode?: string;
  /** The kind of call: a reply, or the planning call of a run. */
  readonly runMode: RunMode;
  /** Whether the line uses tools in Ask; by default, the setting decides. */
  readonly tools?: boolean;
  /** Overrides of the session's workspace. */
  readonly workspace?: WorkspaceOverride;
}
