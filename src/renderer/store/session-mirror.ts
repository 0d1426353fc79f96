import type { Bridge, Push } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  applyPush,
  dropSession,
  emptyMirror,
  followEvents,
  placeSession,
  settleLive,
  type MirrorState,
} from './mirror-state';

export interface MirrorDeps {
  readonly bridge: Bridge;
  /** Calls back before the next frame is drawn (or soon, when nothing is being drawn). */
  readonly onFrame: (callback: () => void) => void;
}

export interface SessionMirror {
  readonly store: StoreApi<MirrorState>;
  /** Begins to follow main; returns the way to stop. Call it before asking main for anything. */
  readonly follow: () => () => void;
  /** Makes a session whole in the mirror: at once when it is there, otherwise by a snapshot. */
  readonly open: (sessionId: string) => Promise<Result<null>>;
  /** Takes in a session that main has just handed over (a new one). */
  readonly adopt: (session: SessionState) => void;
}

/** Open sessions kept; an older one is let go and read again when needed, so memory does not grow with use. */
const sessionsKept = 4;

/** A snapshot that is behind what was pushed is asked for again; more often than this something is broken. */
const snapshotTries = 3;

/** Snapshots under way, and the events that wait for them. */
interface Recovery {
  readonly held: SessionEvent[];
  readonly done: Promise<Result<null>>;
}

/**
 * A copy of main's sessions, kept by `applyEvent` alone (STYLE 8). Batches are taken in at most once per frame, as one
 * change of the store, and acknowledged after it: main never sends faster than the window draws.
 */
export function createSessionMirror({ bridge, onFrame }: MirrorDeps): SessionMirror {
  const store = createStore<MirrorState>(() => emptyMirror);
  const recoveries = new Map<string, Recovery>();
  const recent: string[] = [];
  let queue: Push[] = [];
  let acknowledgements: (() => void)[] = [];

  function touch(sessionId: string): void {
    const at = recent.indexOf(sessionId);
    if (at >= 0) recent.splice(at, 1);
    recent.push(sessionId);
    for (const old of recent.splice(0, Math.max(0, recent.length - sessionsKept))) {
      store.setState((state) => dropSession(state, old), true);
    }
  }

  async function takeSnapshot(sessionId: string, held: SessionEvent[]): Promise<Result<null>> {
    for (let attempt = 1; ; attempt += 1) {
      const snapshot = await bridge.invoke('session-open', { sessionId });
      if (!snapshot.ok) return snapshot;
      const { session, rest } = followEvents(snapshot.value, held);
      if (rest.length > 0 && attempt < snapshotTries) continue;
      store.setState((state) => placeSession(state, session), true);
      touch(sessionId);
      return ok(null);
    }
  }

  function recover(sessionId: string, held: SessionEvent[]): Promise<Result<null>> {
    const done = takeSnapshot(sessionId, held).finally(() => recoveries.delete(sessionId));
    recoveries.set(sessionId, { held, done });
    return done;
  }

  function takeEvents(state: MirrorState, sessionId: string, events: readonly SessionEvent[]): MirrorState {
    const recovery = recoveries.get(sessionId);
    if (recovery) {
      recovery.held.push(...events);
      return state;
    }
    const known = state.sessions[sessionId];
    if (!known) return settleLive(state, events);
    const { session, rest } = followEvents(known, events);
    if (rest.length > 0) void recover(sessionId, [...rest]);
    return placeSession(state, session);
  }

  function flush(): void {
    const pushes = queue;
    const settle = acknowledgements;
    queue = [];
    acknowledgements = [];
    const before = store.getState();
    const after = pushes.reduce(
      (state, push) =>
        push.type === 'events' ? takeEvents(state, push.sessionId, push.events) : applyPush(state, push),
      before,
    );
    if (after !== before) store.setState(after, true);
    for (const acknowledge of settle) acknowledge();
  }

  return {
    store,
    follow: () =>
      bridge.onPush(({ pushes }) => {
        queue.push(...pushes);
        return new Promise<void>((resolve) => {
          acknowledgements.push(resolve);
          if (acknowledgements.length === 1) onFrame(flush);
        });
      }),
    open: (sessionId) => {
      const recovery = recoveries.get(sessionId);
      if (recovery) return recovery.done;
      if (!store.getState().sessions[sessionId]) return recover(sessionId, []);
      touch(sessionId);
      return Promise.resolve(ok(null));
    },
    adopt: (session) => {
      store.setState((state) => placeSession(state, session), true);
      touch(session.id);
    },
  };
}
