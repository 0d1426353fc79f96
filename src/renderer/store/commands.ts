import type { RunDiff, UndoReport } from '#shared/undo';
import type { HelpPage } from '#shared/help-page';
import type { AppError } from '#shared/app-error';
import type { PickerPage } from '#shared/control-plane';
import type { DdrAnswer } from '#shared/ddr';
import type { IpcInput, SearchHit } from '#shared/ipc';
import type { JsonObject } from '#shared/json';
import type { ModelParameters } from '#shared/model-parameters';
import type { ModelRef } from '#shared/model';
import type { EditableProvider, ProviderOffer } from '#shared/provider-row';
import type { Result } from '#shared/result';
import type { RegenerateOptions, RunAction } from './turn-actions';
import type { PlanDecision, PlanPreview } from '#shared/plan-review';
import type { PromptPreview } from '#shared/prompt';
import type { Routing } from '#shared/route';
import type { RunMode } from '#shared/run-mode';
import type { SettingsPatch } from '#shared/settings';
import type { WorkflowAct } from '#shared/workflow-act';
import type { ModelOptions } from '#shared/model-parameters';
import type { UsageReport } from '#shared/usage-report';
import type { InspectorTab } from './turn-actions';
import type { ElicitationCommands } from './elicitation-commands';
import type { GrantCommands } from './grant-commands';
import type { AuthoringCommands } from './authoring-commands';
import type { RecipeCommands } from './recipe-commands';
import type { ItemCommands } from './item-commands';
import type { ServerCommands } from './server-commands';
import type { PictureCommands } from './picture-commands';
import type { DataCommands } from './data-commands';
import type { LocalModelCommands } from './local-model-commands';
import type { ArtifactCommands } from './artifact-commands';
import type { InstructionCommands } from './instruction-commands';
import type { WorkspaceCommands } from './workspace-commands';

export interface SessionCommands {
  readonly newSession: () => void;
  /** Opens a session, at `turn` if given, otherwise at its end. */
  readonly openSession: (sessionId: string, turn?: number) => Promise<void>;
  /** Shows a session in a window of its own; in the main window, a new session takes its place. */
  readonly openOwnWindow: (sessionId: string) => Promise<void>;
  /** Opens the previous (-1) or next (1) session in the rail's order. */
  readonly stepSession: (step: -1 | 1) => Promise<void>;
  readonly renameSession: (sessionId: string, title: string) => Promise<void>;
  /** Archives sessions; one toast takes them all back. */
  readonly archiveSessions: (sessionIds: readonly string[]) => Promise<void>;
  readonly markSessions: (
    sessionIds: readonly string[],
    marks: { readonly pinned?: boolean; readonly unread?: boolean },
  ) => Promise<void>;
  readonly restoreSession: (sessionId: string) => Promise<void>;
  /** Restores unreadable events from the daily copies and reloads the session. */
  readonly repairSession: (sessionId: string) => Promise<void>;
  /** Whether a repair could restore any damaged event. */
  readonly canRepairSession: (sessionId: string) => Promise<boolean>;
  /** Deletes a session permanently after the user confirms. */
  readonly deleteSession: (sessionId: string) => Promise<void>;
  /** Asks the user for a folder; the current session works in it from then on. */
  readonly chooseProject: () => Promise<void>;
  /** Uses a suggested folder without asking the user again. */
  readonly takeProject: (project: string) => Promise<void>;
  /** Replaces the user's instructions for the current session. */
  readonly setInstructions: (text: string) => Promise<void>;
  /** Replaces the parameters of the current session. */
  readonly setParameters: (parameters: ModelParameters) => Promise<void>;
  readonly search: (text: string) => Promise<Result<readonly SearchHit[]>>;
  /** Sessions that are close to a text in meaning. */
  readonly similarSessions: (text: string) => Promise<Result<readonly SearchHit[]>>;
  /** Ids of the actions and commands nearest to a text in meaning. */
  readonly nearActions: (text: string, localModel?: string) => Promise<Result<readonly string[] | null>>;
  readonly previewPrompt: () => Promise<Result<PromptPreview>>;
}

export interface TurnCommands {
  /** Sends the line of a control; what is attached or chosen for the user's next line stays. */
  readonly send: (text: string, runMode?: RunMode) => Promise<void>;
  /**
   * Sends the line of the composer with what is attached and chosen for it; if that fails, all returns to the draft
   * of its session.
   */
  readonly sendDraft: (text: string, runMode?: RunMode) => Promise<void>;
  /** Regenerates the answer to a turn's line, in its place; a command that ran a plan runs it again. */
  readonly regenerate: (turn: number, options?: RegenerateOptions) => Promise<void>;
  /** Opens the model picker; the model that the user picks answers the turn's line in its place. */
  readonly askOtherModel: (turn: number) => void;
  /** Chooses a model; it takes over the turn that waits for another one. */
  readonly pickModel: (model: ModelRef) => Promise<void>;
  /** Opens a turn's line for editing in its place; null closes it. */
  readonly edit: (turn: number | null) => void;
  /** The edited text of a turn's line, or of a waiting line, that was neither used nor dropped; empty: none. */
  readonly unsentEdit: (line: number | string) => string;
  /** Stores it; empty: drops it. */
  readonly saveEdit: (line: number | string, text: string) => void;
  /** Sends an edited line in a turn's place. */
  readonly sendEdited: (turn: number, text: string) => Promise<void>;
  /** Takes back the summary that ends with a turn. */
  readonly undoCompaction: (upTo: number) => Promise<void>;
  /** Shows the branch that ends with the newest turn after this one. */
  readonly chooseBranch: (turn: number) => Promise<void>;
  /** Copies the conversation up to this turn into a new session, and opens it. */
  readonly fork: (turn: number) => Promise<void>;
  /** Ends the conversation with this turn; later turns stay, out of sight. */
  readonly goBackTo: (turn: number) => Promise<void>;
  /** Takes back the last move of the head or the newest command, never a write; false if there is neither. */
  readonly undoLast: () => boolean;
  /** Puts a text into the composer. */
  readonly suggest: (text: string) => void;
  readonly editLast: () => void;
  readonly stop: (turn?: number) => Promise<void>;
  /** Changes the text of a waiting line or when it is used, or holds it for an edit; whether that was done. */
  readonly editLine: (edit: Omit<IpcInput<'line-edit'>, 'sessionId'>) => Promise<boolean>;
  /** Ends the edit of a waiting line with this text; if that is refused, the text stays. */
  readonly saveLine: (lineId: string, text: string) => Promise<void>;
  readonly withdrawLine: (lineId: string) => Promise<void>;
  /** Moves a waiting line before another one; null: to the end; whether that was done. */
  readonly moveLine: (lineId: string, before: string | null) => Promise<boolean>;
  /** Sends the lines of a paused queue. */
  readonly resumeQueue: () => Promise<void>;
  readonly answerApproval: (answer: Omit<IpcInput<'approval-answer'>, 'sessionId'>) => Promise<void>;
  /** Writes a text to a file of the project, in a run that shows the difference and asks; the error, if any. */
  readonly writeFile: (path: string, content: string) => Promise<AppError | null>;
  /** Undoes writes of a run, and returns the outcome; null when it failed. */
  readonly undoWrites: (request: {
    readonly runId: string;
    readonly write?: string;
    readonly partial?: boolean;
  }) => Promise<UndoReport | null>;
  /** Everything that a run wrote to project files; null when it cannot be read. */
  readonly readRunDiff: (runId: string) => Promise<RunDiff | null>;
  readonly controlRun: (turn: number, action: RunAction) => Promise<void>;
  /** Runs a plan that waits; the error says why it cannot run. */
  readonly runPlan: (runId: string, decision: PlanDecision) => Promise<Result<null>>;
  /** Checks a plan that waits as the user edits it. */
  readonly checkPlan: (runId: string, edit: PlanDecision) => Promise<Result<PlanPreview>>;
  readonly editApproval: (edit: IpcInput<'approval-edit'>['edit']) => Promise<Result<null>>;
}

/** What is known of providers before they are set up, and what can be edited of those of the file. */
export interface ProviderKnowledge {
  readonly offers: readonly ProviderOffer[];
  readonly editable: readonly EditableProvider[];
}

export interface SettingCommands {
  readonly changeSettings: (patch: SettingsPatch) => Promise<void>;
  readonly toggleRunMode: () => Promise<void>;
  readonly setRunMode: (mode: RunMode) => Promise<void>;
  /** Toggles whether Ask offers MCP server tools. */
  readonly toggleAskTools: () => Promise<void>;
  readonly toggleInspector: () => Promise<void>;
  readonly refreshModels: () => Promise<void>;
  readonly testProvider: (
    input: IpcInput<'provider-test'>,
  ) => Promise<Result<{ readonly models: readonly string[] }>>;
  readonly saveProvider: (input: IpcInput<'provider-save'>) => Promise<Result<null>>;
  readonly editProvider: (input: IpcInput<'provider-edit'>) => Promise<Result<null>>;
  /** Replaces what the user set for one model, by its `modelKey`. */
  readonly setModelOptions: (key: string, options: ModelOptions) => Promise<void>;
  /** What model calls used and cost; null when it cannot be read. */
  readonly usageReport: (question: IpcInput<'usage-report'>) => Promise<UsageReport | null>;
  readonly providerKnowledge: () => Promise<ProviderKnowledge>;
  readonly removeProvider: (id: string) => Promise<void>;
  readonly dismissNotice: (id: string) => Promise<void>;
  readonly copy: (text: string) => Promise<void>;
  readonly openLink: (url: string) => Promise<void>;
  /** Fetches the pages of the user guide, the index first. */
  readonly helpPages: () => Promise<Result<readonly HelpPage[]>>;
  readonly quit: () => Promise<void>;
  /** Restarts the app once without these packs. */
  readonly restartWithout: (packs: readonly string[]) => Promise<void>;
}

export type PageRequest = Omit<IpcInput<'picker-page'>, 'sessionId'>;

export interface ControlPlaneCommands {
  /** Fetches one page of a source's items for the session on the screen. */
  readonly pickerPage: (request: PageRequest) => Promise<Result<PickerPage>>;
  /** Requests a page ahead of time, so that it loads while the list renders. */
  readonly prefetchPage: (request: PageRequest) => void;
  readonly choosePicked: (turn: number, id: string) => Promise<void>;
  readonly closePicker: (turn: number, then: 'nothing' | 'model') => Promise<void>;
  /** Answers a question on its card and, if the work continues in another session, opens that session. */
  readonly answerQuestion: (turn: number, questionId: string, option: string) => Promise<void>;
  /** Previews how a line would be routed; sends nothing. */
  readonly previewRoute: (text: string) => Promise<Result<Routing>>;
  /** Acts on the session's workflow; returns the error, if any. */
  readonly actOnWorkflow: (act: WorkflowAct) => Promise<AppError | null>;
  /** Switches the session on the screen to the published workflow versions. */
  readonly reloadWorkflows: () => Promise<void>;
  readonly callDdrs: (operation: string, payload: JsonObject) => Promise<Result<DdrAnswer>>;
  /** Opens the inspector at a tab, for one turn. */
  readonly inspect: (turn: number | null, tab: InspectorTab) => void;
  readonly readControlPlane: () => Promise<void>;
}

export type Commands = SessionCommands &
  TurnCommands &
  SettingCommands &
  ServerCommands &
  InstructionCommands &
  WorkspaceCommands &
  ArtifactCommands &
  DataCommands &
  LocalModelCommands &
  PictureCommands &
  ItemCommands &
  GrantCommands &
  RecipeCommands &
  ElicitationCommands &
  AuthoringCommands &
  ControlPlaneCommands;
