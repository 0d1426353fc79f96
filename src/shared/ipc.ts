import { z } from 'zod';
import { ApprovalDecision, ApprovalEdit } from './approval';
import type { DdrAnswer } from './ddr';
import { GrantRequest } from './grant';
import type { HelpPage } from './help-page';
import { InputLine, maxMessageLength, TurnPlace } from './input-line';
import { call } from './ipc-call';
import { pictureCalls } from './ipc-pictures';
import { artifactCalls } from './ipc-artifacts';
import { dataCalls } from './ipc-data';
import { localModelCalls } from './ipc-local-models';
import { LocalModelName } from './local-model';
import { instructionFileCalls } from './instruction-files';
import { elicitationCalls, grantCalls, recipeCalls, type ElicitationPush } from './ipc-agent';
import { serverRequests } from './ipc-servers';
import { workspaceCalls } from './ipc-workspace';
import { workflowCalls } from './ipc-workflows';
import { JsonObject } from './json';
import { ModelParameters } from './model-parameters';
import { maxInstructions } from './setting-rows';
import { QueueTime } from './line-queue';
import { PlanDecision, type PlanPreview } from './plan-review';
import { ModelRef, Provider, WireName, type ProviderModels } from './model';
import { ProviderEdit, VariableName, type EditableProvider, type ProviderOffer } from './provider-row';
import { ResolverSource } from './resolver';
import { RunMode } from './run-mode';
import { SettingsPatch, type Settings } from './settings';
import type { ControlPlaneView, PickerPage } from './control-plane';
import type { Notice } from './notice';
import type { ChoiceOutcome, WindowAction, WindowActionCall } from './window-action';
import type { PromptPreview } from './prompt';
import type { Result } from './result';
import type { Routing } from './route';
import type { SessionEvent } from './session-event';
import type { SessionPreview } from './session-preview';
import type { EventGap, SessionState, SessionSummary } from './session-state';
import type { RunDiff, UndoReport } from './undo';
import { UsageBy, type UsageReport } from './usage-report';
import { WorkflowAct } from './workflow-act';
import { AttachRequest, type Attached, type AttachOption, type ItemContent } from './context-item';
import { SnapshotHash } from './workspace';

const sessionId = z.string().min(1).max(64);
const turn = z.number().int().nonnegative();
const lineId = z.string().min(1).max(64);
const nothing = z.undefined();

/** Calls about what the user attaches to a line. */
const itemCalls = {
  /**
   * Reads what the user names and stores it as an item of the next line. HOST/NOT_FOUND; HOST/INVALID_INPUT for a
   * binary file or one that is too large.
   */
  'item-attach': call<Attached>()(AttachRequest.extend({ sessionId: sessionId.optional() })),
  /** What can be attached and matches a text, best first. */
  'item-options': call<readonly AttachOption[]>()(
    z.object({ sessionId: sessionId.optional(), text: z.string().max(500) }),
  ),
  /** The stored content of an item, as it is sent. HOST/NOT_FOUND, HOST/STORAGE. */
  'item-read': call<ItemContent>()(z.object({ hash: SnapshotHash })),
} as const;

export interface AppInfo {
  readonly version: string;
  readonly platform: string;
  readonly agentMode: { readonly enabled: boolean; readonly reason?: string };
  readonly keychain: { readonly available: boolean; readonly reason?: string };
  readonly notices: readonly Notice[];
  readonly projectSuggestion: string | null;
  /** Whether the user has design records or a workspace of their own; the rail shows each once it exists. */
  readonly own: { readonly designRecords: boolean; readonly workspace: boolean };
  /** Window actions that need no Id, in display order. */
  readonly actions: readonly WindowAction[];
  /** Whether the encoder of sentences is installed; whether it is on is a setting. */
  readonly sentenceEncoder: boolean;
}

export interface SearchHit {
  readonly sessionId: string;
  readonly sessionTitle: string;
  readonly turn: number;
  /** Text around the match; each matched word is between `\u0001` and `\u0002`. */
  readonly snippet: string;
}

/** Cursor to the next part of a snapshot: the seq of the state being read and its next block. */
const NextPart = z.object({ seq: z.number().int().nonnegative(), block: z.number().int().positive() });

/**
 * `text` is the state with its first blocks or, in later parts, only the blocks that follow; `next`
 * is null in the last part.
 */
export interface SnapshotPart {
  readonly text: string;
  readonly next: z.infer<typeof NextPart> | null;
}

/** All calls from the window to main. A handler map typed by this table must implement every call. */
export const ipcCalls = {
  ...serverRequests,
  ...artifactCalls,
  ...dataCalls,
  ...elicitationCalls,
  ...workspaceCalls,
  ...grantCalls,
  ...recipeCalls,
  ...workflowCalls,
  ...itemCalls,
  ...instructionFileCalls,
  ...localModelCalls,
  'app-info': call<AppInfo>()(nothing),
  'settings-get': call<Settings>()(nothing),
  'settings-set': call<Settings>()(SettingsPatch),
  /** All sessions, or only the archived or unarchived ones. */
  'session-list': call<readonly SessionSummary[]>()(z.object({ archived: z.boolean().optional() })),
  'session-search': call<readonly SearchHit[]>()(z.object({ text: z.string().max(500) })),
  /** Sessions whose title or first line is close to a text in meaning; none without the encoder. */
  'session-similar': call<readonly SearchHit[]>()(z.object({ text: z.string().max(500) })),
  'session-create': call<SessionState>()(z.object({ project: z.string().nullable().optional() })),
  'session-open': call<SessionState>()(z.object({ sessionId })),
  /**
   * The session state as JSON text, which transfers to the page many times faster than structured
   * values. Long sessions come in parts, because one large text would block the page; each call after
   * the first passes `next`.
   */
  'session-snapshot': call<SnapshotPart>()(z.object({ sessionId, next: NextPart.optional() })),
  /** What a long session ends with, until its snapshot is there; null for a short one. */
  'session-preview': call<SessionPreview | null>()(z.object({ sessionId })),
  'session-rename': call<null>()(z.object({ sessionId, title: z.string().trim().min(1).max(200) })),
  'session-archive': call<null>()(z.object({ sessionId })),
  'session-restore': call<null>()(z.object({ sessionId })),
  'session-mark': call<null>()(
    z.object({ sessionId, pinned: z.boolean().optional(), unread: z.boolean().optional() }),
  ),
  /**
   * Restores events from rows set aside and from the daily copies; returns the numbers of restored
   * and still damaged events.
   */
  'session-repair': call<{ readonly restored: number; readonly damaged: number }>()(z.object({ sessionId })),
  /** The number of events that a repair would restore. */
  'session-restorable': call<number>()(z.object({ sessionId })),
  /** Copies the conversation up to a turn into a new session, and returns that session. */
  'session-fork': call<SessionSummary>()(z.object({ sessionId, turn })),
  /** Asks the user, then permanently deletes the session; returns whether it was deleted. */
  'session-delete': call<{ readonly deleted: boolean }>()(z.object({ sessionId })),
  'session-set-project': call<null>()(z.object({ sessionId, project: z.string() })),
  /**
   * Routes a line, records it and acts on it; `opened` is the session that its command opens, `windowAction` what
   * the command asks the window to do; a line that is a `command` used nothing that was attached to it.
   */
  'message-send': call<{
    readonly turn: number;
    readonly opened?: string;
    readonly windowAction?: WindowActionCall;
    readonly command?: true;
  }>()(
    InputLine.extend({
      sessionId,
      text: z.string().min(1).max(maxMessageLength),
      parent: TurnPlace.shape.parent,
    }),
  ),
  /** Writes a text to a file of the project, in a run of its own that shows the difference and asks. */
  'file-write': call<{ readonly turn: number }>()(
    z.object({
      sessionId,
      model: ModelRef,
      path: z.string().trim().min(1).max(1_000),
      content: z.string().max(maxMessageLength),
    }),
  ),
  /**
   * Acts on a line that changes the app and no session: a setting, the model, a window action. Null for any
   * other line. `undo` is the line that takes the change back.
   */
  'app-change': call<{
    readonly summary: string;
    readonly opened?: string;
    readonly windowAction?: WindowActionCall;
    readonly undo?: string;
  } | null>()(z.object({ text: z.string().min(1).max(maxMessageLength) })),
  /**
   * Regenerates the answer to a turn's line as a sibling of that turn; `turn` of the answer is the new turn. A run is
   * given a new plan unless `planAnew` is false.
   */
  'turn-regenerate': call<{ readonly turn: number }>()(
    z.object({
      sessionId,
      turn,
      ...InputLine.pick({ model: true, review: true, planAnew: true, fresh: true }).shape,
      /** Stops the turn first, if it is the one in progress. */
      instead: z.boolean().optional(),
    }),
  ),
  /** Goes on from another turn; the turns of other branches stay. */
  'head-move': call<null>()(z.object({ sessionId, turn })),
  /** Takes back the summary that ends with a turn. */
  'compaction-undo': call<null>()(z.object({ sessionId, upTo: turn })),
  /** Replaces the user's instructions for a session; an empty text removes them. */
  'session-instructions': call<null>()(z.object({ sessionId, text: z.string().max(maxInstructions) })),
  /** Replaces the parameters of a session's requests. */
  'session-parameters': call<null>()(z.object({ sessionId, parameters: ModelParameters })),
  /** Routes a line without recording it or acting on it. */
  'route-preview': call<Routing>()(
    z.object({ sessionId: sessionId.optional(), text: z.string().max(maxMessageLength) }),
  ),
  /**
   * Ids of the window actions and commands that are nearest to a text in meaning, nearest first; starts none. Null
   * when nothing could compare them.
   */
  'near-actions': call<readonly string[] | null>()(
    z.object({ text: z.string().max(500), localModel: LocalModelName.optional() }),
  ),
  /** What the control plane enables for a session or, without `sessionId`, for a new session. */
  'control-plane': call<ControlPlaneView>()(z.object({ sessionId: sessionId.optional() })),
  /**
   * A page of a source's items that match a text, in the router's order; empty when the source is not active.
   */
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
  'picker-choose': call<ChoiceOutcome>()(z.object({ sessionId, turn, id: z.string().min(1).max(4_096) })),
  /** Closes a turn's picker; `model` then sends the line to the model. */
  'picker-close': call<null>()(z.object({ sessionId, turn, then: z.enum(['nothing', 'model']) })),
  /** Answers a question on its card; `opened` is the session where the work continues, if another one. */
  'question-answer': call<ChoiceOutcome>()(
    z.object({ sessionId, turn, questionId: z.string(), option: z.string().max(500) }),
  ),
  /** A direct call of the DDR manager by the user. */
  'ddr-call': call<DdrAnswer>()(z.object({ operation: z.string(), payload: JsonObject })),
  'workflow-act': call<null>()(z.object({ sessionId, act: WorkflowAct })),
  'turn-stop': call<null>()(z.object({ sessionId, turn })),
  'line-edit': call<null>()(
    z.object({
      sessionId,
      lineId,
      text: z.string().max(maxMessageLength).optional(),
      when: QueueTime.optional(),
      /** The user begins to edit the text, or ends the edit. */
      held: z.boolean().optional(),
    }),
  ),
  'line-withdraw': call<null>()(z.object({ sessionId, lineId })),
  /** Moves a waiting line before another one; null: to the end. */
  'line-move': call<null>()(z.object({ sessionId, lineId, before: lineId.nullable() })),
  /** Sends the lines of a paused queue. */
  'queue-resume': call<null>()(z.object({ sessionId })),
  /**
   * Applies all answers or none; each must name the hash of exactly what was shown. `grant` saves
   * the answers as permissions.
   */
  'approval-answer': call<null>()(
    z.object({
      sessionId,
      runId: z.string(),
      answers: z.array(ApprovalDecision).min(1).max(2_000),
      grant: GrantRequest.optional(),
    }),
  ),
  /** Edits the arguments of a pending call; they are validated like those of any call. */
  'approval-edit': call<null>()(z.object({ sessionId, edit: ApprovalEdit })),
  /** Runs a waiting plan, with the user's changes if they pass the check. */
  'plan-review': call<null>()(z.object({ sessionId, runId: z.string(), decision: PlanDecision })),
  /** Checks a waiting plan as the user edits it; nothing changes. */
  'plan-check': call<PlanPreview>()(z.object({ sessionId, runId: z.string(), edit: PlanDecision })),
  /** Ends a run whose plan waits, without running it. */
  'plan-reject': call<null>()(z.object({ sessionId, runId: z.string() })),
  /** Pauses or resumes a run. */
  'run-pause': call<null>()(z.object({ sessionId, runId: z.string(), paused: z.boolean() })),
  /** Resumes a run where it stopped, or reruns it from one of its nodes. */
  'run-again': call<null>()(z.object({ sessionId, turn, from: z.string().optional() })),
  /** Undoes one write of a run, or all of them; `partial`: the files that can be undone, even if not all can. */
  'run-undo': call<UndoReport>()(
    z.object({
      sessionId,
      runId: z.string(),
      write: z.string().optional(),
      partial: z.boolean().optional(),
    }),
  ),
  /** Everything that a run wrote to project files. */
  'run-diff': call<RunDiff>()(z.object({ sessionId, runId: z.string() })),
  /** Records the outcome of a write that was not observed. */
  'write-settle': call<null>()(
    z.object({ sessionId, runId: z.string(), callId: z.string(), happened: z.boolean() }),
  ),
  'model-list': call<readonly ProviderModels[]>()(z.object({ refresh: z.boolean() })),
  /** What model calls used and cost, from one day to another. HOST/STORAGE. */
  'usage-report': call<UsageReport>()(
    z.object({ by: UsageBy, from: z.iso.date().optional(), to: z.iso.date().optional() }),
  ),
  'provider-save': call<null>()(
    z.object({
      provider: Provider,
      key: z.string().max(10_000).optional(),
      unprotected: z.boolean().optional(),
    }),
  ),
  /** What is known about providers before they are set up. */
  'provider-offers': call<readonly ProviderOffer[]>()(nothing),
  'provider-editable': call<readonly EditableProvider[]>()(nothing),
  /** Replaces everything that the user can edit of a provider, or adds one. */
  'provider-edit': call<null>()(
    z.object({
      id: Provider.shape.id,
      edit: ProviderEdit,
      key: z.string().max(10_000).optional(),
      unprotected: z.boolean().optional(),
    }),
  ),
  'provider-remove': call<null>()(z.object({ id: z.string() })),
  'provider-test': call<{ readonly models: readonly string[] }>()(
    z.object({
      baseUrl: z.string(),
      key: z.string().optional(),
      id: z.string().optional(),
      wire: WireName.optional(),
      ...ProviderEdit.pick({ headers: true, organization: true, proxy: true }).partial().shape,
      keyVariable: VariableName.optional(),
    }),
  ),
  'prompt-preview': call<PromptPreview>()(z.object({ sessionId: sessionId.optional(), runMode: RunMode })),
  'project-choose': call<string | null>()(nothing),
  'link-open': call<{ readonly opened: boolean }>()(z.object({ url: z.string().max(8_192) })),
  /** The pages of the user guide, the index first. */
  'help-pages': call<readonly HelpPage[]>()(nothing),
  ...pictureCalls,
  /** Shows a session in a window of its own, at one of its turns. HOST/NOT_FOUND. */
  'window-open': call<null>()(z.object({ sessionId, turn: turn.optional() })),
  /** Shows a session, or a new one, in the main window. */
  'window-main': call<null>()(z.object({ sessionId: sessionId.optional(), turn: turn.optional() })),
  'clipboard-write': call<null>()(z.object({ text: z.string().max(20_000_000) })),
  'notice-dismiss': call<null>()(z.object({ id: z.string() })),
  'app-quit': call<null>()(nothing),
  /** Restarts the app; this one start skips the named pack folders. */
  'app-restart': call<null>()(z.object({ withoutPacks: z.array(z.string().min(1).max(200)).max(100) })),
} as const;

export type IpcCalls = typeof ipcCalls;
export type IpcName = keyof IpcCalls;
export type IpcInput<N extends IpcName> = z.infer<IpcCalls[N]['input']>;
export type IpcOutput<N extends IpcName> = IpcCalls[N]['output'];

/** One handler per call; a missing handler does not compile. */
export type IpcHandlers = {
  readonly [N in IpcName]: (input: IpcInput<N>) => Result<IpcOutput<N>> | Promise<Result<IpcOutput<N>>>;
};

/** Messages that main pushes to the window. */
export type Push =
  | { readonly type: 'events'; readonly sessionId: string; readonly events: readonly SessionEvent[] }
  /**
   * New text of a streaming reply, or of the thinking before a plan; `offset` is its position in the whole reply, or
   * in the thinking of one planning call, in UTF-16 units.
   */
  | {
      readonly type: 'reply-delta';
      readonly sessionId: string;
      readonly turn: number;
      readonly offset: number;
      readonly text: string;
      readonly thinking?: true;
    }
  | { readonly type: 'session-changed'; readonly summary: SessionSummary }
  /** A scan of all events of an open session found these gaps. */
  | { readonly type: 'session-gaps'; readonly sessionId: string; readonly gaps: readonly EventGap[] }
  /** A session was permanently deleted. */
  | { readonly type: 'session-removed'; readonly sessionId: string }
  | { readonly type: 'settings-changed'; readonly settings: Settings }
  | { readonly type: 'models-changed'; readonly models: readonly ProviderModels[] }
  /** A model came to this computer or left it, or its download went on. */
  | { readonly type: 'local-models-changed' }
  | ElicitationPush
  | { readonly type: 'notice-raised'; readonly notice: Notice }
  | { readonly type: 'notice-withdrawn'; readonly id: string }
  /** A workflow or draft changed, in this or another process. */
  | { readonly type: 'workflows-changed' }
  /** The user clicked a notification of a session, or asked for it in another window. */
  | { readonly type: 'session-called'; readonly sessionId: string; readonly turn?: number }
  /** The sessions that have a window of their own. */
  | { readonly type: 'windows-changed'; readonly sessions: readonly string[] }
  /** The user chose a row of the application menu: the id of an action or a command. */
  | { readonly type: 'menu-chosen'; readonly id: string };

/**
 * At most one batch is in flight: main queues further pushes until the window acknowledges that
 * it has drawn the last one.
 */
export interface PushBatch {
  readonly batch: number;
  readonly pushes: readonly Push[];
}

/** The API that the preload script exposes as `window.patina`. */
export interface Bridge {
  /** The path of a file that the user dropped or chose; empty for one that exists only in the page. */
  readonly pathOf: (file: object) => string;
  readonly invoke: <N extends IpcName>(name: N, input: IpcInput<N>) => Promise<Result<IpcOutput<N>>>;
  /**
   * Calls back for each batch and acknowledges it when the listener's promise settles. Returns
   * an unsubscribe function.
   */
  readonly onPush: (listener: (batch: PushBatch) => void | Promise<void>) => () => void;
}
