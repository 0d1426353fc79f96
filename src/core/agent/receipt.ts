import type { Json } from '#shared/json';
import type { Usage } from '#shared/model';
import type { Receipt } from '#shared/receipt';
import { isObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { tokensOf, type CountTokens } from '../tools/model-usage';

/** Tokens of one call: those a model writes to make it, and those it reads of the result. */
export interface CallTokens {
  readonly written: number;
  readonly read: number;
}

/** Tokens that chat formats add per message. */
const messageFrame = 4;

const unread = ['$schema', 'title', 'additionalProperties'];

/** A schema without the parts a model does not need, so that the comparison favours direct calling. */
function minimal(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => minimal(item));
  if (!isObject(schema)) return schema;
  const left = Object.entries(schema).filter(([name]) => !unread.includes(name));
  return Object.fromEntries(left.map(([name, value]) => [name, minimal(value)]));
}

export function schemaTokens(count: CountTokens, tools: readonly ToolDefinition[]): number {
  return tools.reduce((sum, { uri, description, inputSchema }) => {
    const parameters = minimal(inputSchema);
    return sum + tokensOf(count, { name: uri, description, parameters });
  }, 0);
}

/**
 * Turns and tokens of ordinary function calling for the same calls: every turn sends all schemas and all
 * earlier messages, concurrent calls share one turn, and the answer comes last. What an earlier turn sent
 * counts as cached, as the best provider would serve it. Pure.
 */
export function directCost(
  waves: readonly (readonly CallTokens[])[],
  { schemas, goal, answer }: { readonly schemas: number; readonly goal: number; readonly answer: number },
): Receipt['direct'] {
  let input = schemas + messageFrame + goal;
  let tokens = 0;
  let uncached = input;
  let cached = 0;
  let output = answer;
  for (const wave of waves) {
    const written = wave.reduce((sum, call) => sum + call.written, 0);
    tokens += input + written;
    output += written;
    cached += input;
    const added = messageFrame + written + wave.reduce((sum, call) => sum + messageFrame + call.read, 0);
    uncached += added;
    input += added;
  }
  return {
    turns: waves.length + 1,
    tokens: tokens + input + answer,
    parts: { fresh: uncached, cached, output },
  };
}

export interface TokenTally {
  /** Called when a call begins; returns a function that takes the result or the error message. */
  readonly startCall: (tool: string, args: unknown) => (result: unknown) => void;
  /** Undefined for a run that called no tool. */
  readonly receipt: (end: ReceiptInput) => Promise<Receipt | undefined>;
}

interface ReceiptInput {
  readonly goal: string;
  readonly answer: string;
  readonly tools: readonly ToolDefinition[];
  readonly usage: Usage;
}

/** Counts the tokens of a run's calls as they end; stores only the counts of arguments and results. */
export function createTokenTally(load: () => Promise<CountTokens>): TokenTally {
  const waves: CallTokens[][] = [];
  const counting: Promise<void>[] = [];
  let runningCalls = 0;
  return {
    startCall: (tool, args) => {
      if (runningCalls === 0) waves.push([]);
      runningCalls += 1;
      const wave = waves.at(-1);
      return (result) => {
        runningCalls -= 1;
        const counted = load().then((count) => {
          const written = tokensOf(count, tool) + tokensOf(count, args ?? {});
          wave?.push({ written, read: tokensOf(count, result ?? null) });
        });
        // The caller of `receipt` gets this failure.
        counted.catch(() => undefined);
        counting.push(counted);
      };
    },
    receipt: async ({ goal, answer, tools, usage }) => {
      if (waves.length === 0) return undefined;
      const count = await load();
      await Promise.all(counting);
      const texts = { goal: tokensOf(count, goal), answer: tokensOf(count, answer) };
      const direct = directCost(waves, { ...texts, schemas: schemaTokens(count, tools) });
      const { modelTurns, inputTokens, outputTokens } = usage;
      const cached = usage.cachedTokens === undefined ? null : Math.min(usage.cachedTokens, inputTokens);
      const parts = { fresh: inputTokens - (cached ?? 0), cached, output: outputTokens };
      const used = { turns: modelTurns, tokens: inputTokens + outputTokens, parts };
      return { estimate: true, calls: waves.flat().length, used, direct };
    },
  };
}
