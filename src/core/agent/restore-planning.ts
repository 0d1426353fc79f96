import type { PlanningMessage, RunState } from '#shared/session-state';
import type { ModelMessage, ModelToolCall } from '../ports/llm';
import { submitPlan } from './plan-reply';

/** The recorded part of a planning conversation. */
export interface RestoredPlanning {
  readonly messages: readonly ModelMessage[];
  /** The call of the last plan while it has no answer; null for a plan that came as text. */
  readonly open: ModelToolCall | null | undefined;
}

/** A message of the model with what it received for it. */
interface Exchange {
  readonly reply: Extract<PlanningMessage, { role: 'assistant' }>;
  readonly answers: Extract<PlanningMessage, { role: 'host' }>[];
}

function exchangesOf(said: readonly PlanningMessage[]): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  for (const message of said) {
    if (message.role === 'assistant') exchanges.push({ reply: message, answers: [] });
    else exchanges.at(-1)?.answers.push(message);
  }
  return exchanges;
}

const callsOf = ({ reply }: Exchange): readonly ModelToolCall[] =>
  reply.parts.flatMap((part) =>
    part.type === 'call' ? [{ id: part.id, name: part.name, argumentsJson: part.arguments }] : [],
  );

function messagesOf(exchange: Exchange): readonly ModelMessage[] {
  const toolCalls = callsOf(exchange);
  const content = exchange.reply.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const answers = exchange.answers.map(({ callId, content: words }): ModelMessage =>
    callId === undefined
      ? { role: 'user', content: words }
      : { role: 'tool', toolCallId: callId, content: words },
  );
  return [{ role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }, ...answers];
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
 * The planning conversation of an interrupted run up to its last complete message: a reply whose calls were
 * not all answered, and a plan that did not become a stage, are asked for again. Pure.
 */
export function restorePlanning(prior: Pick<RunState, 'said' | 'stages'> | undefined): RestoredPlanning {
  const { said = [], stages = [] } = prior ?? {};
  const messages: ModelMessage[] = [];
  let last: ModelToolCall | null | undefined;
  for (const exchange of exchangesOf(said)) {
    const open = openPlan(exchange);
    const planned = exchange.reply.stage <= stages.length;
    if (!isAnswered(exchange, open) || (open !== undefined && !planned)) break;
    messages.push(...messagesOf(exchange));
    last = open;
  }
  return { messages, open: last };
}
