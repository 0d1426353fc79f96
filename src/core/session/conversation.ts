import type { ModelRef } from '#shared/model';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type RunState, type SessionState, type Turn } from '#shared/session-state';
import { parentOf } from '#shared/turn-tree';
import type { Agent } from '../ports/agent';
import { closing } from '../ports/closing';
import type { Ids } from '../ports/ids';
import {
  emptyLine,
  isBlank,
  lineFacts,
  type NewLine,
  type RecordedWith,
  type SessionLine,
} from './session-line';
import { writable } from './session-log';
import { headRefusal, leavingFacts, regenerateRefusal } from './turn-place';
import {
  createTurnWork,
  targetFor,
  type AgentTarget,
  type SentLine,
  type TurnReport,
  type TurnWork,
  type TurnWorkDeps,
} from './turn-work';
import { createWaitingLines } from './waiting-lines';

interface ConversationDeps extends TurnWorkDeps {
  readonly ids: Ids;
  /** Absent when Agent Mode is off. */
  readonly agent?: Agent;
  /** The model that answers a line, if it differs from the requested one. */
  readonly modelFor?: (wanted: ModelRef, state: SessionState) => ModelRef;
}

/** A recorded line that is to be answered now. */
export type ResumeRequest = Pick<SessionLine, 'sessionId' | 'turn' | 'provided'>;

export interface RerunRequest extends Pick<SessionLine, 'sessionId' | 'turn' | 'approve' | 'leaveForReview'> {
  readonly from?: string;
}

export interface RegenerateRequest extends Pick<
  SessionLine,
  | 'sessionId'
  | 'turn'
  | 'model'
  | 'review'
  | 'approve'
  | 'leaveForReview'
  | 'tools'
  | 'parameters'
  | 'planAnew'
  | 'fresh'
> {
  /** Absent: as the line was sent. */
  readonly runMode?: SessionLine['runMode'] | undefined;
}

export type Conversation = ReturnType<typeof createConversation>;

const noTurn = appError('HOST', 'NOT_FOUND', 'That line is not being answered.');

/** Whether a provider ended the turn because it accepts no more requests for now. */
function endedAtLimit({ reply, run }: Turn): boolean {
  const { kind, code } = reply?.error ?? run?.error ?? {};
  return kind === 'LLM' && (code === 'RATE_LIMITED' || code === 'QUOTA');
}

/** The items of a turn, for a line that repeats them. */
const itemsOf = ({ items }: Turn): Pick<NewLine, 'items'> => (items ? { items: [...items] } : {});

/** Why a line's items cannot be sent; null when all of them are stored. */
function lostItem(items: NewLine['items'], stored: ConversationDeps['items']): AppError | null {
  for (const { hash, ref } of items ?? []) {
    if (stored?.read(hash).ok === true) continue;
    const hint = 'Remove it, then attach it again.';
    return appError('HOST', 'NOT_FOUND', `The content of ${ref} is no longer stored.`, { hint });
  }
  return null;
}

/** A recorded line that can start, with the agent and folder of its run. */
interface Startable {
  readonly line: SessionLine;
  readonly place: AgentTarget | null;
}

/** Finds a recorded line without an answer, with the agent and folder of its run. */
function resumable(
  { log, agent, modelFor }: ConversationDeps,
  { sessionId, turn, provided }: ResumeRequest,
): Result<Startable> {
  const opened = writable(log, sessionId);
  if (!opened.ok) return opened;
  const found = turnAt(opened.value, turn);
  if (!found || found.reply || found.run) return err(noTurn);
  const runMode = provided ? 'agent' : found.runMode;
  const place = targetFor(agent, { runMode, ...(provided && { provided }) }, opened.value);
  if (!place.ok) return place;
  const { text, review } = found;
  const model = modelFor?.(found.model, opened.value) ?? found.model;
  const more = { ...(provided && { provided }), ...itemsOf(found), ...(review && { review }) };
  const line: SessionLine = { sessionId, turn, text, runMode, model, ...more };
  return ok({ line, place: place.value });
}

const copiedRun = appError('HOST', 'STATE', 'This run was copied from another session, and belongs to it.', {
  hint: 'Send the goal again, or continue in the session that this one was forked from.',
});
const stillRuns = appError('HOST', 'STATE', 'This run has not ended yet.');

/** Why a run cannot be rerun; null if it can. */
function rerunRefusal({ forked }: SessionState, turn: number, { status }: RunState): AppError | null {
  if (status === 'planning' || status === 'running') return stillRuns;
  return forked && turn < forked.turns ? copiedRun : null;
}

/** Finds a turn whose run can be rerun, with the agent and folder of its run. */
function repeatable(
  { log, agent }: ConversationDeps,
  { sessionId, turn, from, approve, leaveForReview }: RerunRequest,
): Result<Startable> {
  const opened = writable(log, sessionId);
  if (!opened.ok) return opened;
  const found = turnAt(opened.value, turn);
  if (!found?.run) return err(noTurn);
  const refused = rerunRefusal(opened.value, turn, found.run);
  if (refused) return err(refused);
  const provided = { prior: found.run, ...(from !== undefined && { from }) };
  const place = targetFor(agent, { runMode: 'agent', provided }, opened.value);
  if (!place.ok) return place;
  const { text, model, review } = found;
  const line = {
    sessionId,
    turn,
    text,
    ...itemsOf(found),
    runMode: 'agent' as const,
    model,
    provided,
  };
  const rules = { ...(approve && { approve }), ...(review && { review }), leaveForReview };
  return ok({ line: { ...line, ...rules }, place: place.value });
}

async function answerLine(
  work: TurnWork,
  line: SessionLine,
  place: AgentTarget | null,
  signal: AbortSignal,
): Promise<TurnReport> {
  return place
    ? { runMode: 'agent', run: await work.run(line, place, signal) }
    : { runMode: 'ask', reply: await work.ask(line, signal) };
}

/** Handles input lines, one at a time per session; each produces a reply (Ask) or a run (Agent Mode). */
export function createConversation(deps: ConversationDeps) {
  const { log } = deps;
  const runWaitingCommands = (sessionId: string): Promise<void> => waiting.runCommands(sessionId);
  const work = createTurnWork({ ...deps, runWaitingCommands });
  const queue = createTurnQueue((sessionId) => {
    pauseAtLimit(sessionId);
    waiting.sendNext(sessionId);
  });
  const record = (sessionId: string, facts: readonly SessionFact[]): Result<null> => {
    const appended = log.append(sessionId, facts);
    return appended.ok ? ok(null) : appended;
  };

  const enqueue = (line: SessionLine, place: AgentTarget | null) =>
    new Promise<TurnReport | null>((resolve, reject) => {
      queue.add(line.sessionId, {
        turn: line.turn,
        run: (signal) =>
          answerLine(work, line, place, signal).then(
            (report) => () => resolve(report),
            (bug: Error) => () => reject(bug),
          ),
        dropped() {
          work.drop(line);
          resolve(null);
        },
      });
    });

  /** Records a line and starts its work, or lets it wait behind turns that were recorded before. */
  const begin = (
    sent: NewLine,
    recorded: RecordedWith,
    state: SessionState,
    place: AgentTarget | null,
    lineId?: string,
  ): Result<SentLine> => {
    const { sessionId } = sent;
    const model = deps.modelFor?.(sent.model, state) ?? sent.model;
    const line: SessionLine = { ...sent, model, turn: state.turnCount };
    // The reply starts in the same commit as the line, unless the line has to wait.
    const startsNow = place === null && queue.pending(sessionId).length === 0;
    const start = startsNow ? [work.started(line)] : [];
    const appended = record(sessionId, [...lineFacts(line, recorded, state, lineId), ...start]);
    return appended.ok ? ok({ turn: line.turn, done: enqueue(line, place) }) : appended;
  };
  /** Lines that wait would meet the same limit: they stay until the user continues. */
  const pauseAtLimit = (sessionId: string): void => {
    const state = log.state(sessionId);
    if (!state?.queue || state.queue.paused) return;
    const last = turnAt(state, state.head);
    if (last && endedAtLimit(last)) record(sessionId, [{ type: 'queue-paused' }]);
  };
  let closed = false;
  const waiting = createWaitingLines({
    ...deps,
    record,
    activeTurn: (sessionId) => queue.pending(sessionId)[0],
    cancelTurn: (sessionId, turn) => void queue.stop(sessionId, turn),
    isClosed: () => closed,
    begin,
    fail(line, state, error) {
      const { turnCount: turn } = state;
      const ended = { type: 'reply-ended', turn, outcome: 'failed', error } as const;
      return [work.started({ ...line, turn }), ended];
    },
  });

  const isBusy = (sessionId: string): boolean =>
    queue.pending(sessionId).length > 0 || waiting.isExecuting(sessionId);
  /** The state of a session that can continue from this turn now. */
  const leavable = (sessionId: string, turn: number): Result<SessionState> => {
    const opened = writable(log, sessionId);
    if (!opened.ok) return opened;
    const refused = headRefusal(opened.value, turn, isBusy(sessionId));
    return refused ? err(refused) : opened;
  };

  /**
   * Answers a turn's line again, as a sibling of that turn; a run gets a new plan unless `planAnew` is false.
   * HOST/STATE while the session is busy, and for a line that no model answered.
   */
  const regenerate = ({ turn, ...request }: RegenerateRequest): Result<SentLine> => {
    const { sessionId } = request;
    const opened = writable(log, sessionId);
    if (!opened.ok) return opened;
    const state = opened.value;
    const found = turnAt(state, turn);
    const refused = regenerateRefusal(state, turn);
    if (!found || refused) return err(refused ?? noTurn);
    const parent = parentOf(found);
    const left = leavable(sessionId, parent);
    if (!left.ok) return left;
    const { text, workspace } = found;
    const parameters = request.parameters ?? found.parameters;
    const runMode = request.runMode ?? found.runMode;
    const provided = {
      ...request,
      text,
      runMode,
      ...itemsOf(found),
      ...(workspace && { workspace }),
      ...(parameters && { parameters }),
    };
    const { planAnew = true } = request;
    const line: NewLine = { ...provided, parent, regenerates: turn, planAnew };
    const target = targetFor(deps.agent, line, state);
    return target.ok ? begin(line, { before: leavingFacts(state) }, state, target.value) : target;
  };
  /**
   * Stops a turn; HOST/NOT_FOUND when it is neither running nor waiting. The lines that wait for it stay, paused.
   */
  const stop = (sessionId: string, turn: number): Result<null> => {
    const waits = log.state(sessionId)?.queue;
    const isRunning = queue.pending(sessionId)[0] === turn;
    if (isRunning && waits && !waits.paused) record(sessionId, [{ type: 'queue-paused' }]);
    return queue.stop(sessionId, turn) ? ok(null) : err(noTurn);
  };

  const start = (found: Result<Startable>): Result<SentLine> =>
    found.ok
      ? ok({ turn: found.value.line.turn, done: enqueue(found.value.line, found.value.place) })
      : found;

  return {
    /**
     * Answers a recorded line without an answer: its picker closed in favour of the model, or a command runs a
     * plan on it.
     */
    resume: (request: ResumeRequest): Result<SentLine> => start(resumable(deps, request)),
    /**
     * Resumes an ended or interrupted run, or reruns it from one of its nodes; HOST/STATE while it is running.
     */
    rerun: (request: RerunRequest): Result<SentLine> => start(repeatable(deps, request)),
    /** Records a line and answers it after the lines sent earlier in the same session. */
    send(sent: NewLine, recorded: RecordedWith = {}): Result<SentLine> {
      const { sessionId } = sent;
      if (isBlank(sent.text)) return err(emptyLine);
      const opened = writable(log, sessionId);
      if (!opened.ok) return opened;
      const state = opened.value;
      const place = targetFor(deps.agent, sent, state);
      if (!place.ok) return place;
      const lost = lostItem(sent.items, deps.items);
      if (lost) return err(lost);
      if (sent.parent !== undefined) {
        const left = leavable(sessionId, sent.parent);
        const leaving = { before: leavingFacts(state), ...recorded };
        return left.ok ? begin(sent, leaving, state, place.value) : left;
      }
      const waits = isBusy(sessionId) || (state.queue && !state.queue.paused);
      if (waits && !sent.provided) return waiting.add(sent, recorded);
      return begin(sent, recorded, state, place.value);
    },
    /** The state of a session that can continue from this turn (-1: from the beginning) now, or why it cannot. */
    leavable,
    regenerate,
    /**
     * Stops the turn if it is the one in progress, then answers its line again; lines that were not paused continue
     * after it. Errors: as `regenerate`.
     */
    async takeOver(request: RegenerateRequest): Promise<Result<SentLine>> {
      const { sessionId, turn } = request;
      const active = queue.active(sessionId);
      if (active?.turn !== turn) return regenerate(request);
      const paused = log.state(sessionId)?.queue?.paused === true;
      stop(sessionId, turn);
      await active.ended;
      const sent = regenerate(request);
      if (sent.ok && !paused) waiting.resume(sessionId);
      return sent;
    },
    /** Goes on from another turn; nothing is deleted. HOST/STATE while the session is busy. */
    moveHead(sessionId: string, turn: number): Result<null> {
      const left = leavable(sessionId, turn);
      if (!left.ok) return left;
      if (left.value.head === turn) return ok(null);
      return record(sessionId, [...leavingFacts(left.value), { type: 'branch-chosen', turn }]);
    },
    /**
     * Whether a command that changes how the session works has to wait: a run is in progress, or lines that were
     * typed before it wait.
     */
    commandWaits(sessionId: string): boolean {
      const [active] = queue.pending(sessionId);
      const state = log.state(sessionId);
      if (active === undefined || !state) return false;
      const isRun = turnAt(state, active)?.reply === undefined;
      return isRun || (state.queue !== undefined && !state.queue.paused);
    },
    /** Records a command that waits for the end of the stage. */
    queueCommand: waiting.add,
    /** Sets what executes a waiting command. */
    onCommandLine: waiting.onCommandLine,
    stop,
    /** Changes the text of a waiting line or when it is used; HOST/NOT_FOUND when it no longer waits. */
    editLine: waiting.edit,
    withdrawLine: waiting.withdraw,
    /** Changes the place of a waiting line among the others; HOST/NOT_FOUND when one of the two no longer waits. */
    moveLine: waiting.move,
    /** Sends the lines of a paused queue. */
    resumeQueue: waiting.resume,
    /** Unfinished turns, the running one first. */
    pending: (sessionId: string): readonly number[] => queue.pending(sessionId),
    /** The turn in progress, and when it has ended; null when there is none. */
    inProgress: (sessionId: string) => queue.active(sessionId),
    /** Stops everything; resolves when the outcomes are recorded. */
    async close(): Promise<void> {
      closed = true;
      await queue.close();
      await work.close();
    },
  };
}

/** The work of a line, and how to close the line when the work never begins. */
interface QueuedTurn {
  readonly turn: number;
  /** Does the work and never rejects. The queue calls the returned function after it has removed the turn. */
  readonly run: (signal: AbortSignal) => Promise<() => void>;
  readonly dropped: () => void;
}

interface Active {
  readonly turn: number;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

interface Line {
  active: Active | null;
  readonly waiting: QueuedTurn[];
}

/** Runs one turn per session at a time, in order of arrival; sessions do not wait for each other. */
function createTurnQueue(onIdle: (sessionId: string) => void) {
  const lines = new Map<string, Line>();

  const next = (sessionId: string, line: Line): void => {
    const job = line.waiting.shift();
    if (!job) {
      lines.delete(sessionId);
      onIdle(sessionId);
      return;
    }
    const controller = new AbortController();
    const ended = job.run(controller.signal).then((notify) => {
      next(sessionId, line);
      notify();
    });
    line.active = { turn: job.turn, controller, ended };
  };

  const dropWaiting = (line: Line, turn: number): boolean => {
    const index = line.waiting.findIndex((job) => job.turn === turn);
    const [job] = index === -1 ? [] : line.waiting.splice(index, 1);
    job?.dropped();
    return job !== undefined;
  };

  return {
    /** Starts the turn now, or after the earlier turns of its session. */
    add(sessionId: string, job: QueuedTurn): void {
      const line = lines.get(sessionId) ?? { active: null, waiting: [] };
      lines.set(sessionId, line);
      line.waiting.push(job);
      if (!line.active) next(sessionId, line);
    },
    /** Stops a running turn or removes a waiting one from the queue; false when there is no such turn. */
    stop(sessionId: string, turn: number): boolean {
      const line = lines.get(sessionId);
      if (!line) return false;
      if (line.active?.turn !== turn) return dropWaiting(line, turn);
      line.active.controller.abort();
      return true;
    },
    active: (sessionId: string): Pick<Active, 'turn' | 'ended'> | null =>
      lines.get(sessionId)?.active ?? null,
    /** Unfinished turns, the running one first. */
    pending(sessionId: string): readonly number[] {
      const line = lines.get(sessionId);
      if (!line) return [];
      return [...(line.active ? [line.active.turn] : []), ...line.waiting.map((job) => job.turn)];
    },
    /** Stops everything; resolves when no turn is running. */
    async close(): Promise<void> {
      const active = [...lines.values()].flatMap((line) => {
        for (const job of [...line.waiting]) dropWaiting(line, job.turn);
        return line.active ? [line.active] : [];
      });
      for (const { controller } of active) controller.abort(closing);
      await Promise.all(active.map(({ ended }) => ended));
    },
  };
}
