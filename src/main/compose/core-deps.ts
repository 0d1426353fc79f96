import type { AgentMode } from './agent-mode';
import type { RecipeRegistry } from '../../core/agent/recipe-registry';
import type { Seeds } from './seeds';
import type { ProcessHost } from '../adapters/process-host';
import type { Notices } from '../notices/notices';
import type { Clock } from '../../core/ports/clock';
import type { EventLog } from '../../core/ports/event-log';
import type { GrantStore } from '../../core/ports/grant-store';
import type { Ids } from '../../core/ports/ids';
import type { ElicitationQueue } from '../../core/tools/elicitation-queue';
import type { ToolCalls } from '../../core/tools/call-tool';
import type { ToolPins } from '../../core/tools/pins';
import type { ModelClient } from '../../core/ports/llm';
import type { UndoFiles } from '../../core/ports/undo-files';
import type { SettingsStore } from '../../core/ports/settings-store';

/** The dependencies that the conversation and the agent share. */
export interface CoreDeps {
  readonly host: ProcessHost;
  readonly seeds: Seeds;
  readonly recipes: RecipeRegistry;
  /** The secret values that this process has received, to be masked in its output. */
  readonly knownSecrets: () => readonly string[];
  readonly settings: SettingsStore;
  readonly notices: Notices;
  /** The event log of the app, its servers, its workers and its storage. */
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly agentMode: AgentMode;
  /** Queues the servers' questions to the user. */
  readonly elicitations: ElicitationQueue;
}

/** The additional dependencies of the agent. */
export interface AgentCoreDeps extends CoreDeps {
  readonly models: ModelClient;
  readonly grants: GrantStore;
  readonly pins: ToolPins;
  /** The files of projects for undo, and the contents saved before writes. */
  readonly undoFiles: UndoFiles;
  readonly toolCalls: ToolCalls;
}
