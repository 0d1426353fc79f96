import type { PlanningMessage, RunState } from '#shared/session-state';
import type { ModelMessage, ModelToolCall } from '../ports/llm';
import { readResult } from './observation';
import { submitPlan } from './plan-reply';

/** The recorded part of a planning conversation. */
export interface RestoredPlanning {
  readonly messages: readonly ModelMessage[];
  /** What the user added to the goal before the model replied. */
  readonly addedToGoal: readonly string[];
  /** The call of the last plan while it has no answer; null for a plan that came as text. */
  readonly open: ModelToolCall | null | undefined;
  /** How many parts of results the model has read before its move of a stage. */
  readonly readsIn: (stage: number) => number;
}

/** A message of the model with what it received for it. */
interface Exchange {
  readonly reply: Extract<PlanningMessage, { role: 'assistant' }>;
  readonly answers: Extract<PlanningMessage, { role: 'host' }>[];
}

/** Whether an answer belongs to an exchange: it names one of its calls, or the model wrote text without calls. */
const takes = (exchange: Exchange, callId: string | undefined): boolean => {
  const calls = callsOf(exchange);
  return callId === undefined ? calls.length === 0 : calls.some(({ id }) => id === callId);
};

/** The exchanges, and the answers that belong to none of them because they follow the goal. */
function exchangesOf(history: readonly PlanningMessage[]) {
  const exchanges: Exchange[] = [];
  const afterGoal: Exchange['answers'] = [];
  for (const message of history) {
    if (message.role === 'assistant') exchanges.push({ reply: message, answers: [] });
    else (exchanges.findLast((one) => takes(one, message.callId))?.answers ?? afterGoal).push(message);
  }
  return { exchanges, afterGoal };
}

const callsOf = ({ reply }: Exchange): readonly ModelToolCall[] =>
  reply.parts.flatMap((part) =>
    part.type === 'call' ? [{ id: part.id, name: part.name, argumentsJson: part.arguments }] : [],
  );

/** A message that was extended after it was sent: only its end changes, so its beginning stays cached. */
export const addedText = (...texts: readonly string[]): string => texts.join('\n\n');

function messagesOf(exchange: Exchange): readonly ModelMessage[] {
  const toolCalls = callsOf(exchange);
  const content = exchange.reply.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const ids = [...new Set(exchange.answers.map(({ callId }) => callId))];
  const answers = ids.map((callId): ModelMessage => {
    const words = exchange.answers.filter((one) => one.callId === callId).map((one) => one.content);
    const content = addedText(...words);
    return callId === undefined ? { role: 'user', content } : { role: 'tool', toolCallId: callId, content };
  });
  const { parts } = exchange.reply;
  // Where the message has more than text and calls, it returns as it came.
  const opaque = parts.some(({ type, provider }) => type === 'thinking' || provider !== undefined);
  return [
    { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }), ...(opaque && { parts }) },
    ...answers,
  ];
}

/** The plan of an exchange that has no answer yet: its call, or null for text; undefined when all has one. */
function openPlan(exchange: Exchange): ModelToolCall | null | undefined {
  const calls = callsOf(exchange);
  if (calls.length === 0) return exchange.answers.length === 0 ? null : undefined;
  const answered = new Set(exchange.answers.map(({ callId }) => callId));
  return calls.find(({ id, name }) => name === submitPlan && !answered.has(id));
}

/** Whether every call but an open plan has its answer. */
function isAnswered(exchange: Exchange, open: ModelToolCall | null | undefined): boolean {
  const answered = new Set(exchange.answers.map(({ callId }) => callId));
  return callsOf(exchange).every(({ id }) => answered.has(id) || id === open?.id);
}

/**
 * The planning conversation of an interrupted run up to its last complete message. A reply whose calls were not
 * all answered, and a plan that neither became a stage nor was proposed as one, are asked for again; where that
 * has happened already, the reply in its place counts. Pure.
 */
export function restorePlanning(
  prior: Pick<RunState, 'said' | 'stages' | 'proposal'> | undefined,
): RestoredPlanning {
  const { said: recorded = [], stages = [], proposal } = prior ?? {};
  const { exchanges: all, afterGoal } = exchangesOf(recorded);
  const exchanges = all.map((exchange) => ({ exchange, open: openPlan(exchange) }));
  const last = exchanges.at(-1);
  const reached = proposal?.stage ?? stages.length;
  const answered = exchanges.filter(({ exchange, open }) => {
    if (!isAnswered(exchange, open)) return false;
    // Only the last plan can still wait for its observation.
    return open === undefined || (exchange === last?.exchange && exchange.reply.stage <= reached);
  });
  return {
    messages: answered.flatMap(({ exchange }) => messagesOf(exchange)),
    addedToGoal: afterGoal.map(({ content }) => content),
    open: answered.at(-1)?.open,
    readsIn: (stage) =>
      answered
        .filter(({ exchange }) => exchange.reply.stage === stage)
        .flatMap(({ exchange }) => callsOf(exchange))
        .filter(({ name }) => name === readResult).length,
  };
}
