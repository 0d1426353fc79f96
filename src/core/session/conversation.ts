import type { ModelRef } from '#shared/model';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { Routing } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import type { Agent, RunReport } from '../ports/agent';
import type { AskReport } from './ask-turn';
import type { NewLine, SessionLine } from './session-line';
import type { SessionLog } from './session-log';
import { titleByLine } from './session-title';
import {
  createTurnWork,
  type AgentTarget,
  type ReplyText,
  type TurnWork,
  type TurnWorkDeps,
} from './turn-work';
import { closing } from '../ports/closing';

interface ConversationDeps extends TurnWorkDeps {
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
export type ResumeRequest = Pick<SessionLine, 'sessionId' | 'turn' | 'given'>;

export interface RerunRequest extends Pick<SessionLine, 'sessionId' | 'turn' | 'approve'> {
  readonly from?: string;
}

export type TurnReport =
  | { readonly runMode: 'ask'; readonly reply: AskReport }
  | { readonly runMode: 'agent'; readonly run: RunReport };

export interface SentLine {
  readonly turn: number;
  /** The outcome of the line, once recorded; null when the line left the queue before it began. */
  readonly done: Promise<TurnReport | null>;
}

export type Conversation = ReturnType<typeof createConversation>;

const noText = appError('HOST', 'INVALID_INPUT', 'There is nothing to send.', { hint: 'Type a message.' });
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
const noTurn = appError('HOST', 'NOT_FOUND', 'That line is not being answered.');

/** The agent and folder for a line's run, null for Ask, or the reason why the line cannot run. */
function targetFor(
  agent: Agent | undefined,
  { runMode, given }: Pick<SessionLine, 'runMode' | 'given'>,
  state: SessionState,
): Result<AgentTarget | null> {
  // In a workflow the model answers every line, step by step, regardless of the run mode.
  if (runMode === 'ask' || (state.workflow && !given)) return ok(null);
  if (!agent) return err(noAgent);
  return state.project === null ? err(noFolder) : ok({ agent, project: state.project });
}

/** The facts of a new line. */
function lineFacts(
  { text, runMode, model, workspace }: NewLine,
  { routing, before = [] }: RecordedWith,
  state: SessionState,
): readonly SessionFact[] {
  const turn = state.turnCount;
  const sent: SessionFact = {
    type: 'message-sent',
    turn,
    text,
    runMode,
    model,
    ...(workspace && { workspace }),
  };
  return [
    ...before,
    ...titleByLine(state, text),
    sent,
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
  { sessionId, turn, given }: ResumeRequest,
): Result<Startable> {
  const opened = writable(log, sessionId);
  if (!opened.ok) return opened;
  const found = turnAt(opened.value, turn);
  if (!found || found.reply || found.run) return err(noTurn);
  const runMode = given ? 'agent' : found.runMode;
  const place = targetFor(agent, { runMode, ...(given && { given }) }, opened.value);
  if (!place.ok) return place;
  const { text } = found;
  const model = modelFor?.(found.model, opened.value) ?? found.model;
  const line: SessionLine = { sessionId, turn, text, runMode, model, ...(given && { given }) };
  return ok({ line, place: place.value });
}

const stillRuns = appError('HOST', 'STATE', 'This run has not ended yet.');

/** Finds a turn whose run can be rerun, with the agent and folder of its run. */
function repeatable(
  { log, agent }: ConversationDeps,
  { sessionId, turn, from, approve }: RerunRequest,
): Result<Startable> {
  const opened = writable(log, sessionId);
  if (!opened.ok) return opened;
  const found = turnAt(opened.value, turn);
  if (!found?.run) return err(noTurn);
  if (found.run.status === 'planning' || found.run.status === 'running') return err(stillRuns);
  const given = { prior: found.run, ...(from !== undefined && { from }) };
  const place = targetFor(agent, { runMode: 'agent', given }, opened.value);
  if (!place.ok) return place;
  const { text, model } = found;
  const line = { sessionId, turn, text, runMode: 'agent' as const, model, given };
  return ok({ line: { ...line, ...(approve && { approve }) }, place: place.value });
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
  const queue = createTurnQueue();
  const work = createTurnWork(deps);

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
      if (sent.text.trim() === '') return err(noText);
      const opened = writable(log, sessionId);
      if (!opened.ok) return opened;
      const state = opened.value;
      const model = deps.modelFor?.(sent.model, state) ?? sent.model;
      const line: SessionLine = { ...sent, model, turn: state.turnCount };
      const place = targetFor(deps.agent, line, state);
      if (!place.ok) return place;
      // The reply starts in the same commit as the line, unless the line has to wait in the queue.
      const startsNow = place.value === null && queue.pending(sessionId).length === 0;
      const start = startsNow ? [work.started(line)] : [];
      const appended = log.append(sessionId, [...lineFacts(line, recorded, state), ...start]);
      if (!appended.ok) return appended;
      return ok({ turn: line.turn, done: enqueue(line, place.value) });
    },
    /** Stops a turn; HOST/NOT_FOUND when it is neither running nor waiting. */
    stop: (sessionId: string, turn: number): Result<null> =>
      queue.stop(sessionId, turn) ? ok(null) : err(noTurn),
    /** Unfinished turns, the running one first. */
    pending: (sessionId: string): readonly number[] => queue.pending(sessionId),
    /** Stops everything; resolves when the outcomes are recorded. */
    async close(): Promise<void> {
      await queue.close();
      work.stopRetrying();
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
function createTurnQueue() {
  const lines = new Map<string, Line>();

  const next = (sessionId: string, line: Line): void => {
    const job = line.waiting.shift();
    if (!job) {
      lines.delete(sessionId);
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
