import type { ServerToolCall } from './diagnostics/execute-unit';
import type { SessionScans } from './diagnostics/session-scans';
import type { Json, JsonObject } from '#shared/json';
import type { AppError } from '#shared/app-error';
import type { ResultEnvelope } from '#shared/execution';
import type { AppInfo } from '#shared/ipc';
import type { ListedPrice } from '#shared/known-prices';
import type { ModelRef, ProviderModels } from '#shared/model';
import type { PromptPreview } from '#shared/prompt';
import type { RecipeSummary } from '#shared/recipe';
import type { Result } from '#shared/result';
import type { Agent } from '../core/ports/agent';
import type { ShownTools } from '../core/agent/shown-tools';
import type { PlannerPrompt } from '../core/agent/planner-prompt';
import type { LocalModels } from './adapters/local-model/local-models';
import type { AgentMode } from './compose/agent-mode';
import type { createPacks } from './compose/packs';
import type { createBackup } from './compose/storage';
import type { ModeCatalog } from '../core/modes/mode-catalog';
import type { CommandRunner } from '../core/control-plane/command-runner';
import type { RecipeSaver } from './compose/recipes';
import type { ControlPlane } from '../core/control-plane/control-plane';
import type { InputController } from '../core/control-plane/input-controller';
import type { Notices } from './notices/notices';
import type { EventLog } from '../core/ports/event-log';
import type { ContextItems } from '../core/ports/context-items';
import type { ControlSocket } from '../core/ports/control-socket';
import type { ModelClient } from '../core/ports/llm';
import type { McpResources } from '../core/ports/mcp-resources';
import type { PolicyFiles, PolicyWriter } from '../core/ports/policy';
import type { LabelledArtifactStore } from '../core/ports/sandbox';
import type { SettingsStore } from '../core/ports/settings-store';
import type { ServerSignIn } from '../core/ports/server-sign-in';
import type { ServerStatus } from '../core/ports/server-status';
import type { PromptQuestion } from './preview/prompt-question';
import type { DiscoveryMode } from '../core/ports/discovery-mode';
import type { ToolDefinition } from '../core/ports/tool-definition';
import type { Providers } from './settings/providers';
import type { UsageReports } from './settings/usage';
import type { Conversation } from '../core/session/conversation';
import type { ReplyText } from '../core/session/turn-work';
import type { ServerSettings } from './settings/server-settings';
import type { Importer } from '../core/session/import-chats';
import type { HistoryFit } from '../core/session/fit-history';
import type { ModelContext } from '../core/session/model-context';
import type { RunControls } from '../core/session/run-controls';
import type { Undo } from '../core/session/undo-run';
import type { SessionSearch } from '../core/session/search-sessions';
import type { SessionLog } from '../core/session/session-log';
import type { ElicitationQueue } from '../core/tools/elicitation-queue';
import type { GrantRegistry } from '../core/tools/grant-registry';
import type { ToolPins } from '../core/tools/pins';
import type { ToolCalls } from '../core/tools/call-tool';
import type { Attach } from '../core/sources/attach';
import type { InstructionSuggestions } from '../core/workspace/suggest-instructions';
import type { InstructionFiles } from '../core/workspace/instruction-files';
import type { AttachOptions } from '../core/sources/attach-options';
import type { WorkflowRegistry } from '../core/workflows/registry';
import type { Authoring } from '../core/workflows/authoring/create-authoring';
import type { WorkflowController } from '../core/workflows/workflow-controller';
import type { SyncSuggestions } from '../core/workspace/suggest-sync';
import type { WorkspaceController } from '../core/workspace/workspace-controller';

/** One line of `patina doctor`. */
export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** The configuration error behind this check; such a finding has its own exit code. */
  readonly error?: AppError;
}

/** A tool as listed by `patina tools`. */
export interface ToolRow {
  readonly uri: string;
  readonly access: 'read' | 'write';
  readonly description: string;
  readonly signature: string;
  /** Whether the project's manifest allows calls to it. */
  readonly allowed: boolean;
}

/** A server's status, and a hint when this project does not allow it yet. */
export interface ServerReport extends ServerStatus {
  readonly notAllowed?: string;
}

/** The agent runtime and what the command line inspects in it. */
export interface AgentRuntime {
  readonly agent: Agent;
  readonly policy: PolicyFiles & PolicyWriter;
  /**
   * Runs one ExecutionUnit. It can call only the tools that it names, through the gate, and no write is
   * approved.
   */
  execute(unit: unknown, project: string | null, signal: AbortSignal): Promise<Result<ResultEnvelope>>;
  /** Calls a server's tool once, outside any session, through the gate. */
  callServerTool(call: ServerToolCall, signal: AbortSignal): Promise<Result<Json>>;
  /** What a planning call adds to the prompt. */
  plannerPrompt(project: string, shown: ShownTools): Promise<Result<PlannerPrompt>>;
  describeTools(project: string, how: DiscoveryMode): Promise<Result<readonly ToolRow[]>>;
  /** Checks the servers, with `live` discovery by default. */
  checkServers(project: string, how?: DiscoveryMode): Promise<Result<readonly ServerReport[]>>;
  /** The servers of a project folder if they were ever used; never starts one. */
  knownServers(project: string): McpResources | null;
  /** The same, created when missing; a server starts when its resources are read. */
  resourcesOf(project: string): McpResources;
  /**
   * The tools that a project's servers listed in this process; null when none was queried. Never starts a
   * server.
   */
  listedTools(project: string): readonly ToolDefinition[] | null;
  onResourcesChanged(listener: () => void): () => void;
  /** The user's server settings in the window. */
  readonly serverSettings: ServerSettings;
  readonly signIn: ServerSignIn;
  selfTest(): Promise<readonly DoctorCheck[]>;
  close(): Promise<void>;
}

/** The core behind both entry points: the window through IPC, and the command line directly. */
export interface App {
  /** The event log of the app, its servers, its workers and its storage. */
  readonly eventLog: EventLog;
  readonly settings: SettingsStore;
  readonly notices: Notices;
  readonly log: SessionLog;
  /** Looks for damage in long sessions after they were opened. */
  readonly sessionScans: Omit<SessionScans, 'stop'>;
  readonly models: ModelClient;
  readonly providers: Providers;
  /** The models on this computer. */
  readonly localModels: Omit<LocalModels, 'provider' | 'stream' | 'close'>;
  /** What model calls used and cost. */
  readonly usage: Pick<UsageReports, 'report'>;
  /** The lists of prices, the user's own first. */
  prices(): readonly ListedPrice[];
  readonly conversation: Conversation;
  readonly modes: ModeCatalog;
  /** The recipes that run without a model. */
  recipes(): readonly RecipeSummary[];
  /** Why a recipe cannot run with these parameters in a session, or in a new one; null when it can. */
  recipeProblem(id: string, params: JsonObject, sessionId: string | undefined): AppError | null;
  /** Saves runs as recipes of the user. */
  readonly recipeSaver: RecipeSaver;
  readonly agentMode: AgentMode;
  info(): AppInfo;
  /** The folder new sessions start in, or null when the user has yet to choose one. */
  project(): string | null;
  /** Accepts an absolute, existing folder that may be a project: never a root, never the home folder. */
  checkProject(folder: string): Result<string>;
  /** Imports conversations from files. */
  readonly importer: Importer;
  /**
   * The model the user chose; else the last one of the session, if its provider is not set up any more or no longer
   * lists it; else the default.
   */
  chosenModel(sessionId?: string): Promise<ModelRef>;
  /** Takes the summary up to a turn back. */
  readonly undoCompaction: HistoryFit['undo'];
  previewPrompt(question: PromptQuestion): Promise<Result<PromptPreview>>;
  /** The router, the modes and the enabled features. */
  readonly plane: ControlPlane;
  readonly sessionSearch: SessionSearch;
  /**
   * What a line may have meant, nearest first, before them what a local model proposes; null when nothing could
   * compare. The router does not use it.
   */
  nearActions(line: string, localModel?: string): Promise<readonly string[] | null>;
  /** Turns what the user attaches into a stored context item. */
  readonly attach: Attach;
  /** The instructions that projects bring along. */
  readonly instructionFiles: InstructionFiles;
  /** What a line can attach. */
  readonly attachOptions: AttachOptions;
  /** The content of a context item. */
  readonly readItem: ContextItems['read'];
  /** Receives lines, choices and answers. */
  readonly lines: InputController;
  /** Calls every tool, through the gate. */
  readonly toolCalls: ToolCalls;
  /** What a model sees and may call in a session; also makes its calls by hand. */
  readonly modelContext: Pick<ModelContext, 'lists' | 'callTool'>;
  /** The user's drafts, checks and publications of workflows. */
  readonly authoring: Authoring;
  readonly workflows: WorkflowRegistry;
  /** The user's control of a running workflow. */
  readonly workflowController: WorkflowController;
  /** Switches the session to the currently published workflows; HOST/STATE while a workflow runs in it. */
  reloadWorkflows(sessionId: string): Result<null>;
  /** Syncs, applies and inspects prompt packs and tool catalogs. */
  readonly workspace: WorkspaceController;
  /** Exchanges requests with the user's other processes. */
  readonly controlSocket: {
    serve(): Promise<void>;
    readonly ask: ControlSocket['ask'];
  };
  /** Watches the workspace of the session on the screen. */
  readonly instructionSuggestions: Pick<InstructionSuggestions, 'follow' | 'refresh'>;
  readonly syncSuggestions: Pick<SyncSuggestions, 'follow'>;
  /** Runs every command. */
  readonly commands: CommandRunner;
  onReplyDelta(listener: (delta: ReplyText) => void): () => void;
  onModels(listener: (models: readonly ProviderModels[]) => void): () => void;
  /** The user's control of a run: answer, pause, resume. */
  readonly runs: RunControls;
  /** Undoes what runs wrote to project files, and shows it as a diff. */
  readonly undo: Undo;
  /** The artifacts of a project folder. */
  artifacts(project: string): LabelledArtifactStore;
  editApproval: Agent['edit'];
  /** The user's saved permissions. */
  readonly grants: GrantRegistry;
  /** Questions that servers ask the user while they process a call. */
  readonly elicitations: Omit<ElicitationQueue, 'elicit' | 'watchWaiting'>;
  /** The accepted tool definitions that calls are checked against. */
  readonly pins: ToolPins;
  /** The agent runtime, loaded on first use. */
  agentRuntime(): Promise<AgentRuntime>;
  /** Backups of everything in the home. */
  readonly backup: ReturnType<typeof createBackup>;
  readonly packs: ReturnType<typeof createPacks>;
  doctor(): Promise<readonly DoctorCheck[]>;
  /**
   * Waits until deleted sessions are erased; returns why some remain, or null. In the window, erasure
   * continues in the background.
   */
  eraseDeleted(): Promise<Result<string | null>>;
  close(): Promise<void>;
}
