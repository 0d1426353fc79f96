import type { ModelRef } from '#shared/model';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import {
  canSteer,
  isCommandLine,
  nextLine,
  stageEndLines,
  type QueuedLine,
  type QueueTime,
} from '#shared/line-queue';
import type { Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type RunState, type SessionState, type Turn } from '#shared/session-state';
import { parentOf } from '#shared/turn-tree';
import type { Agent, RunReport } from '../ports/agent';
import type { Ids } from '../ports/ids';
import type { AskReport } from './ask-turn';
import { sentFact, type NewLine, type SessionLine } from './session-line';
import type { SessionLog } from './session-log';
import { titleByLine } from './session-title';
import {
  createTurnWork,
  type AgentTarget,
  type ReplyText,
  type TurnWork,
  type TurnWorkDeps,
} from './turn-work';
import { headRefusal, leavingFacts, regenerateRefusal } from './turn-place';
import { closing } from '../ports/closing';

interface ConversationDeps extends TurnWorkDeps {
  readonly ids: Ids;
  /** Absent when Agent Mode is off. */
  readonly agent?: Agent;
  /** The model that answers a line, if it differs from the requested one. */
  readonly modelFor?: (wanted: ModelRef, state: SessionState) => ModelRef;
}

export type ReplyDelta = ReplyText;

/** What is recorded in the same commit as a line. */
export interface RecordedWith {
  /** How the line was routed, if it was. */
  readonly routing?: Routing;
  /** Further facts, before the line. */
  readonly before?: readonly SessionFact[];
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

export type TurnReport =
  | { readonly runMode: 'ask'; readonly reply: AskReport }
  | { readonly runMode: 'agent'; readonly run: RunReport };

export interface SentLine {
  /** The turn of the line; for a line that waits, the turn that it waits for. */
  readonly turn: number;
  /** Present while the line waits. */
  readonly lineId?: string;
  /**
   * The outcome of the line's turn, once recorded; null when it never became one: it was withdrawn, or a run
   * took it along.
   */
  readonly done: Promise<TurnReport | null>;
}

export type Conversation = ReturnType<typeof createConversation>;

const emptyLine = appError('HOST', 'INVALID_INPUT', 'There is nothing to send.', { hint: 'Type a message.' });
/** Format characters, such as a zero-width space, show nothing either. */
const isBlank = (text: string): boolean => /^[\s\p{Cf}]*$/u.test(text);
const noAgent = appError('HOST', 'STATE', 'Agent Mode is switched off.', {
  hint: 'Send the line in Ask, or start Patina without PATINA_AGENT_MODE=off.',
});
const noFolder = appError(
  'HOST',
  'INVALID_INPUT',
  'Agent Mode works in a project folder, and this session has none.',
  {
    hint: 'Choose a folder for this session, then send the line again.',
  },
);
const noLine = appError('HOST', 'NOT_FOUND', 'That line no longer waits: it was sent or withdrawn.');
const noTurn = appError('HOST', 'NOT_FOUND', 'That line is not being answered.');

/** The agent and folder for a line's run, null for Ask, or the reason why the line cannot run. */
function targetFor(
  agent: Agent | undefined,
  { runMode, provided }: Pick<SessionLine, 'runMode' | 'provided'>,
  state: SessionState,
): Result<AgentTarget | null> {
  // In a workflow the model answers every line, step by step, regardless of the run mode.
  if (runMode === 'ask' || (state.workflow && !provided)) return ok(null);
  if (!agent) return err(noAgent);
  return state.project === null ? err(noFolder) : ok({ agent, project: state.project });
}

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

/** The facts of a new line. */
function lineFacts(
  line: NewLine,
  { routing, before = [] }: RecordedWith,
  state: SessionState,
  lineId?: string,
): readonly SessionFact[] {
  const { turnCount: turn } = state;
  return [
    ...before,
    ...titleByLine(state, line.text),
    sentFact(line, state, lineId),
    ...(routing ? [{ type: 'input-routed' as const, turn, ...routing }] : []),
  ];
}

/** The state of a session that this process may write to. */
function writable(log: SessionLog, sessionId: string): Result<SessionState> {
  const opened = log.open(sessionId);
  if (!opened.ok) return opened;
  const { state, readOnly } = opened.value;
  return readOnly ? err(readOnly) : ok(state);
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

interface WaitingLinesDeps extends ConversationDeps {
  readonly record: (sessionId: string, facts: readonly SessionFact[]) => Result<null>;
  readonly activeTurn: (sessionId: string) => number | undefined;
  readonly cancelTurn: (sessionId: string, turn: number) => void;
  readonly isClosed: () => boolean;
  readonly begin: (
    line: NewLine,
    recorded: RecordedWith,
    state: SessionState,
    place: AgentTarget | null,
    lineId: string,
  ) => Result<SentLine>;
  /** The facts of a turn that could not begin. */
  readonly fail: (line: NewLine, state: SessionState, error: AppError) => readonly SessionFact[];
}

export interface LineEdit {
  readonly sessionId: string;
  readonly lineId: string;
  readonly text?: string | undefined;
  readonly when?: QueueTime | undefined;
  /** The user begins to edit the text, or ends the edit; until then, the line is not used. */
  readonly held?: boolean | undefined;
}

type LineRef = Pick<LineEdit, 'sessionId' | 'lineId'>;

export interface LineMove extends LineRef {
  /** The waiting line that it moves before; null: to the end. */
  readonly before: string | null;
}

/** A line typed during work: what the session does not store, and who waits for its outcome. */
interface TypedLine {
  readonly line: NewLine;
  readonly resolve: (done: Promise<TurnReport | null> | null) => void;
}

const commandLine = appError('HOST', 'STATE', 'A command that waits cannot be edited.', {
  hint: 'Withdraw it, then type it again.',
});

/** Records a waiting command as a turn and executes it. */
type RunCommandLine = (sessionId: string, line: QueuedLine) => Promise<unknown>;

/** The lines that wait in a session's state for the turn in progress. */
function createWaitingLines(deps: WaitingLinesDeps) {
  const { log, ids, record, activeTurn, cancelTurn } = deps;
  const typedLines = new Map<string, TypedLine>();
  /** Sessions whose waiting command is being executed: no line is sent before it has ended. */
  const executing = new Set<string>();
  let runCommandLine: RunCommandLine | null = null;
  log.subscribe((events) => {
    for (const event of events) {
      if (event.type !== 'line-withdrawn' && event.type !== 'line-steered') continue;
      typedLines.get(event.lineId)?.resolve(null);
      typedLines.delete(event.lineId);
    }
  });

  const find = ({ sessionId, lineId }: LineRef): Result<QueuedLine> => {
    const opened = writable(log, sessionId);
    if (!opened.ok) return opened;
    const line = opened.value.queue?.lines.find((one) => one.lineId === lineId);
    return line ? ok(line) : err(noLine);
  };
  const newLine = (sessionId: string, queued: QueuedLine): NewLine => {
    const { lineId, when: _when, routing: _routing, ...input } = queued;
    return { ...typedLines.get(lineId)?.line, ...input, sessionId };
  };
  /** Sends a waiting line as a turn; a line that can no longer begin becomes a turn that failed. */
  const send = (sessionId: string, queued: QueuedLine, state: SessionState): boolean => {
    const { lineId, routing } = queued;
    const line = newLine(sessionId, queued);
    const recorded = { ...(routing && { routing }) };
    const place = targetFor(deps.agent, line, state);
    const failed = place.ok ? [] : deps.fail(line, state, place.error);
    const sent: Result<SentLine | null> = place.ok
      ? deps.begin(line, recorded, state, place.value, lineId)
      : record(sessionId, [...lineFacts(line, recorded, state, lineId), ...failed]);
    if (!sent.ok) deps.onUnsaved?.(sessionId, sent.error);
    else typedLines.get(lineId)?.resolve(sent.value?.done ?? null);
    if (sent.ok) typedLines.delete(lineId);
    return sent.ok;
  };
  /** Executes a waiting command; false when it still waits, because it could not be recorded. */
  const execute = async (sessionId: string, queued: QueuedLine): Promise<boolean> => {
    const { lineId } = queued;
    executing.add(sessionId);
    try {
      await runCommandLine?.(sessionId, queued);
    } finally {
      executing.delete(sessionId);
    }
    if (log.state(sessionId)?.queue?.lines.some((line) => line.lineId === lineId) === true) return false;
    typedLines.get(lineId)?.resolve(null);
    typedLines.delete(lineId);
    return true;
  };
  /** Executes the commands that wait for the end of a stage. */
  const runCommands = async (sessionId: string): Promise<void> => {
    for (;;) {
      const queue = log.state(sessionId)?.queue;
      const command = queue && stageEndLines(queue).find(isCommandLine);
      if (!command || deps.isClosed() || !(await execute(sessionId, command))) return;
    }
  };
  const sendNext = (sessionId: string): void => {
    while (!deps.isClosed() && activeTurn(sessionId) === undefined && !executing.has(sessionId)) {
      const state = log.state(sessionId);
      const queued = state?.queue && nextLine(state.queue);
      if (!state || !queued) return;
      if (isCommandLine(queued)) void execute(sessionId, queued).then((done) => done && sendNext(sessionId));
      else if (!send(sessionId, queued, state)) return;
    }
  };
  /** Cancels the stage for a line that is to be used now; a turn that cannot continue afterwards ends. */
  const cancelFor = (sessionId: string, line: QueuedLine): void => {
    const turn = activeTurn(sessionId);
    if (turn === undefined) return sendNext(sessionId);
    const state = log.state(sessionId);
    const run = state ? turnAt(state, turn)?.run : undefined;
    const steers =
      (canSteer(line) || isCommandLine(line)) && run !== undefined && deps.agent?.cancelStage(run.runId);
    if (steers !== true) cancelTurn(sessionId, turn);
  };

  /** What an edit changes about when lines are used. */
  const useEdited = (sessionId: string, line: QueuedLine, edit: Omit<LineEdit, 'sessionId'>): void => {
    const { when = line.when, held: isHeld = line.held === true } = edit;
    const released = line.held === true && !isHeld;
    if (!isHeld && when === 'now' && (edit.when === 'now' || released)) cancelFor(sessionId, line);
    else if (released) sendNext(sessionId);
  };

  return {
    sendNext,
    runCommands,
    isExecuting: (sessionId: string): boolean => executing.has(sessionId),
    onCommandLine: (run: RunCommandLine): void => void (runCommandLine = run),
    /** Records a line that waits for the turn in progress. */
    add(line: NewLine, { routing, before = [] }: RecordedWith): Result<SentLine> {
      const { sessionId, text, runMode, model, items = [], ...rest } = line;
      const { workspace, parameters, review, planAnew, fresh } = rest;
      const lineId = ids.next('line');
      const input = { text, runMode, model, workspace, parameters, review, planAnew, fresh };
      const queued = { lineId, ...input, items: [...items], when: 'stage' as const, routing };
      const recorded = record(sessionId, [...before, { type: 'line-queued', ...queued }]);
      if (!recorded.ok) return recorded;
      const done = new Promise<TurnReport | null>((resolve) => typedLines.set(lineId, { line, resolve }));
      sendNext(sessionId);
      return ok({ turn: activeTurn(sessionId) ?? 0, lineId, done });
    },
    edit({ sessionId, ...edit }: LineEdit): Result<null> {
      const found = find({ sessionId, lineId: edit.lineId });
      if (!found.ok) return found;
      if (edit.text !== undefined && isBlank(edit.text)) return err(emptyLine);
      const editsText = edit.text !== undefined || edit.held === true;
      if (editsText && isCommandLine(found.value)) return err(commandLine);
      const recorded = record(sessionId, [{ type: 'line-edited', ...edit }]);
      if (recorded.ok) useEdited(sessionId, found.value, edit);
      return recorded;
    },
    withdraw(place: LineRef): Result<null> {
      const found = find(place);
      return found.ok ? record(place.sessionId, [{ type: 'line-withdrawn', lineId: place.lineId }]) : found;
    },
    move({ sessionId, lineId, before }: LineMove): Result<null> {
      const found = find({ sessionId, lineId });
      if (!found.ok) return found;
      const next = before === null ? found : find({ sessionId, lineId: before });
      if (!next.ok) return next;
      return before === lineId ? ok(null) : record(sessionId, [{ type: 'line-moved', lineId, before }]);
    },
    resume(sessionId: string): Result<null> {
      const opened = writable(log, sessionId);
      if (!opened.ok) return opened;
      const recorded = opened.value.queue?.paused ? record(sessionId, [{ type: 'queue-resumed' }]) : ok(null);
      sendNext(sessionId);
      return recorded;
    },
  };
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
