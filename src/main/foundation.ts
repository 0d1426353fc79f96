import type { AgentMode } from './agent-mode';
import type { RecipeShelf } from './agent/recipe-shelf';
import type { Seeds } from './compose-seeds';
import type { Host } from './host';
import type { Notices } from './notices';
import type { Clock } from './ports/clock';
import type { EventLog } from './ports/event-log';
import type { GrantStore } from './ports/grant-store';
import type { Ids } from './ports/ids';
import type { ElicitationDesk } from './tools/elicitation-desk';
import type { PinDesk } from './tools/pins';
import type { ModelClient } from './ports/llm';
import type { SettingsStore } from './ports/settings-store';

/** What both sides of the app, the conversation's and the agent's, are built on. */
export interface Foundation {
  readonly host: Host;
  readonly seeds: Seeds;
  readonly recipes: RecipeShelf;
  /** Values of secrets this process was given, to be masked in what it writes. */
  readonly seenSecrets: () => readonly string[];
  readonly settings: SettingsStore;
  readonly notices: Notices;
  /** What happened to the app, its servers, its workers and its storage. */
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly agentMode: AgentMode;
  /** Where servers' questions to the user wait for an answer. */
  readonly elicitations: ElicitationDesk;
}

/** What the agent's side needs beside it. */
export interface AgentFoundation extends Foundation {
  readonly models: ModelClient;
  readonly grants: GrantStore;
  readonly pins: PinDesk;
}
