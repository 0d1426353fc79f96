import { applyEvent } from '#shared/apply-event';
import type { AppError } from '#shared/app-error';
import type { ControlPlaneView } from '#shared/control-plane';
import type { PendingElicitation } from '#shared/elicitation';
import { defaultSettings } from '#shared/setting-rows';
import type { AppInfo, Push } from '#shared/ipc';
import type { ProviderModels } from '#shared/model';
import type { Notice } from '#shared/notice';
import type { SessionEvent } from '#shared/session-event';
import type { SessionPreview } from '#shared/session-preview';
import { changedPlace } from '#shared/sent-in';
import {
  turnAt,
  turnsPerBlock,
  type RunState,
  type SessionState,
  type SessionSummary,
  type Turn,
} from '#shared/session-state';
import type { Settings } from '#shared/settings';
import { addDelta, catchUp, liveKey, type LiveReplies } from './live-replies';

/** The window's copy of main's state: the window follows it and never changes it. */
export interface MirrorState {
  readonly info: AppInfo | null;
  readonly settings: Settings;
  readonly models: readonly ProviderModels[];
  readonly notices: readonly Notice[];
  /** Pending elicitations, oldest first. */
  readonly elicitations: readonly PendingElicitation[];
  readonly summaries: Readonly<Record<string, SessionSummary>>;
  /** Fully loaded sessions; all others are known only by their summary. */
  readonly sessions: Readonly<Record<string, SessionState>>;
  /** The last turns of long sessions that are still loading. */
  readonly previews: Readonly<Record<string, SessionPreview>>;
  readonly live: LiveReplies;
  /**
   * The commands and sources enabled for the session on the screen; keeps the last known value while the next
   * one loads.
   */
  readonly controlPlane: ControlPlaneView | null;
  /** The last row chosen in the application menu; a new object each time. */
  readonly menuChosen: { readonly id: string } | null;
  /** The session that was asked for last, by a notification or from another window; a new object each time. */
  readonly sessionCalled: { readonly sessionId: string; readonly turn?: number } | null;
  /** The sessions that have a window of their own. */
  readonly ownWindows: readonly string[];
  /**
   * Increases with every workspace event, including those of projects: views reload what they show of a
   * workspace.
   */
  readonly workspaceNews: number;
  /** Increases with every change of a workflow or draft, whatever its source. */
  readonly workflowNews: number;
  /** How often the models on this computer changed. */
  readonly localModelNews: number;
  /** Why the control plane could not be read. */
  readonly controlPlaneProblem: AppError | null;
}

export const emptyMirror: MirrorState = {
  info: null,
  settings: defaultSettings,
  models: [],
  notices: [],
  elicitations: [],
  summaries: {},
  sessions: {},
  previews: {},
  live: {},
  controlPlane: null,
  controlPlaneProblem: null,
  workspaceNews: 0,
  workflowNews: 0,
  localModelNews: 0,
  menuChosen: null,
  sessionCalled: null,
  ownWindows: [],
};

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!(key in record)) return record;
  const { [key]: _gone, ...rest } = record;
  return rest;
}

/**
 * Applies events in order up to the first gap in `seq`; `rest` contains the events after it, oldest first.
 */
export function followEvents(
  session: SessionState,
  events: readonly SessionEvent[],
): { readonly session: SessionState; readonly rest: readonly SessionEvent[] } {
  let next = session;
  for (const [index, event] of events.entries()) {
    if (event.seq > next.seq + 1) return { session: next, rest: events.slice(index) };
    next = applyEvent(next, event);
  }
  return { session: next, rest: [] };
}

const isOver = ({ status }: RunState): boolean => status !== 'planning' && status !== 'running';

/** Updates the live replies of a session from the saved text and drops replies that have ended. */
function followLive(live: LiveReplies, session: SessionState): LiveReplies {
  let next = live;
  for (const [key, reply] of Object.entries(live)) {
    if (!key.startsWith(`${session.id}:`)) continue;
    const { reply: saved, run } = turnAt(session, Number(key.slice(session.id.length + 1))) ?? {};
    if ((saved && saved.status !== 'streaming') || (run && isOver(run))) next = without(next, key);
    else if (saved) next = { ...next, [key]: catchUp(reply, saved.text) };
  }
  return next;
}

/**
 * The session with the turn objects of its preview, whose rows on the screen then do not render again. A preview does
 * not know the mode and the focus before its first turn.
 */
function withPreviewed(session: SessionState, preview: SessionPreview | undefined): SessionState {
  if (preview?.seq !== session.seq) return session;
  const previewed = new Map(preview.turns.map((turn) => [turn.turn, turn]));
  const shownOf = (turn: Turn): Turn => {
    const shown = previewed.get(turn.turn);
    const { mode, focus } = changedPlace(shown?.sentIn, turn.sentIn);
    return shown && !mode && !focus ? shown : turn;
  };
  const first = preview.turns[0]?.turn ?? session.turnCount;
  const blocks = session.blocks.map((block, at) =>
    (at + 1) * turnsPerBlock <= first ? block : block.map(shownOf),
  );
  return { ...session, blocks };
}

/** Stores a session unless the mirror already has a newer state of it. */
export function placeSession(state: MirrorState, session: SessionState): MirrorState {
  const known = state.sessions[session.id];
  const newer = known && known.seq > session.seq ? known : withPreviewed(session, state.previews[session.id]);
  return {
    ...state,
    sessions: { ...state.sessions, [session.id]: newer },
    previews: without(state.previews, session.id),
    live: followLive(state.live, newer),
  };
}

/** Shows the end of a session until the whole of it is loaded. */
export function placePreview(state: MirrorState, preview: SessionPreview): MirrorState {
  if (state.sessions[preview.id]) return state;
  return { ...state, previews: { ...state.previews, [preview.id]: preview } };
}

/** Unloads an open session; its summary stays. */
export function dropSession(state: MirrorState, id: string): MirrorState {
  return { ...state, sessions: without(state.sessions, id) };
}

function removeSession(state: MirrorState, id: string): MirrorState {
  const previews = without(state.previews, id);
  return { ...dropSession(state, id), previews, summaries: without(state.summaries, id) };
}

/** Merges summaries into the list; a new summary replaces the old one of its session. */
export function placeSummaries(state: MirrorState, summaries: readonly SessionSummary[]): MirrorState {
  const added = Object.fromEntries(summaries.map((summary) => [summary.id, summary]));
  return { ...state, summaries: { ...state.summaries, ...added } };
}

/** Adds elicitations that the list does not contain yet. */
export function placeElicitations(state: MirrorState, pending: readonly PendingElicitation[]): MirrorState {
  const known = new Set(state.elicitations.map(({ id }) => id));
  return { ...state, elicitations: [...state.elicitations, ...pending.filter(({ id }) => !known.has(id))] };
}

function deltaArrived(state: MirrorState, push: Extract<Push, { type: 'reply-delta' }>): MirrorState {
  const session = state.sessions[push.sessionId];
  const { reply, run } = (session && turnAt(session, push.turn)) ?? {};
  if ((reply && reply.status !== 'streaming') || (run && isOver(run))) return state;
  const key = liveKey(push.sessionId, push.turn);
  // Each planning call thinks from the beginning.
  const known = push.thinking && push.offset === 0 ? undefined : state.live[key];
  return { ...state, live: { ...state.live, [key]: addDelta(known, push) } };
}

type EndsLiveText = Extract<SessionEvent, { type: 'reply-ended' | 'run-ended' | 'model-step-ended' }>;

const endsLiveText = (event: SessionEvent): event is EndsLiveText =>
  event.type === 'reply-ended' || event.type === 'run-ended' || event.type === 'model-step-ended';

/** Drops the live texts that these events end: those of replies, and of the thinking before a plan. */
export function reconcileLiveReplies(state: MirrorState, events: readonly SessionEvent[]): MirrorState {
  let live = state.live;
  for (const event of events) {
    if (endsLiveText(event)) live = without(live, liveKey(event.sessionId, event.turn));
  }
  return live === state.live ? state : { ...state, live };
}

const isWorkspaceFact = ({ type }: SessionEvent): boolean =>
  type.startsWith('workspace-') || type === 'snapshot-applied';

/** Increments `workspaceNews` if the events change a workspace. */
export function noteWorkspaces(state: MirrorState, events: readonly SessionEvent[]): MirrorState {
  return events.some(isWorkspaceFact) ? { ...state, workspaceNews: state.workspaceNews + 1 } : state;
}

export type StatePush = Exclude<Push, { type: 'events' }>;

type Fold<T extends StatePush['type']> = (
  state: MirrorState,
  push: Extract<StatePush, { type: T }>,
) => MirrorState;

/** One fold per push type; a push type without a fold does not compile. */
const folds: { readonly [T in StatePush['type']]: Fold<T> } = {
  'reply-delta': deltaArrived,
  'session-changed': (state, { summary }) => {
    // Only the list checks for damage, so a summary of a changed session has no information about it.
    const damaged = state.summaries[summary.id]?.damaged;
    return placeSummaries(state, [{ ...summary, ...(damaged !== undefined && { damaged }) }]);
  },
  'session-gaps': (state, { sessionId, gaps }) => {
    const session = state.sessions[sessionId];
    return session ? { ...state, sessions: { ...state.sessions, [sessionId]: { ...session, gaps } } } : state;
  },
  'session-removed': (state, { sessionId }) => removeSession(state, sessionId),
  'settings-changed': (state, { settings }) => ({ ...state, settings }),
  'models-changed': (state, { models }) => ({ ...state, models }),
  'local-models-changed': (state) => ({ ...state, localModelNews: state.localModelNews + 1 }),
  'elicitation-asked': (state, { elicitation }) => placeElicitations(state, [elicitation]),
  'elicitation-over': (state, push) => ({
    ...state,
    elicitations: state.elicitations.filter(({ id }) => id !== push.id),
  }),
  'notice-raised': (state, { notice }) => ({
    ...state,
    notices: [...state.notices.filter(({ id }) => id !== notice.id), notice],
  }),
  'notice-withdrawn': (state, push) => ({
    ...state,
    notices: state.notices.filter(({ id }) => id !== push.id),
  }),
  'workflows-changed': (state) => ({ ...state, workflowNews: state.workflowNews + 1 }),
  'menu-chosen': (state, { id }) => ({ ...state, menuChosen: { id } }),
  'session-called': (state, { type: _type, ...sessionCalled }) => ({ ...state, sessionCalled }),
  'windows-changed': (state, { sessions }) => ({ ...state, ownWindows: sessions }),
};

/** Applies one push that has no order of its own (events do: see `createSessionMirror`). */
export function applyPush(state: MirrorState, push: StatePush): MirrorState {
  // The table pairs each type with its own fold, but the compiler cannot follow that through the lookup.
  const fold = folds[push.type] as (state: MirrorState, push: StatePush) => MirrorState;
  return fold(state, push);
}
