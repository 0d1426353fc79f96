import type { AppError } from '#shared/app-error';
import type { PickerPage } from '#shared/control-plane';
import type { DdrAnswer } from '#shared/ddr';
import type { IpcInput, SearchHit } from '#shared/ipc';
import type { JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { RerunOptions, RunAction } from './turn-actions';
import type { PromptPreview } from '#shared/prompt';
import type { Routing } from '#shared/route';
import type { RunMode } from '#shared/run-mode';
import type { SettingsPatch } from '#shared/settings';
import type { WorkflowAct } from '#shared/workflow-act';
import type { InspectorTab } from './turn-actions';
import type { ElicitationCommands } from './elicitation-commands';
import type { GrantCommands } from './grant-commands';
import type { AuthoringCommands } from './authoring-commands';
import type { RecipeCommands } from './recipe-commands';
import type { ServerCommands } from './server-commands';
import type { ArtifactCommands } from './artifact-commands';
import type { WorkspaceCommands } from './workspace-commands';

export interface SessionCommands {
  readonly newSession: () => void;
  /** Opens a session; with a turn, at that turn instead of at its end. */
  readonly openSession: (sessionId: string, turn?: number) => Promise<void>;
  /** Opens the session before (-1) or after (1) the one looked at, in the rail's order. */
  readonly stepSession: (step: -1 | 1) => Promise<void>;
  readonly renameSession: (sessionId: string, title: string) => Promise<void>;
  readonly archiveSession: (sessionId: string) => Promise<void>;
  readonly restoreSession: (sessionId: string) => Promise<void>;
  /** Restores events that could not be read from the daily copies, and shows the session anew. */
  readonly repairSession: (sessionId: string) => Promise<void>;
  /** Deletes a session for good once the user has said so. */
  readonly deleteSession: (sessionId: string) => Promise<void>;
  /** Asks for a folder; the session looked at works in it from then on. */
  readonly chooseProject: () => Promise<void>;
  /** Takes a folder that was suggested, without asking again. */
  readonly takeProject: (project: string) => Promise<void>;
  readonly search: (text: string) => Promise<Result<readonly SearchHit[]>>;
  readonly previewPrompt: () => Promise<Result<PromptPreview>>;
}

export interface TurnCommands {
  /** Sends a line; when it cannot be sent, it is the draft again. */
  readonly send: (text: string, runMode?: RunMode) => Promise<void>;
  readonly retry: (turn: number, options?: RerunOptions) => Promise<void>;
  readonly edit: (turn: number) => void;
  /** Puts a text where the next line is written. */
  readonly suggest: (text: string) => void;
  readonly editLast: () => void;
  readonly stop: (turn?: number) => Promise<void>;
  readonly answerApproval: (answer: Omit<IpcInput<'approval-answer'>, 'sessionId'>) => Promise<void>;
  readonly controlRun: (turn: number, action: RunAction) => Promise<void>;
  readonly editApproval: (edit: IpcInput<'approval-edit'>['edit']) => Promise<Result<null>>;
}

export interface SettingCommands {
  readonly changeSettings: (patch: SettingsPatch) => Promise<void>;
  readonly toggleRunMode: () => Promise<void>;
  readonly setRunMode: (mode: RunMode) => Promise<void>;
  /** Whether Ask offers the tools of servers. */
  readonly toggleAskTools: () => Promise<void>;
  readonly toggleInspector: () => Promise<void>;
  readonly refreshModels: () => Promise<void>;
  readonly testProvider: (
    input: IpcInput<'provider-test'>,
  ) => Promise<Result<{ readonly models: readonly string[] }>>;
  readonly saveProvider: (input: IpcInput<'provider-save'>) => Promise<Result<null>>;
  readonly removeProvider: (id: string) => Promise<void>;
  readonly dismissNotice: (id: string) => Promise<void>;
  readonly copy: (text: string) => Promise<void>;
  readonly openLink: (url: string) => Promise<void>;
  readonly quit: () => Promise<void>;
  /** Starts the app again, this once without these packs. */
  readonly restartWithout: (packs: readonly string[]) => Promise<void>;
}

export type PageRequest = Omit<IpcInput<'picker-page'>, 'sessionId'>;

export interface ControlPlaneCommands {
  /** Part of what a source offers for the session on the screen. */
  readonly pickerPage: (request: PageRequest) => Promise<Result<PickerPage>>;
  /** Asks for a page that is about to be shown, so that its answer is under way while the list is drawn. */
  readonly prefetchPage: (request: PageRequest) => void;
  readonly choosePicked: (turn: number, id: string) => Promise<void>;
  readonly closePicker: (turn: number, then: 'nothing' | 'model') => Promise<void>;
  /** Answers a question on its card, and opens the session the work goes on in, if it does in another. */
  readonly answerQuestion: (turn: number, questionId: string, option: string) => Promise<void>;
  /** How a line would be routed; nothing is sent. */
  readonly previewRoute: (text: string) => Promise<Result<Routing>>;
  /** Does something with the session's workflow; what was wrong with it, when there was something. */
  readonly actOnWorkflow: (act: WorkflowAct) => Promise<AppError | null>;
  /** The session on the screen works with the workflows that are published now. */
  readonly reloadWorkflows: () => Promise<void>;
  readonly callDdrs: (operation: string, payload: JsonObject) => Promise<Result<DdrAnswer>>;
  /** Opens the inspector at a tab, about a turn. */
  readonly inspect: (turn: number | null, tab: InspectorTab) => void;
  readonly readControlPlane: () => Promise<void>;
}

/** Everything the window can be told to do. */
export type Commands = SessionCommands &
  TurnCommands &
  SettingCommands &
  ServerCommands &
  WorkspaceCommands &
  ArtifactCommands &
  GrantCommands &
  RecipeCommands &
  ElicitationCommands &
  AuthoringCommands &
  ControlPlaneCommands;
