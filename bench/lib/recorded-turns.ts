import type { ModelClient, ModelMessage, ModelRequest } from '../../src/core/ports/llm';
import { messageTokens, tokens, toolTokens, type TurnTokens } from './agent-tokens';

const counted = new Map<string, number>();
const costOf = (text: string, count: () => number): number => {
  const cost = counted.get(text) ?? count();
  counted.set(text, cost);
  return cost;
};

const toolsCost = ({ tools = [] }: ModelRequest): number =>
  costOf(JSON.stringify(tools), () => toolTokens(tools));
const messageCost = (message: ModelMessage): number =>
  costOf(JSON.stringify(message), () => messageTokens(message));

const inputOf = (request: ModelRequest): number =>
  request.messages.reduce((sum, message) => sum + messageCost(message), toolsCost(request));

/** The part of a request that a provider's cache contains: the tools and first messages that the request before had. */
function cachedOf(request: ModelRequest, before: ModelRequest | undefined): number {
  if (!before || JSON.stringify(before.tools) !== JSON.stringify(request.tools)) return 0;
  const same = request.messages.findIndex(
    (message, at) => JSON.stringify(message) !== JSON.stringify(before.messages[at]),
  );
  const shared = same === -1 ? request.messages : request.messages.slice(0, same);
  return shared.reduce((sum, message) => sum + messageCost(message), toolsCost(request));
}

/**
 * A model client that notes the tokens of every turn. A provider's own numbers count with `reported`; otherwise, and
 * where it reports none, both sides are counted with the same tokenizer.
 */
export function recordTurns(models: ModelClient, reported: boolean) {
  let turns: TurnTokens[] = [];
  let before: ModelRequest | undefined;
  const stream: ModelClient['stream'] = async function* (request, signal) {
    const estimate = { input: inputOf(request), cached: cachedOf(request, before) };
    before = request;
    let output = 0;
    for await (const event of models.stream(request, signal)) {
      if (event.type === 'text') output += tokens(event.text);
      if (event.type === 'tool-call') output += tokens(event.call.name) + tokens(event.call.argumentsJson);
      if (event.type === 'end') {
        const known = reported && event.inputTokens > 0;
        turns.push(
          known
            ? { input: event.inputTokens, cached: event.cachedTokens ?? 0, output: event.outputTokens }
            : { ...estimate, output },
        );
      }
      yield event;
    }
  };
  return {
    models: { ...models, stream },
    /** The turns since the last request of this list; the next request begins a conversation. */
    take: (): readonly TurnTokens[] => {
      const taken = turns;
      turns = [];
      before = undefined;
      return taken;
    },
  };
}
