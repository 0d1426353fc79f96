import type { SearchHit } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import type { SessionState, SessionSummary } from '#shared/session-state';
import type { WorkflowPin } from '#shared/workflow';
import type { WorkspaceInheritance } from '#shared/workspace';
import type { Ids } from '../ports/ids';
import type { SessionStore } from '../ports/session-store';
import { isProjectStream, projectStream } from './project-stream';
import { readState, replaySession, type Replay } from './session-reader';
import { createSessionWriter, type OpenedSession } from './session-writer';

export interface SessionLogDeps {
  readonly store: SessionStore;
  readonly ids: Ids;
  /** Sessions kept in memory; 8 unless said otherwise. */
  readonly openLimit?: number;
  /** The workflows a session that begins now works with. */
  readonly workflows?: () => WorkflowPin;
  /** The workspace a new session of a project begins with. */
  readonly inherit?: (peek: SessionLog['peek'], project: string | null) => WorkspaceInheritance | undefined;
}

export type EventListener = (events: readonly SessionEvent[], sessionId: string) => void;

/**
 * Sessions as lists of events. What `append` returns as a success is on disk; listeners hear of it after that.
 * Failures are HOST/STORAGE (the disk), HOST/STATE (another process writes the session) and HOST/NOT_FOUND.
 */
export interface SessionLog {
  create(project: string | null): Result<SessionState>;
  /** Begins the events of a project's default workspace. */
  createProjectStream(project: string | null): Result<SessionState>;
  /** Makes this process the session's writer and closes what a dead writer left open; read-only when another lives. */
  open(sessionId: string): Result<OpenedSession>;
  /** The stored state, without becoming the session's writer and without closing what another left open. */
  peek(sessionId: string): Result<SessionState>;
  append(sessionId: string, facts: readonly SessionFact[]): Result<readonly SessionEvent[]>;
  /** The state of an open session. */
  state(sessionId: string): SessionState | null;
  events(sessionId: string): Result<readonly SessionEvent[]>;
  replay(sessionId: string): Result<Replay>;
  /** Every stream of events there is, those of projects included. */
  ids(): Result<readonly string[]>;
  summaries(which: { readonly archived: boolean }): Result<readonly SessionSummary[]>;
  search(text: string): Result<readonly SearchHit[]>;
  subscribe(listener: EventListener): () => void;
  close(): void;
}

const searchLimit = 50;

/** The log of all sessions; holds the few open ones in memory. */
export function createSessionLog(deps: SessionLogDeps): SessionLog {
  const { store, ids, openLimit = 8, workflows, inherit } = deps;
  const listeners = new Set<EventListener>();
  const writer = createSessionWriter({
    store,
    openLimit,
    onCommitted(events, sessionId) {
      for (const listener of listeners) listener(events, sessionId);
    },
  });

  const peek = (sessionId: string): Result<SessionState> => {
    const live = writer.state(sessionId);
    if (live) return ok(live);
    const read = readState(store, sessionId);
    return read.ok ? ok(read.value.state) : read;
  };

  return {
    create(project) {
      const pin = workflows?.() ?? {};
      const workspace = inherit?.(peek, project);
      const created = {
        ...{ type: 'session-created' as const, title: '', project },
        ...(Object.keys(pin).length > 0 && { workflows: pin }),
        ...(workspace && { workspace }),
      };
      return writer.start(ids.next('ses'), [created]);
    },
    createProjectStream: (project) =>
      writer.start(projectStream(project), [{ type: 'session-created', title: '', project }]),
    open: (sessionId) => writer.open(sessionId),
    peek,
    append: (sessionId, facts) => writer.append(sessionId, facts),
    state: (sessionId) => writer.state(sessionId),
    events: (sessionId) => store.read(sessionId, 0),
    replay: (sessionId) => replaySession(store, sessionId, writer.state(sessionId)),
    summaries({ archived }) {
      const all = store.list();
      if (!all.ok) return all;
      return ok(all.value.filter((each) => each.archived === archived && !isProjectStream(each.id)));
    },
    ids() {
      const all = store.list();
      return all.ok ? ok(all.value.map(({ id }) => id)) : all;
    },
    search: (text) => store.search(text, searchLimit),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      writer.closeAll();
      store.close();
    },
  };
}
