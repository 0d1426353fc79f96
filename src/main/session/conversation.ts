import { appError, type AppError } from '#shared/app-error';
import type { ModelRef } from '#shared/model';
import { err, ok, type Result } from '#shared/result';
import type { RunMode } from '#shared/run-mode';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import type { Agent, AgentRequest, RunReport } from '../agent/agent';
import type { Clock } from '../ports/clock';
import type { ModelClient, ModelMessage } from '../ports/llm';
import { askTurn, type AskReport } from './ask-turn';
import { historyMessages } from './history-messages';
import { systemMessage, type PromptText } from './prompt';
import type { SessionLog } from './session-log';
import { titleFrom } from './session-title';
import { createTurnQueue } from './turn-queue';

export interface ConversationDeps {
  readonly log: SessionLog;
  readonly models: ModelClient;
  readonly clock: Clock;
  /** The system message's blocks for a session. */
  readonly compose: (state: SessionState) => readonly PromptText[];
  /** Absent when Agent Mode is off. */
  readonly agent?: Agent;
  /** Text of a reply as it comes, before it is saved; `offset` in UTF-16 units of the whole reply. */
  readonly pushDelta: (delta: ReplyDelta) => void;
  /** Told each time a turn cannot be saved. */
  readonly onUnsaved?: (sessionId: string, error: AppError) => void;
}

export interface ReplyDelta {
  readonly sessionId: string;
  readonly turn: number;
  readonly offset: number;
  readonly text: string;
}

export interface SendRequest {
  readonly sessionId: string;
  readonly text: string;
  readonly runMode: RunMode;
  readonly model: ModelRef;
  /** Agent Mode only; `ask` unless said otherwise. */
  readonly approve?: AgentRequest['approve'];
  readonly given?: AgentRequest['given'];
}

export type TurnReport =
  | { readonly runMode: 'ask'; readonly reply: AskReport }
  | { readonly runMode: 'agent'; readonly run: RunReport };

export interface SentLine {
  readonly turn: number;
  /** What came of the line, once it is recorded; null when it was taken out of the queue before it began. */
  readonly done: Promise<TurnReport | null>;
}

export interface Conversation {
  /** Records a line and answers it, after the lines of the session sent before it. */
  send(request: SendRequest): Result<SentLine>;
  /** Stops a turn; HOST/NOT_FOUND when it is not under way or waiting. */
  stop(sessionId: string, turn: number): Result<null>;
  /** Turns not finished, the one under way first. */
  pending(sessionId: string): readonly number[];
  /** Stops everything; settles when it is recorded. */
  close(): Promise<void>;
}

interface AgentWork {
  readonly agent: Agent;
  readonly turn: number;
  readonly project: string;
}

const retrySaveMs = 5_000;

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

/** The messages of one Ask request: the same whatever the run mode is, was or could be. Pure. */
export function askMessages(
  blocks: readonly PromptText[],
  state: SessionState,
  turn: number,
): ModelMessage[] {
  const system = systemMessage(blocks);
  return [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...historyMessages(state, turn),
  ];
}

/** Lines of input and what comes of them: a reply (Ask) or a run (Agent Mode), one at a time in each session. */
export function createConversation(deps: ConversationDeps): Conversation {
  const { log, models, clock } = deps;
  const queue = createTurnQueue();
  let closed = false;

  const record = (sessionId: string, facts: readonly SessionFact[]): boolean => {
    const appended = log.append(sessionId, facts);
    if (!appended.ok) deps.onUnsaved?.(sessionId, appended.error);
    return appended.ok;
  };

  /** A turn's end is tried again while the disk refuses it; after a crash the next start ends the turn as interrupted. */
  const recordLast = (sessionId: string, facts: readonly SessionFact[]): void => {
    if (record(sessionId, facts) || closed) return;
    clock.after(retrySaveMs, () => recordLast(sessionId, facts));
  };

  const started = ({ model }: SendRequest, turn: number): SessionFact => ({
    type: 'reply-started',
    turn,
    model,
    providerName: models.providerName(model.providerId),
  });

  const ask = async (request: SendRequest, turn: number, signal: AbortSignal): Promise<TurnReport> => {
    const { sessionId, model } = request;
    const state = log.state(sessionId);
    if (!state || (!turnAt(state, turn)?.reply && !record(sessionId, [started(request, turn)]))) {
      const error = appError('HOST', 'STORAGE', 'The session cannot be written.', { retryable: true });
      return { runMode: 'ask', reply: { outcome: 'failed', text: '', error } };
    }
    const askDeps = {
      models,
      clock,
      show: (offset: number, text: string) => deps.pushDelta({ sessionId, turn, offset, text }),
      record: (facts: readonly SessionFact[]) => record(sessionId, facts),
      recordLast: (facts: readonly SessionFact[]) => recordLast(sessionId, facts),
    };
    const messages = askMessages(deps.compose(state), state, turn);
    return { runMode: 'ask', reply: await askTurn(askDeps, { turn, model, messages }, signal) };
  };

  const run = async (request: SendRequest, work: AgentWork, signal: AbortSignal): Promise<TurnReport> => {
    const { text, model, approve = 'ask', given, sessionId } = request;
    const goal: AgentRequest = {
      turn: work.turn,
      goal: text,
      model,
      project: work.project,
      approve,
      ...(given && { given }),
    };
    return {
      runMode: 'agent',
      run: await work.agent.run(goal, (facts) => record(sessionId, facts), signal),
    };
  };

  const enqueue = (request: SendRequest, turn: number, work: (signal: AbortSignal) => Promise<TurnReport>) =>
    new Promise<TurnReport | null>((resolve, reject) => {
      queue.add(request.sessionId, {
        turn,
        run: async (signal) => work(signal).then(resolve, reject),
        dropped: () => {
          recordLast(request.sessionId, [
            started(request, turn),
            { type: 'reply-ended', turn, outcome: 'stopped' },
          ]);
          resolve(null);
        },
      });
    });

  const lineFacts = (request: SendRequest, state: SessionState, idle: boolean): readonly SessionFact[] => {
    const { text, runMode, model } = request;
    const turn = state.turnCount;
    const title = state.title === '' && turn === 0 ? titleFrom(text) : '';
    return [
      ...(title === '' ? [] : [{ type: 'session-renamed' as const, title }]),
      { type: 'message-sent', turn, text, runMode, model },
      // In one commit with the line, unless the line has to wait: then its reply starts when its turn comes.
      ...(idle && runMode === 'ask' ? [started(request, turn)] : []),
    ];
  };

  const agentFor = (request: SendRequest, state: SessionState): Result<Omit<AgentWork, 'turn'> | null> => {
    if (request.runMode === 'ask') return ok(null);
    if (!deps.agent) return err(noAgent);
    return state.project === null ? err(noFolder) : ok({ agent: deps.agent, project: state.project });
  };

  return {
    send(request) {
      const { sessionId, text } = request;
      if (text.trim() === '') return err(noText);
      const opened = log.open(sessionId);
      if (!opened.ok) return opened;
      const { state, readOnly } = opened.value;
      if (readOnly) return err(readOnly);
      const agent = agentFor(request, state);
      if (!agent.ok) return agent;
      const turn = state.turnCount;
      const idle = queue.pending(sessionId).length === 0;
      const appended = log.append(sessionId, lineFacts(request, state, idle));
      if (!appended.ok) return appended;
      const work = agent.value;
      const done = enqueue(request, turn, (signal) =>
        work ? run(request, { ...work, turn }, signal) : ask(request, turn, signal),
      );
      return ok({ turn, done });
    },
    stop: (sessionId, turn) => (queue.stop(sessionId, turn) ? ok(null) : err(noTurn)),
    pending: (sessionId) => queue.pending(sessionId),
    async close() {
      await queue.close();
      closed = true;
    },
  };
}
