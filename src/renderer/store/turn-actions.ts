import type { TurnCard } from './reply-parts';
import type { ItemContent } from '#shared/context-item';
import type { ApprovalDecision, ApprovalEdit } from '#shared/approval';
import type { GrantRequest } from '#shared/grant';
import type { IpcInput } from '#shared/ipc';
import type { PlanDecision } from '#shared/plan-review';
import type { PromptPreview } from '#shared/prompt';
import type { Result } from '#shared/result';
import type { Routing } from '#shared/route';
import type { SentStepView } from '#shared/sent-step';
import type { SessionPreview } from '#shared/session-preview';
import type { SessionState, Turn } from '#shared/session-state';
import type { PriceOf } from '#shared/spent';
import type { ReactNode } from 'react';

/**
 * The user's answer to the pending writes of one card; each `hash` ties it to the exact arguments displayed.
 */
export interface ApprovalAnswer {
  readonly runId: string;
  readonly answers: ApprovalDecision[];
  /** Saves the answers as permissions. */
  readonly grant?: GrantRequest;
}

/** An action on a run, other than answering its approvals. */
export type RunAction =
  | { readonly type: 'pause' | 'continue'; readonly runId: string }
  /** Opens the plan that waits. */
  | { readonly type: 'review-plan' }
  /** Runs the plan that waits. */
  | { readonly type: 'run-plan'; readonly runId: string; readonly decision: PlanDecision }
  /** Ends the run without running the plan that waits. */
  | { readonly type: 'reject-plan'; readonly runId: string }
  /** Resumes where the run stopped, or reruns from a node. */
  | { readonly type: 'again'; readonly from?: string }
  | {
      readonly type: 'settle-write';
      readonly runId: string;
      readonly callId: string;
      readonly happened: boolean;
    };

/** Resumes a run where it stopped, or reruns it from a node. */
export const rerun = (from?: string): RunAction => ({ type: 'again', ...(from !== undefined && { from }) });

/** Which caches are bypassed when a line is answered again. */
export interface RegenerateOptions {
  /** Ignores the cached plan of a goal; default: true. */
  readonly planAnew?: boolean;
  /** Ignores cached reads. */
  readonly fresh?: boolean;
}

/** All actions of a turn on the screen. A turn is identified by its position in the session. */
export interface TurnActions {
  /** The content of an item that was sent with a line. */
  readonly readItem: (hash: string) => Promise<Result<ItemContent>>;
  /** Regenerates the answer to a turn's line, in its place, by the model chosen now. */
  readonly onRegenerate: (turn: number, options?: RegenerateOptions) => void;
  /** Lets the user choose another model, which then answers the turn's line in its place. */
  readonly onOtherModel: (turn: number) => void;
  /** Opens the turn's line for editing in its place; null closes it. */
  readonly onEdit: (turn: number | null) => void;
  /** The edited text of a turn's line that was neither sent nor dropped; empty: none. */
  readonly unsentEdit: (turn: number) => string;
  /** Stores it; empty: drops it. */
  readonly saveEdit: (turn: number, text: string) => void;
  /** Sends an edited line in the turn's place. */
  readonly onSendEdited: (turn: number, text: string) => void;
  /** Shows another branch: the one that ends with the newest turn after this one. */
  readonly onChooseBranch: (turn: number) => void;
  /** Tells screen readers. */
  readonly onAnnounce: (text: string) => void;
  /** Copies the conversation up to this turn into a new session, and opens it. */
  readonly onFork: (turn: number) => void;
  /** Ends the conversation with this turn; later turns stay, out of sight. */
  readonly onGoBackTo: (turn: number) => void;
  /** Stops a streaming reply or cancels a run. */
  readonly onStop: (turn: number) => void;
  /** Opens the inspector on the turn's run, or on its prompt when it has none. */
  readonly onOpenInspector: (turn: number) => void;
  /** Opens the dialog that saves the turn's run as a recipe. */
  readonly onSaveRecipe: (turn: number) => void;
  /** Opens the inspector on the requests that the turn's model calls sent. */
  readonly onShowSent: (turn: number) => void;
  readonly onAnswerApproval: (answer: ApprovalAnswer) => void;
  /** Changes the arguments of a pending write; the error says why they are invalid. */
  readonly onEditApproval: (edit: ApprovalEdit) => Promise<Result<null>>;
  readonly onRun: (turn: number, action: RunAction) => void;
  /** Requests to open an address; the user sees the whole address before anything opens. */
  readonly onOpenLink: (url: string) => void;
  readonly onCopy: (text: string) => void;
}

/**
 * A hook: the whole text of a streaming reply (including the saved part), or undefined when the turn's
 * `reply` already has all of it. Only the component that calls it renders again when a delta arrives.
 */
export type UseLive = (turn: number) => string | undefined;

/** A turn to scroll to and highlight briefly; `tick` distinguishes two requests for the same turn. */
export interface FocusTurn {
  readonly turn: number;
  readonly tick: number;
}

/** Where the conversation stood in the view: a turn, and how far its top was above the view's, in pixels. */
export interface ReadingPlace {
  readonly turn: number;
  readonly above: number;
}

export interface Reloaded {
  /** Null: at the end of the conversation. */
  readonly place: ReadingPlace | null;
  /** The unsaved text of the line that is being edited. */
  readonly edited: string | null;
}

/** The conversation of one session (`features/message/turn-list.tsx`). */
export interface TurnListProps {
  /** The whole session or, while it loads, the last turns of it. */
  readonly session: SessionState | SessionPreview;
  readonly useLive: UseLive;
  readonly focusTurn: FocusTurn | null;
  /** The turn whose line is being edited. */
  readonly editing: number | null;
  /** What the page before this one showed, if the page has just loaded again. */
  readonly reloaded: Reloaded | null;
  /** One object as long as the app runs, so that no row renders again for it. */
  readonly actions: TurnActions;
  /** Renders the run of an Agent Mode turn; the app provides it because features never import each other. */
  readonly renderRun: (turn: Turn) => ReactNode;
  /** Renders the command that handled a line. */
  readonly renderLineTools: (turn: Turn) => ReactNode;
  readonly renderRoutedBy: (turn: Turn) => ReactNode;
  /** Renders the control plane's decision about a line, above any reply. */
  readonly renderRouted: (turn: Turn) => ReactNode;
  /** Renders a question of the model, or an event of a workflow. */
  readonly renderCard: (turn: Turn, card: TurnCard) => ReactNode;
  /** Renders the model's proposal, below its reply. */
  readonly renderProposed: (turn: Turn) => ReactNode;
}

export const inspectorTabs = ['run', 'trace', 'artifacts', 'prompt', 'usage', 'tools', 'route'] as const;
export type InspectorTab = (typeof inspectorTabs)[number];

/** The panel beside the conversation (`features/inspector/inspector.tsx`). */
export interface InspectorProps {
  /** Undefined until the session is created. */
  readonly session: SessionState | undefined;
  /** The turn whose run is shown; `null` selects the newest turn with a run. */
  readonly turn: number | null;
  readonly tab: InspectorTab;
  readonly onTab: (tab: InspectorTab) => void;
  /** The prompt that the next line would send, for this session and the current run mode. */
  readonly loadPrompt: () => Promise<Result<PromptPreview>>;
  /** Loads one image of a snapshot. */
  readonly loadImage: (image: IpcInput<'snapshot-image'>) => Promise<Result<{ readonly dataUrl: string }>>;
  /** The content of an item that was sent with a line. */
  readonly readItem: (hash: string) => Promise<Result<ItemContent>>;
  readonly loadSteps: (turn: number) => Promise<Result<readonly SentStepView[]>>;
  /** Shows another turn; `null` selects the newest, or the prompt of the next line. */
  readonly onTurn: (turn: number | null) => void;
  /** Previews how this session would route a line; sends nothing. */
  readonly previewRoute: (text: string) => Promise<Result<Routing>>;
  /** Goes to the open question of a turn's run, in the conversation. */
  readonly onShowQuestion: (turn: number) => void;
  readonly onStop: (turn: number) => void;
  readonly onRun: TurnActions['onRun'];
  readonly priceOf: PriceOf;
  readonly onCopy: (text: string) => void;
  readonly onClose: () => void;
}
