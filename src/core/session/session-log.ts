import { appError } from '#shared/app-error';
import { applyEvents } from '#shared/apply-event';
import type { SearchHit } from '#shared/ipc';
import { createListeners } from '#shared/listeners';
import { err, ok, type Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import {
  emptySession,
  summaryOf,
  type EventGap,
  type SessionState,
  type SessionSummary,
} from '#shared/session-state';
import { previewEvents, previewFromTail, previewOf, type SessionPreview } from '#shared/session-preview';
import type { WorkflowVersionLock } from '#shared/workflow';
import type { WorkspaceInheritance } from '#shared/workspace';
import type { ContextItems } from '../ports/context-items';
import type { Ids } from '../ports/ids';
import type {
  SessionCheck,
  SessionCopy,
  SessionRepair,
  SessionStore,
  TimedFact,
  SessionOpening,
} from '../ports/session-store';
import { forkFacts } from './fork-session';
import { isProjectStream, projectStream } from './project-stream';
import { readState, replaySession, type Replay } from './session-reader';
import { createSessionWriter, type OpenedSession, type SessionWriter } from './session-writer';

export interface SessionLogDeps {
  readonly store: SessionStore;
  readonly ids: Ids;
  /** Maximum number of sessions in memory; default: 8. */
  readonly openLimit?: number;
  /** The workflow versions that a new session is locked to. */
  readonly workflows?: () => WorkflowVersionLock;
  /** Stores which contents a session names, before its facts name them. */
  readonly items?: Pick<ContextItems, 'claim'>;
  /** The workspace that a new session of a project starts with. */
  readonly inherit?: (peek: SessionLog['peek'], project: string | null) => WorkspaceInheritance | undefined;
}

export type EventListener = (events: readonly SessionEvent[], sessionId: string) => void;

/**
 * Stores sessions as event lists. Events that `append` returns are on disk; listeners are notified
 * afterwards. Failures are HOST/STORAGE (the disk), HOST/STATE (another process writes the session) and
 * HOST/NOT_FOUND.
 */
export interface SessionLog {
  create(project: string | null): Result<SessionState>;
  /**
   * Copies a session's path up to a turn into a new session. HOST/NOT_FOUND for an unknown turn, HOST/STATE while
   * work on the path is in progress.
   */
  fork(sessionId: string, turn: number): Result<SessionState>;
  /**
   * Stores a session that was read from a file, with the times of its facts, without opening it. HOST/STATE when a
   * session with this id exists.
   */
  importSession(sessionId: string, facts: readonly TimedFact[]): Result<SessionSummary>;
  /** Starts the event stream of a project's default workspace. */
  createProjectStream(project: string | null): Result<SessionState>;
  /**
   * Makes this process the session's writer and closes the work that a dead writer left open; read-only while
   * another writer is alive.
   */
  open(sessionId: string): Result<OpenedSession>;
  /** The stored state; does not become the session's writer and does not close unfinished work. */
  peek(sessionId: string): Result<SessionState>;
  /** The last turns of a long session, at a cost that does not grow with it; null for a short one. */
  preview(sessionId: string): Result<SessionPreview | null>;
  append(sessionId: string, facts: readonly SessionFact[]): Result<readonly SessionEvent[]>;
  /** The state of an open session. */
  state(sessionId: string): SessionState | null;
  /** Whether an open session is so long that damage of its events was not looked for while it was opened. */
  unscanned(sessionId: string): boolean;
  /** Adds to an open session the gaps that a scan of all its events found. */
  takeGaps(sessionId: string, gaps: readonly EventGap[]): void;
  /** The readable stored events; `check` names the others. */
  events(sessionId: string): Result<readonly SessionEvent[]>;
  /** The problems in the stored events of a session. */
  check(sessionId: string): Result<SessionCheck>;
  replay(sessionId: string): Result<Replay>;
  /** The ids of all event streams, including those of projects. */
  ids(): Result<readonly string[]>;
  /** The summaries of archived or of unarchived sessions; of all sessions when `archived` is absent. */
  summaries(which: { readonly archived?: boolean | undefined }): Result<readonly SessionSummary[]>;
  /** Adds to each summary the number of its unreadable events, as far as a short scan finds them. */
  marked(summaries: readonly SessionSummary[]): readonly SessionSummary[];
  search(text: string): Result<readonly SearchHit[]>;
  /** How the newest sessions begin, newest first; archived ones come last. */
  openings(limit: number): Result<readonly SessionOpening[]>;
  /** The session of a run; HOST/NOT_FOUND when there is none. */
  sessionOfRun(runId: string): Result<string>;
  /** Deletes a session permanently: its lines, replies and runs, and the permissions saved for it alone. */
  remove(sessionId: string): Result<null>;
  /** HOST/STATE while work of this process in the session keeps it from being removed. */
  removable(sessionId: string): Result<null>;
  /** Restores damaged and missing events from quarantined rows and from the copies, or from one copy. */
  repair(sessionId: string, copy?: string): Result<SessionRepair>;
  /** Gives up a session, so that another process can repair it; HOST/STATE while work in it is running. */
  leave(sessionId: string): Result<null>;
  /** The number of events that a repair of a session would restore. */
  restorable(sessionId: string): Result<number>;
  /** The sessions with quarantined rows, whether damaged or not. */
  quarantinedSessions(): Result<readonly string[]>;
  /** The daily copies, newest first. */
  copies(): Result<readonly SessionCopy[]>;
  /** The sessions in a copy. */
  copied(copy: string): Result<readonly SessionSummary[]>;
  subscribe(listener: EventListener): () => void;
  /** Reports the gaps of an open session after a scan changed them. */
  onGaps(listener: (sessionId: string, gaps: readonly EventGap[]) => void): () => void;
  /** Reports each imported session. */
  onImported(listener: (summary: SessionSummary) => void): () => void;
  /** Reports the id of each deleted session. */
  onRemoved(listener: (sessionId: string) => void): () => void;
  close(): void;
}

const searchLimit = 50;
/** Event text scanned while sessions are listed (about 10 ms): the window waits for its list at startup. */
const charsPerList = 2_000_000;
const notASession = appError('HOST', 'NOT_FOUND', 'There is no such session.');

type Looks = Pick<
  SessionLog,
  | 'peek'
  | 'preview'
  | 'state'
  | 'events'
  | 'check'
  | 'replay'
  | 'ids'
  | 'summaries'
  | 'marked'
  | 'search'
  | 'openings'
  | 'sessionOfRun'
>;

/** The read operations, which do not make this process a session's writer. */
function createLooks(store: SessionStore, writer: SessionWriter): Looks {
  return {
    peek(sessionId) {
      const live = writer.state(sessionId);
      if (live) return ok(live);
      const read = readState(store, sessionId);
      return read.ok ? ok(read.value.state) : read;
    },
    preview(sessionId) {
      const live = writer.state(sessionId);
      if (live) return ok(previewOf(live));
      const tail = store.tail(sessionId, previewEvents);
      return tail.ok ? ok(previewFromTail(tail.value)) : tail;
    },
    state: (sessionId) => writer.state(sessionId),
    events(sessionId) {
      const stored = store.read(sessionId, 0);
      return stored.ok ? ok(stored.value.events) : stored;
    },
    check: (sessionId) => store.check(sessionId),
    replay: (sessionId) => replaySession(store, sessionId, writer.state(sessionId)),
    summaries({ archived }) {
      const all = store.list();
      if (!all.ok) return all;
      const wanted = (summary: SessionSummary): boolean =>
        (archived === undefined || summary.archived === archived) && !isProjectStream(summary.id);
      return ok(all.value.filter(wanted));
    },
    ids() {
      const all = store.list();
      return all.ok ? ok(all.value.map(({ id }) => id)) : all;
    },
    marked(summaries) {
      const ids = summaries.map(({ id }) => id);
      const found = store.damaged(ids, charsPerList);
      if (!found.ok || found.value.size === 0) return summaries;
      return summaries.map((summary) => {
        const damaged = found.value.get(summary.id);
        return damaged === undefined ? summary : { ...summary, damaged };
      });
    },
    search: (text) => store.search(text, searchLimit),
    openings(limit) {
      const all = store.openings(limit);
      return all.ok ? ok(all.value.filter(({ sessionId }) => !isProjectStream(sessionId))) : all;
    },
    sessionOfRun: (runId) => findSession(store, runId),
  };
}

const hasRun = (state: SessionState, runId: string): boolean =>
  state.blocks.some((turns) => turns.some(({ run }) => run?.runId === runId));

/** Looks in the index; only a run that started before there was one is looked for in the sessions. */
function findSession(store: SessionStore, runId: string): Result<string> {
  const indexed = store.sessionOfRun(runId);
  if (!indexed.ok) return indexed;
  if (indexed.value !== null) return ok(indexed.value);
  const all = store.list();
  if (!all.ok) return all;
  const newestFirst = [...all.value].sort((a, b) => b.updatedAt - a.updatedAt);
  const found = newestFirst.find(({ id }) => {
    const read = isProjectStream(id) ? null : readState(store, id);
    return read?.ok === true && hasRun(read.value.state, runId);
  });
  if (found) return ok(found.id);
  const hint = 'patina session show lists the runs of a session.';
  return err(appError('HOST', 'NOT_FOUND', `No session has a run ${runId}.`, { hint }));
}

/** The contents that a fact names. */
const itemHashes = (fact: SessionFact): readonly string[] =>
  (fact.type === 'message-sent' || fact.type === 'line-queued' ? (fact.items ?? []) : []).map(
    ({ hash }) => hash,
  );

/** The log of all sessions; keeps only the few open ones in memory. */
export function createSessionLog(deps: SessionLogDeps): SessionLog {
  const { store, ids, openLimit = 8, workflows, inherit, items } = deps;
  const committed = createListeners<Parameters<EventListener>>();
  const removed = createListeners<[sessionId: string]>();
  const imported = createListeners<[summary: SessionSummary]>();
  const gapsFound = createListeners<[sessionId: string, gaps: readonly EventGap[]]>();
  const writer = createSessionWriter({ store, openLimit, onCommitted: committed.notify });
  const looks = createLooks(store, writer);
  const claimed = (sessionId: string, facts: readonly SessionFact[]): Result<null> => {
    const hashes = facts.flatMap(itemHashes);
    return hashes.length === 0 || !items ? ok(null) : items.claim(sessionId, hashes);
  };
  return {
    ...looks,
    create(project) {
      const versions = workflows?.() ?? {};
      const workspace = inherit?.(looks.peek, project);
      const created = {
        type: 'session-created' as const,
        title: '',
        project,
        ...(Object.keys(versions).length > 0 && { workflows: versions }),
        ...(workspace && { workspace }),
      };
      return writer.start(ids.next('ses'), [created]);
    },
    fork(sessionId, turn) {
      const original = looks.peek(sessionId);
      if (!original.ok) return original;
      const events = looks.events(sessionId);
      if (!events.ok) return events;
      const forked = forkFacts(original.value, events.value, turn, ids);
      if (!forked.ok) return forked;
      const id = ids.next('ses');
      const facts = forked.value.map(({ fact }) => fact);
      const appended = claimed(id, facts);
      if (!appended.ok) return appended;
      const times = forked.value.map(({ at }) => at);
      return writer.start(id, facts, times);
    },
    importSession(sessionId, facts) {
      const appended = claimed(
        sessionId,
        facts.map(({ fact }) => fact),
      );
      if (!appended.ok) return appended;
      const lease = store.acquireLease(sessionId);
      if (!lease.ok) return lease;
      const stored = store.importSession(sessionId, facts);
      store.releaseLease(sessionId);
      if (!stored.ok) return stored;
      const summary = summaryOf(applyEvents(emptySession(sessionId), stored.value));
      imported.notify(summary);
      return ok(summary);
    },
    createProjectStream: (project) =>
      writer.start(projectStream(project), [{ type: 'session-created', title: '', project }]),
    open: (sessionId) => writer.open(sessionId),
    append(sessionId, facts) {
      const appended = claimed(sessionId, facts);
      return appended.ok ? writer.append(sessionId, facts) : appended;
    },
    unscanned: (sessionId) => writer.unscanned(sessionId),
    takeGaps(sessionId, gaps) {
      if (writer.takeGaps(sessionId, gaps)) gapsFound.notify(sessionId, gaps);
    },
    repair: (sessionId, copy) => writer.repair(sessionId, copy),
    leave: (sessionId) => writer.leave(sessionId),
    restorable: (sessionId) => store.restorable(sessionId),
    quarantinedSessions: () => store.quarantinedSessions(),
    copies: () => store.copies(),
    copied: (copy) => store.copied(copy),
    removable: (sessionId) => writer.removable(sessionId),
    remove(sessionId) {
      const done = isProjectStream(sessionId) ? err(notASession) : writer.remove(sessionId);
      if (done.ok) removed.notify(sessionId);
      return done;
    },
    subscribe: committed.add,
    onGaps: gapsFound.add,
    onImported: imported.add,
    onRemoved: removed.add,
    close() {
      writer.closeAll();
      store.close();
    },
  };
}

/** The state of a session that this process may write to. */
export function writable(log: SessionLog, sessionId: string): Result<SessionState> {
  const opened = log.open(sessionId);
  if (!opened.ok) return opened;
  const { state, readOnly } = opened.value;
  return readOnly ? err(readOnly) : ok(state);
}
