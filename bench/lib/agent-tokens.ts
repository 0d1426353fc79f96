import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ModelMessage, ModelTool } from '../../src/core/ports/llm';

export const tokens = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

/** The tokens that chat formats add per message. */
const messageFrame = 4;

export function messageTokens(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.reduce(
    (sum, { name, argumentsJson }) => sum + tokens(name) + tokens(argumentsJson),
    0,
  );
  return messageFrame + tokens(message.content) + called;
}

export const toolTokens = (tools: readonly ModelTool[]): number =>
  tools.reduce((sum, tool) => sum + tokens(JSON.stringify(tool)), 0);

/** One model turn: its input, how much of it the turn before had already sent, and its output. */
export interface TurnTokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export const plain = (turns: readonly TurnTokens[]): number =>
  turns.reduce((sum, { input, output }) => sum + input + output, 0);

/** Cached input at a tenth, output at five times the price of input. */
export const priced = (turns: readonly TurnTokens[]): number =>
  turns.reduce((sum, { input, cached, output }) => sum + (input - cached) + cached * 0.1 + output * 5, 0);

/** Milliseconds of a model that needs 800 to begin and 20 for each token. */
export const modelMs = (turns: readonly TurnTokens[]): number =>
  turns.reduce((sum, { output }) => sum + 800 + 20 * output, 0);

/** Milliseconds of a tool, 50 to 200, the same for the same call. */
export function toolMs(call: { readonly uri: string; readonly args: unknown }): number {
  let mixed = 7;
  for (const character of `${call.uri}${JSON.stringify(call.args)}`)
    mixed = (mixed * 31 + character.charCodeAt(0)) % 100_003;
  return 50 + (mixed % 151);
}
