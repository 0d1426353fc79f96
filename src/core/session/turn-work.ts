import { appError, type AppError } from '#shared/app-error';
import { steeringLines } from '#shared/line-queue';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import type { Agent, RunReport } from '../ports/agent';
import type { Clock } from '../ports/clock';
import type { ContextItems } from '../ports/context-items';
import type { ModelClient } from '../ports/llm';
import { createTokenEstimate, type CountTokens } from '../tools/model-usage';
import { askTurn, type AskReport, type AskRequest, type ComposedRequest } from './ask-turn';
import type { ModelContext } from './model-context';
import { createModelTitles } from './model-title';
import type { SessionLine } from './session-line';
import type { SessionLog } from './session-log';
import { createCompose, sessionlessDefaults, sessionPart, type FitHistory } from './turn-steps';

/**
 * Text of a model as it arrives, before it is saved; `offset` is in UTF-16 code units of the whole reply, or of the
 * thinking of one planning call.
 */
export interface ReplyText {
  readonly sessionId: string;
  readonly turn: number;
  readonly offset: number;
  readonly text: string;
  /** Thinking before a plan, which is no reply. */
  readonly thinking?: true;
}

export interface TurnWorkDeps {
  readonly log: SessionLog;
  readonly models: ModelClient;
  readonly clock: Clock;
  readonly modelContext: ModelContext;
  /** The contents of context items; absent: none is stored. */
  readonly items?: Pick<ContextItems, 'read'>;
  /** Shortens the history of a request that is about to exceed the model's context; absent: nothing does. */
  readonly fit?: FitHistory;
  /** Loads the tokenizer for replies whose tokens no provider counted. */
  readonly countTokens?: () => Promise<CountTokens>;
  readonly pushDelta: (delta: ReplyText) => void;
  /** Runs the commands that wait for the end of a stage. */
  readonly runWaitingCommands?: (sessionId: string) => Promise<void>;
  /** Called each time a turn cannot be saved. */
  readonly onUnsaved?: (sessionId: string, error: AppError) => void;
}

export interface AgentTarget {
  readonly agent: Agent;
  readonly project: string;
}

/** The agent and folder for a line's run, null for Ask, or the reason why the line cannot run. */
export function targetFor(
  agent: Agent | undefined,
  { runMode, provided }: Pick<SessionLine, 'runMode' | 'provided'>,
  state: SessionState,
): Result<AgentTarget | null> {
  // In a workflow the model answers every line, step by step, regardless of the run mode.
  if (runMode === 'ask' || (state.workflow && !provided)) return ok(null);
  if (!agent) return err(noAgent);
  return state.project === null ? err(noFolder) : ok({ agent, project: state.project });
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

export type TurnWork = ReturnType<typeof createTurnWork>;

const retrySaveMs = 5_000;

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
const unwritable = appError('HOST', 'STORAGE', 'The reply was not started: the session cannot be saved.', {
  hint: 'Free some disk space, then send the line again.',
  retryable: true,
});

function createRecorder({ log, clock, onUnsaved }: TurnWorkDeps) {
  let stopped = false;
  const record = (sessionId: string, facts: readonly SessionFact[]): boolean => {
    const appended = log.append(sessionId, facts);
    if (!appended.ok) onUnsaved?.(sessionId, appended.error);
    return appended.ok;
  };
  const recordLast = (sessionId: string, facts: readonly SessionFact[]): void => {
    if (record(sessionId, facts) || stopped) return;
    clock.after(retrySaveMs, () => {
      if (!stopped) recordLast(sessionId, facts);
    });
  };
  return {
    record /**
     * Retries recording the end of a turn while the disk refuses it; after a crash, the next start ends the
     * turn as interrupted.
     */,
    recordLast,
    stopRetrying: (): void => void (stopped = true),
  };
}

/** The part of a run's request that comes from its line. */
function lineRequest({ text: goal, ...line }: SessionLine) {
  const {
    sessionId,
    turn,
    model,
    approve = 'ask' as const,
    provided,
    planAnew = false,
    fresh = false,
  } = line;
  const { review = 'writes' as const, leaveForReview = false } = line;
  const rules = { approve, review, leaveForReview, planAnew, fresh };
  return { sessionId, turn, goal, model, ...rules, ...(provided && { provided }) };
}

/** Does the work of one line with the log, the models and the agent. */
export function createTurnWork(deps: TurnWorkDeps) {
  const { log, models, clock, modelContext } = deps;
  const { record, recordLast, stopRetrying } = createRecorder(deps);
  const estimate = createTokenEstimate(deps.countTokens);
  const titles = createModelTitles({ log, models, clock, estimate });

  const started = ({ model, turn }: SessionLine): SessionFact => ({
    type: 'reply-started',
    turn,
    model,
    providerName: models.providerName(model.providerId),
  });

  /** The state a reply is based on, after its start is recorded; null if the start cannot be recorded. */
  const begin = (line: SessionLine): SessionState | null => {
    const state = log.state(line.sessionId);
    if (!state) return null;
    return turnAt(state, line.turn)?.reply || record(line.sessionId, [started(line)]) ? state : null;
  };

  const ask = async (line: SessionLine, signal: AbortSignal): Promise<AskReport> => {
    const { sessionId, turn, model } = line;
    const state = begin(line);
    if (!state) return { outcome: 'failed', text: '', error: unwritable };
    const current = (): SessionState => log.state(sessionId) ?? state;
    const composeNext = createCompose(deps, line, state);
    let sent: ComposedRequest | null = null;
    const compose: AskRequest['compose'] = async (so) => {
      const composed = await composeNext(so);
      if (composed.ok) sent = composed.value;
      return composed;
    };
    const report = await askTurn(
      {
        models,
        clock,
        estimate,
        show: (offset, text) => deps.pushDelta({ sessionId, turn, offset, text }),
        record: (facts) => record(sessionId, facts),
        recordLast: (facts) => recordLast(sessionId, facts),
      },
      {
        turn,
        model,
        compose,
        maxRounds: () => modelContext.maxRounds(current(), line),
        callTool: (call, stop) => modelContext.callTool(line, call, stop),
      },
      signal,
    );
    if (report.outcome === 'done' && sent)
      titles.afterReply({ sessionId, turn, model, sent, reply: report.text });
    return report;
  };

  return {
    /** The fact that records the start of a line's reply. */
    started,
    /** Lets the model answer a line and records the reply. */
    ask,
    /** Runs the agent on a line and records its work. */
    run(line: SessionLine, { agent, project }: AgentTarget, signal: AbortSignal): Promise<RunReport> {
      const { sessionId, turn, model } = line;
      const state = log.state(sessionId);
      const request = {
        ...lineRequest(line),
        project,
        ...(state ? sessionPart(deps, state, { sessionId, turn, model }) : sessionlessDefaults),
        steeringLines: () => {
          const waiting = log.state(sessionId)?.queue;
          return waiting ? steeringLines(waiting) : [];
        },
        runWaitingCommands: () => deps.runWaitingCommands?.(sessionId) ?? Promise.resolve(),
        onThought: (offset: number, text: string) =>
          deps.pushDelta({ sessionId, turn, offset, text, thinking: true }),
      };
      return agent.run(request, (facts) => record(sessionId, facts), signal);
    },
    /** Records that a line was withdrawn before its work began. */
    drop(line: SessionLine): void {
      const { sessionId, turn } = line;
      recordLast(sessionId, [started(line), { type: 'reply-ended', turn, outcome: 'stopped' }]);
    },
    /** Stops what goes on after a turn: titles, and retrying to record facts that the disk refused. */
    async close(): Promise<void> {
      stopRetrying();
      await titles.close();
    },
  };
}
