import { appError, type AppError } from '#shared/app-error';
import {
  canSteer,
  isCommandLine,
  nextLine,
  stageEndLines,
  type QueuedLine,
  type QueueTime,
} from '#shared/line-queue';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import type { Agent } from '../ports/agent';
import type { Ids } from '../ports/ids';
import { emptyLine, isBlank, lineFacts, type NewLine, type RecordedWith } from './session-line';
import { writable, type SessionLog } from './session-log';
import { targetFor, type AgentTarget, type SentLine, type TurnReport, type TurnWorkDeps } from './turn-work';

const noLine = appError('HOST', 'NOT_FOUND', 'That line no longer waits: it was sent or withdrawn.');

interface WaitingLinesDeps extends Pick<TurnWorkDeps, 'onUnsaved'> {
  readonly log: SessionLog;
  readonly ids: Ids;
  /** Absent when Agent Mode is off. */
  readonly agent?: Agent;
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

interface LineEdit {
  readonly sessionId: string;
  readonly lineId: string;
  readonly text?: string | undefined;
  readonly when?: QueueTime | undefined;
  /** The user begins to edit the text, or ends the edit; until then, the line is not used. */
  readonly held?: boolean | undefined;
}

type LineRef = Pick<LineEdit, 'sessionId' | 'lineId'>;

interface LineMove extends LineRef {
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
export function createWaitingLines(deps: WaitingLinesDeps) {
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
  /** Cancels what the turn does for a line that is to be used now: the run continues with it, or the turn ends. */
  const cancelFor = (sessionId: string, line: QueuedLine): void => {
    const turn = activeTurn(sessionId);
    if (turn === undefined) return sendNext(sessionId);
    const state = log.state(sessionId);
    const run = state ? turnAt(state, turn)?.run : undefined;
    const steers = canSteer(line) || isCommandLine(line);
    if (!run || deps.agent?.cancelStage(run.runId, steers) !== true) cancelTurn(sessionId, turn);
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
