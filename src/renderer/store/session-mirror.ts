import type { Bridge, Push, SnapshotPart } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  applyPush,
  dropSession,
  emptyMirror,
  followEvents,
  noteWorkspaces,
  placePreview,
  placeSession,
  reconcileLiveReplies,
  type MirrorState,
} from './mirror-state';
import { countBlocks } from './session-view';

/**
 * Collects pushes and delivers them together, at most once per frame, then acknowledges their batches, so
 * main never sends faster than the window renders. Returns the function that stops it.
 */
function followPushes(
  bridge: Bridge,
  onFrame: (callback: () => void) => void,
  take: (pushes: readonly Push[]) => void,
): () => void {
  let queue: Push[] = [];
  let acknowledgements: (() => void)[] = [];
  const flush = () => {
    const pushes = queue;
    const taken = acknowledgements;
    queue = [];
    acknowledgements = [];
    take(pushes);
    for (const acknowledge of taken) acknowledge();
  };
  return bridge.onPush(({ pushes }) => {
    queue.push(...pushes);
    return new Promise<void>((resolve) => {
      acknowledgements.push(resolve);
      if (acknowledgements.length === 1) onFrame(flush);
    });
  });
}

export interface MirrorDeps {
  readonly bridge: Bridge;
  /** Calls back before the next frame, or soon if the window draws no frames. */
  readonly onFrame: (callback: () => void) => void;
}

export interface SessionMirror {
  readonly store: StoreApi<MirrorState>;
  /** Subscribes to main's pushes; returns the function that unsubscribes. Call it before any request. */
  readonly follow: () => () => void;
  /**
   * Shows the last turns of a long session before `open` loads it, and resolves once they are on the screen: loading
   * needs the processor that draws them. Failures are those that `open` reports.
   */
  readonly preview: (sessionId: string) => Promise<void>;
  /** Loads a session fully into the mirror: immediately if present, otherwise from a snapshot. */
  readonly open: (sessionId: string) => Promise<Result<null>>;
  /** Stores a session that main has just returned (a new one). */
  readonly adopt: (session: SessionState) => void;
}

/**
 * Maximum number of loaded sessions; older ones are unloaded and read again on demand, so memory does not
 * grow with use.
 */
const maxSessions = 4;

/** Maximum attempts to get a snapshot that is not behind the pushed events; needing more indicates a bug. */
const snapshotTries = 3;

/** Stores sessions and evicts the least recently viewed one. */
function createSessionCache(store: StoreApi<MirrorState>) {
  const recent: string[] = [];
  return {
    touch: (sessionId: string) => {
      const at = recent.indexOf(sessionId);
      if (at >= 0) recent.splice(at, 1);
      recent.push(sessionId);
      for (const old of recent.splice(0, Math.max(0, recent.length - maxSessions))) {
        store.setState((state) => dropSession(state, old), true);
      }
    },
  };
}

/**
 * Reads a session snapshot in parts. Main prepares the next part while the page parses this one, each in its own
 * task, so the page renders in between, and once more before it renders the whole.
 */
async function readSnapshot(
  { bridge, onFrame }: MirrorDeps,
  sessionId: string,
): Promise<Result<SessionState>> {
  const first = await bridge.invoke('session-snapshot', { sessionId });
  if (!first.ok) return first;
  const partAt = ({ next }: SnapshotPart) => next && bridge.invoke('session-snapshot', { sessionId, next });
  let coming = partAt(first.value);
  const session = JSON.parse(first.value.text) as SessionState;
  if (!coming) return ok(session);
  const blocks = [...session.blocks];
  while (coming) {
    const part = await coming;
    if (!part.ok) return part;
    coming = partAt(part.value);
    const more = JSON.parse(part.value.text) as SessionState['blocks'];
    countBlocks(more);
    blocks.push(...more);
  }
  await new Promise<void>(onFrame);
  return ok({ ...session, blocks });
}

/** Snapshots in progress, each with the events that wait for it. */
function createRecoveries(deps: MirrorDeps, place: (session: SessionState) => void) {
  const pending = new Map<
    string,
    { readonly buffered: SessionEvent[]; readonly done: Promise<Result<null>> }
  >();

  async function takeSnapshot(sessionId: string, buffered: SessionEvent[]): Promise<Result<null>> {
    for (let attempt = 1; ; attempt += 1) {
      const snapshot = await readSnapshot(deps, sessionId);
      // Main no longer has the state from which the later part was requested.
      if (!snapshot.ok && snapshot.error.code === 'STATE' && attempt < snapshotTries) continue;
      if (!snapshot.ok) {
        pending.delete(sessionId);
        return snapshot;
      }
      const { session, rest } = followEvents(snapshot.value, buffered);
      if (rest.length > 0 && attempt < snapshotTries) continue;
      // Synchronously after reading the events: an event that arrives now goes to the session, not to a list
      // that nobody reads.
      pending.delete(sessionId);
      place(session);
      return ok(null);
    }
  }
  return {
    of: (sessionId: string) => pending.get(sessionId),
    begin: (sessionId: string, buffered: SessionEvent[]) => {
      const done = takeSnapshot(sessionId, buffered);
      pending.set(sessionId, { buffered, done });
      return done;
    },
  };
}

/** A copy of main's sessions, updated only by `applyEvent`; a gap in `seq` causes a new snapshot. */
export function createSessionMirror(deps: MirrorDeps): SessionMirror {
  const { bridge, onFrame } = deps;
  const store = createStore<MirrorState>(() => emptyMirror);
  const cache = createSessionCache(store);
  const adopt = (session: SessionState) => {
    store.setState((state) => placeSession(state, session), true);
    cache.touch(session.id);
  };
  const recoveries = createRecoveries(deps, adopt);

  function takeEvents(before: MirrorState, sessionId: string, events: readonly SessionEvent[]): MirrorState {
    const state = noteWorkspaces(before, events);
    const recovery = recoveries.of(sessionId);
    if (recovery) {
      recovery.buffered.push(...events);
      return state;
    }
    const known = state.sessions[sessionId];
    if (!known) return reconcileLiveReplies(state, events);
    const { session, rest } = followEvents(known, events);
    if (rest.length > 0) void recoveries.begin(sessionId, [...rest]);
    return reconcileLiveReplies(placeSession(state, session), events);
  }

  const take = (pushes: readonly Push[]) =>
    store.setState(
      (before) =>
        pushes.reduce(
          (state, push) =>
            push.type === 'events' ? takeEvents(state, push.sessionId, push.events) : applyPush(state, push),
          before,
        ),
      true,
    );

  return {
    store,
    adopt,
    preview: async (sessionId) => {
      if (store.getState().sessions[sessionId]) return;
      const preview = await bridge.invoke('session-preview', { sessionId });
      const { value } = preview.ok ? preview : { value: null };
      if (!value) return;
      store.setState((state) => placePreview(state, value), true);
      // The first frame draws the preview; the second begins when it is drawn.
      for (let frame = 0; frame < 2; frame += 1) await new Promise<void>(onFrame);
    },
    follow: () => followPushes(bridge, onFrame, take),
    open: (sessionId) => {
      const recovery = recoveries.of(sessionId);
      if (recovery) return recovery.done;
      if (!store.getState().sessions[sessionId]) return recoveries.begin(sessionId, []);
      cache.touch(sessionId);
      return Promise.resolve(ok(null));
    },
  };
}
