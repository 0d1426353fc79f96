import type { ApprovalDecision, ApprovalEdit } from '#shared/approval';
import type { GrantRequest } from '#shared/grant';
import type { IpcInput } from '#shared/ipc';
import type { PromptPreview } from '#shared/prompt';
import type { Result } from '#shared/result';
import type { Routing } from '#shared/route';
import type { SentStepView } from '#shared/sent-step';
import type { SessionState, Turn } from '#shared/session-state';
import type { ReactNode } from 'react';

/** The user's answer to writes that wait on one card; each `hash` ties it to the exact arguments that were shown. */
export interface ApprovalAnswer {
  readonly runId: string;
  readonly answers: ApprovalDecision[];
  /** Saves the answers as permissions. */
  readonly wish?: GrantRequest;
}

/** An action on a run, other than answering its approvals. */
export type RunAction =
  | { readonly type: 'pause' | 'continue'; readonly runId: string }
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

/** The caches that a repeated goal ignores. */
export interface RerunOptions {
  /** Ignore the cached plan of this goal. */
  readonly planAnew?: boolean;
  /** Ignore cached reads. */
  readonly fresh?: boolean;
}

/** Everything a turn on the screen can ask for. Turns are named by their position in the session. */
export interface TurnActions {
  /** Sends the turn's text again, as a new turn, in the run mode it had, to the model chosen now. */
  readonly onRetry: (turn: number, options?: RerunOptions) => void;
  /** Puts the turn's text into the composer. */
  readonly onEdit: (turn: number) => void;
  /** Stops a streaming reply or cancels a run. */
  readonly onStop: (turn: number) => void;
  /** Opens the inspector on the turn's run, or on its prompt when it has none. */
  readonly onOpenInspector: (turn: number) => void;
  /** Opens the dialog that keeps the turn's run as a recipe. */
  readonly onSaveRecipe: (turn: number) => void;
  /** Opens the inspector on what the turn's model calls were sent. */
  readonly onShowSent: (turn: number) => void;
  readonly onAnswerApproval: (answer: ApprovalAnswer) => void;
  /** Changes the arguments of a write that waits; the error says why they cannot be. */
  readonly onEditApproval: (edit: ApprovalEdit) => Promise<Result<null>>;
  readonly onRun: (turn: number, action: RunAction) => void;
  /** Asks to open an address; the user sees the whole address before anything opens. */
  readonly onOpenLink: (url: string) => void;
  readonly onCopy: (text: string) => void;
}

/**
 * A hook: the whole text of a reply that is still streaming (saved part included), or nothing when the text of the
 * turn's `reply` is all there is. Only the component that calls it is drawn again when a delta arrives.
 */
export type UseLive = (turn: number) => string | undefined;

/** A turn to bring into sight and point out for a moment; `tick` tells two requests for the same turn apart. */
export interface FocusTurn {
  readonly turn: number;
  readonly tick: number;
}

/** The conversation of one session (`features/message/turn-list.tsx`). */
export interface TurnListProps extends TurnActions {
  readonly session: SessionState;
  readonly useLive: UseLive;
  readonly focusTurn: FocusTurn | null;
  /** Draws the run of an Agent Mode turn; given by the app because features never import each other. */
  readonly renderRun: (turn: Turn) => ReactNode;
  /** Draws which command took a line. */
  readonly renderRoutedBy: (turn: Turn) => ReactNode;
  /** Draws what the control plane made of a line, before any reply. */
  readonly renderRouted: (turn: Turn) => ReactNode;
  /** Draws what the model proposed, below its reply. */
  readonly renderProposed: (turn: Turn) => ReactNode;
}

export type InspectorTab = 'run' | 'trace' | 'artifacts' | 'prompt' | 'tools' | 'route';

/** The panel beside the conversation (`features/inspector/inspector.tsx`). */
export interface InspectorProps {
  /** Nothing while a session is yet to begin. */
  readonly session: SessionState | undefined;
  /** The turn whose run is shown; `null` is the newest turn with a run. */
  readonly turn: number | null;
  readonly tab: InspectorTab;
  readonly onTab: (tab: InspectorTab) => void;
  /** What the model would be sent, for this session and the current run mode. */
  readonly loadPrompt: () => Promise<Result<PromptPreview>>;
  /** What each model call of a past turn was sent, exactly. */
  readonly loadImage: (image: IpcInput<'snapshot-image'>) => Promise<Result<{ readonly dataUrl: string }>>;
  readonly loadSteps: (turn: number) => Promise<Result<readonly SentStepView[]>>;
  /** Shows another turn; `null` is the newest, or what would be sent next. */
  readonly onTurn: (turn: number | null) => void;
  /** How a line would be routed in this session; nothing is sent. */
  readonly previewRoute: (text: string) => Promise<Result<Routing>>;
  readonly onAnswerApproval: (answer: ApprovalAnswer) => void;
  /** Changes the arguments of a write that waits; the error says why they cannot be. */
  readonly onEditApproval: (edit: ApprovalEdit) => Promise<Result<null>>;
  readonly onStop: (turn: number) => void;
  readonly onRun: TurnActions['onRun'];
  readonly onCopy: (text: string) => void;
  readonly onClose: () => void;
}
