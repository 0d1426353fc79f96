import { z } from 'zod';
import { ApprovalDecision, ApprovalEdit } from './approval';
import type { DdrAnswer } from './ddr';
import { GrantRequest } from './grant';
import { grantCalls } from './ipc-grants';
import { call } from './ipc-call';
import { artifactCalls } from './ipc-artifacts';
import { elicitationCalls, type ElicitationPush } from './ipc-elicitations';
import { recipeCalls } from './ipc-recipes';
import { serverCalls } from './ipc-servers';
import { workspaceCalls } from './ipc-workspace';
import { workflowCalls } from './ipc-workflows';
import { JsonObject } from './json';
import { ModelRef, Provider } from './model';
import { ResolverSource } from './resolver';
import { RunMode } from './run-mode';
import { SettingsPatch, type Settings } from './settings';
import type { ProviderModels } from './model';
import type { ControlPlaneView, PickerPage } from './control-plane';
import type { Notice } from './notice';
import type { WindowAction } from './window-action';
import type { PromptPreview } from './prompt';
import type { Result } from './result';
import type { Routing } from './route';
import type { SessionEvent } from './session-event';
import type { SessionState, SessionSummary } from './session-state';
import { WorkflowAct } from './workflow-act';
import { WorkspaceOverride } from './workspace';

const sessionId = z.string().min(1).max(64);
const turn = z.number().int().nonnegative();
const nothing = z.undefined();
/** A line of input; larger pastes are refused at the border with a clear error. */
export const maxMessageLength = 1_000_000;

export interface AppInfo {
  readonly version: string;
  readonly platform: string;
  readonly agentMode: { readonly enabled: boolean; readonly reason?: string };
  readonly keychain: { readonly available: boolean; readonly reason?: string };
  readonly notices: readonly Notice[];
  readonly projectSuggestion: string | null;
  /** What the window can do without an Id, in the order it is shown in. */
  readonly actions: readonly WindowAction[];
}

export interface SearchHit {
  readonly sessionId: string;
  readonly sessionTitle: string;
  readonly turn: number;
  /** Text around the match, with `\u0001` before and `\u0002` after each matched word. */
  readonly snippet: string;
}

/** Where the next part of a snapshot begins: the seq of the state that is read, and the first of its blocks that is missing. */
const NextPart = z.object({ seq: z.number().int().nonnegative(), block: z.number().int().positive() });

/** `text` is a state whose blocks end early, or in a later part the blocks that follow; `next` is null in the last part. */
export interface SnapshotPart {
  readonly text: string;
  readonly next: z.infer<typeof NextPart> | null;
}

/** Everything the window can ask of main. A handler map typed by this table cannot miss one. */
export const ipcCalls = {
  ...serverCalls,
  ...artifactCalls,
  ...elicitationCalls,
  ...workspaceCalls,
  ...grantCalls,
  ...recipeCalls,
  ...workflowCalls,
  'app-info': call<AppInfo>()(nothing),
  'settings-get': call<Settings>()(nothing),
  'settings-set': call<Settings>()(SettingsPatch),
  /** All sessions, or those that are archived, or those that are not. */
  'session-list': call<readonly SessionSummary[]>()(z.object({ archived: z.boolean().optional() })),
  'session-search': call<readonly SearchHit[]>()(z.object({ text: z.string().max(500) })),
  'session-create': call<SessionState>()(z.object({ project: z.string().nullable().optional() })),
  'session-open': call<SessionState>()(z.object({ sessionId })),
  /**
   * The same state as JSON text: it crosses into the page many times faster than as thousands of values. A long session comes in parts,
   * as one large text would hold up the page: each call after the first one names the part it asks for.
   */
  'session-snapshot': call<SnapshotPart>()(z.object({ sessionId, next: NextPart.optional() })),
  'session-rename': call<null>()(z.object({ sessionId, title: z.string().trim().min(1).max(200) })),
  'session-archive': call<null>()(z.object({ sessionId })),
  'session-restore': call<null>()(z.object({ sessionId })),
  /** Restores events from rows set aside and from the daily copies; how many, and how many stay damaged. */
  'session-repair': call<{ readonly restored: number; readonly damaged: number }>()(z.object({ sessionId })),
  /** Asks the user, then deletes the session for good; whether it was. */
  'session-delete': call<{ readonly deleted: boolean }>()(z.object({ sessionId })),
  'session-set-project': call<null>()(z.object({ sessionId, project: z.string() })),
  /** Routes a line, records it and acts on it; `opened` is a session its command leads to. */
  'message-send': call<{ readonly turn: number; readonly opened?: string }>()(
    z.object({
      sessionId,
      text: z.string().min(1).max(maxMessageLength),
      runMode: RunMode,
      model: ModelRef,
      /** Agent Mode only: ask the model although an earlier plan of the same goal is known. */
      planAnew: z.boolean().optional(),
      /** Agent Mode only: make every read anew. */
      fresh: z.boolean().optional(),
      /** What this line takes instead of its session's own prompt pack and tool catalog. */
      workspace: WorkspaceOverride.optional(),
    }),
  ),
  /** Routes a line without recording or doing anything. */
  'route-preview': call<Routing>()(
    z.object({ sessionId: sessionId.optional(), text: z.string().max(maxMessageLength) }),
  ),
  /** What the control plane has switched on for a session, or for a session that does not exist yet. */
  'control-plane': call<ControlPlaneView>()(z.object({ sessionId: sessionId.optional() })),
  /** A stretch of a source's items that fit a text, in the router's order; nothing when the source is not active. */
  'picker-page': call<PickerPage>()(
    z.object({
      sessionId: sessionId.optional(),
      source: ResolverSource,
      text: z.string().max(500),
      offset: z.number().int().nonnegative(),
      limit: z.number().int().min(1).max(200),
      refresh: z.boolean().optional(),
    }),
  ),
  'picker-choose': call<{ readonly opened: string | null }>()(
    z.object({ sessionId, turn, id: z.string().min(1).max(4_096) }),
  ),
  /** Closes a turn's picker; `model` sends the line on to the model. */
  'picker-close': call<null>()(z.object({ sessionId, turn, then: z.enum(['nothing', 'model']) })),
  /** Answers a question on its card; `opened` is the session the work goes on in, when it goes on in another. */
  'question-answer': call<{ readonly opened: string | null }>()(
    z.object({ sessionId, turn, questionId: z.string(), option: z.string().max(500) }),
  ),
  /** The user's own call of the DDR manager. */
  'ddr-call': call<DdrAnswer>()(z.object({ operation: z.string(), payload: JsonObject })),
  'workflow-act': call<null>()(z.object({ sessionId, act: WorkflowAct })),
  'turn-stop': call<null>()(z.object({ sessionId, turn })),
  /** All answers or none; each names the hash of exactly what was shown. `wish` makes standing answers of them. */
  'approval-answer': call<null>()(
    z.object({
      sessionId,
      runId: z.string(),
      answers: z.array(ApprovalDecision).min(1).max(2_000),
      wish: GrantRequest.optional(),
    }),
  ),
  /** Changes a call that waits; checked like any call's arguments. */
  'approval-edit': call<null>()(z.object({ sessionId, edit: ApprovalEdit })),
  /** Holds a run or lets it go on. */
  'run-pause': call<null>()(z.object({ sessionId, runId: z.string(), paused: z.boolean() })),
  /** Has a run go on where it stopped, or anew from one of its nodes. */
  'run-again': call<null>()(z.object({ sessionId, turn, from: z.string().optional() })),
  /** Says how a write ended that nobody saw the end of. */
  'write-settle': call<null>()(
    z.object({ sessionId, runId: z.string(), callId: z.string(), happened: z.boolean() }),
  ),
  'model-list': call<readonly ProviderModels[]>()(z.object({ refresh: z.boolean() })),
  'provider-save': call<null>()(
    z.object({
      provider: Provider,
      key: z.string().max(10_000).optional(),
      unprotected: z.boolean().optional(),
    }),
  ),
  'provider-remove': call<null>()(z.object({ id: z.string() })),
  'provider-test': call<{ readonly models: readonly string[] }>()(
    z.object({ baseUrl: z.string(), key: z.string().optional(), id: z.string().optional() }),
  ),
  'prompt-preview': call<PromptPreview>()(z.object({ sessionId: sessionId.optional(), runMode: RunMode })),
  'project-choose': call<string | null>()(nothing),
  'link-open': call<{ readonly opened: boolean }>()(z.object({ url: z.string().max(8_192) })),
  'clipboard-write': call<null>()(z.object({ text: z.string().max(20_000_000) })),
  'notice-dismiss': call<null>()(z.object({ id: z.string() })),
  'app-quit': call<null>()(nothing),
  /** Ends the app and starts it again, this once without the packs named by their folders. */
  'app-restart': call<null>()(z.object({ withoutPacks: z.array(z.string().min(1).max(200)).max(100) })),
} as const;

export type IpcCalls = typeof ipcCalls;
export type IpcName = keyof IpcCalls;
export type IpcInput<N extends IpcName> = z.infer<IpcCalls[N]['input']>;
export type IpcOutput<N extends IpcName> = IpcCalls[N]['output'];

/** One handler per call, by type: leaving one out does not compile. */
export type IpcHandlers = {
  readonly [N in IpcName]: (input: IpcInput<N>) => Result<IpcOutput<N>> | Promise<Result<IpcOutput<N>>>;
};

/** What main tells the window without being asked. */
export type Push =
  | { readonly type: 'events'; readonly sessionId: string; readonly events: readonly SessionEvent[] }
  /** Text of a reply still being written: `offset` is its place in the whole reply, in UTF-16 units. */
  | {
      readonly type: 'reply-delta';
      readonly sessionId: string;
      readonly turn: number;
      readonly offset: number;
      readonly text: string;
    }
  | { readonly type: 'session-changed'; readonly summary: SessionSummary }
  /** A session was deleted for good. */
  | { readonly type: 'session-removed'; readonly sessionId: string }
  | { readonly type: 'settings-changed'; readonly settings: Settings }
  | { readonly type: 'models-changed'; readonly models: readonly ProviderModels[] }
  | ElicitationPush
  | { readonly type: 'notice-raised'; readonly notice: Notice }
  | { readonly type: 'notice-withdrawn'; readonly id: string }
  /** A workflow or a draft of one is not what it was, whoever changed it. */
  | { readonly type: 'workflows-changed' }
  /** A row of the application menu was chosen: the id of an action or a command. */
  | { readonly type: 'menu-chosen'; readonly id: string };

/** At most one batch is under way: main holds what comes until the window says it has drawn the last one. */
export interface PushBatch {
  readonly batch: number;
  readonly pushes: readonly Push[];
}

/** What the preload script puts on `window.patina`. */
export interface Bridge {
  readonly invoke: <N extends IpcName>(name: N, input: IpcInput<N>) => Promise<Result<IpcOutput<N>>>;
  /** Calls back for each batch; the batch is acknowledged when the listener's promise settles. Returns the way to stop. */
  readonly onPush: (listener: (batch: PushBatch) => void | Promise<void>) => () => void;
}
