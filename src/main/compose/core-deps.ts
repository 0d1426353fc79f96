import type { AgentMode } from './agent-mode';
import type { RecipeRegistry } from '../../core/agent/recipe-registry';
import type { Seeds } from './seeds';
import type { Host } from '../adapters/host';
import type { Notices } from '../notices/notices';
import type { Clock } from '../../core/ports/clock';
import type { EventLog } from '../../core/ports/event-log';
import type { GrantStore } from '../../core/ports/grant-store';
import type { Ids } from '../../core/ports/ids';
import type { ElicitationQueue } from '../../core/tools/elicitation-queue';
import type { ToolPins } from '../../core/tools/pins';
import type { ModelClient } from '../../core/ports/llm';
import type { SettingsStore } from '../../core/ports/settings-store';

/** What both sides of the app, the conversation's and the agent's, are built on. */
export interface CoreDeps {
  readonly host: Host;
  readonly seeds: Seeds;
  readonly recipes: RecipeRegistry;
  /** Values of secrets this process was given, to be masked in what it writes. */
  readonly knownSecrets: () => readonly string[];
  readonly settings: SettingsStore;
  readonly notices: Notices;
  /** What happened to the app, its servers, its workers and its storage. */
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly agentMode: AgentMode;
  /** Where servers' questions to the user wait for an answer. */
  readonly elicitations: ElicitationQueue;
}

/** What the agent's side needs beside it. */
export interface AgentCoreDeps extends CoreDeps {
  readonly models: ModelClient;
  readonly grants: GrantStore;
  readonly pins: ToolPins;
}
