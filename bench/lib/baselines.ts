import { createToolSearch } from '../../src/core/agent/tool-search';
import { declareTools } from '../../src/core/agent/tool-signature';
import type { ModelClient, ModelMessage, ModelTool, ModelToolCall } from '../../src/core/ports/llm';
import type { ToolDefinition } from '../../src/core/ports/tool-definition';
import type { Json, JsonObject } from '../../src/shared/json';
import type { ModelRef } from '../../src/shared/model';
import type { ScriptedReply, ScriptedToolCall } from '../../src/testing/scripted-reply';
import { directTools, functionName, queryFor } from './agent-sides';
import type { RecordedCall } from './agent-servers';

/**
 * How a model works without Agent Mode: `turns` makes one call a turn, `parallel` all independent calls in one turn;
 * `search` sees no tool before it searched for it; `code` searches for tools and sends scripts.
 */
export const baselines = ['turns', 'parallel', 'search', 'code'] as const;
export type Baseline = (typeof baselines)[number];

export const titles: Readonly<Record<Baseline, string>> = {
  turns: 'all schemas, one call a turn',
  parallel: 'all schemas, parallel calls',
  search: 'deferred tools (tool search)',
  code: 'code mode without a plan',
};

/** What a baseline's conversation can use: the calls of tools, and the result of a script. */
export interface Reach {
  readonly tools: readonly ToolDefinition[];
  readonly call: (uri: string, args: JsonObject) => Promise<string>;
  readonly execute: (code: string) => Promise<string>;
}

const text = { type: 'string' };
const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const functionOf = (name: string, description: string, properties: JsonObject): ModelTool => ({
  name,
  description,
  parameters: { type: 'object', properties, required: Object.keys(properties) },
});

const searchTool = functionOf('search_tools', 'Finds tools by words; gives their declarations.', {
  query: text,
});
const callTool = functionOf('call_tool', 'Calls a tool that was found.', {
  name: text,
  arguments: { type: 'object' },
});
const executeTool = functionOf(
  'execute',
  'Runs the body of an async JavaScript function that calls tools as `await tools.server.tool({…})` and returns a JSON value.',
  { code: text },
);

const mostFound = 3;

interface Conversation {
  readonly tools: readonly ModelTool[];
  readonly answer: (name: string, args: JsonObject) => Promise<string>;
}

function conversationOf(baseline: Baseline, { tools, call, execute }: Reach): Conversation {
  const uris = new Map(tools.map(({ uri }) => [functionName(uri), uri]));
  const callNamed = (name: string, args: JsonObject) => {
    const uri = uris.get(name);
    return uri === undefined ? Promise.resolve(`There is no tool ${name}.`) : call(uri, args);
  };
  if (baseline === 'turns' || baseline === 'parallel')
    return { tools: directTools(tools), answer: callNamed };
  const search = createToolSearch(tools);
  const found = (query: Json | undefined) => search.find(asText(query), mostFound);
  if (baseline === 'search') {
    const schemas = (query: Json | undefined) =>
      JSON.stringify(directTools(tools.filter(({ uri }) => found(query).includes(uri))));
    return {
      tools: [searchTool, callTool],
      answer: (name, args) =>
        name === searchTool.name
          ? Promise.resolve(schemas(args['query']))
          : callNamed(asText(args['name']), args['arguments'] as JsonObject),
    };
  }
  const declared = declareTools(tools);
  return {
    tools: [searchTool, executeTool],
    answer: (name, args) =>
      name === searchTool.name
        ? Promise.resolve(found(args['query']).map(declared.whole).join('\n'))
        : execute(asText(args['code'])),
  };
}

const mostTurns = 40;

function argumentsOf({ argumentsJson }: ModelToolCall): JsonObject | null {
  try {
    return JSON.parse(argumentsJson) as JsonObject;
  } catch {
    return null;
  }
}

/** Runs a whole conversation over HTTP: sends the goal and executes the model's calls until it answers in text. */
export async function converse(
  place: { readonly models: ModelClient; readonly model: ModelRef },
  baseline: Baseline,
  goal: string,
  reach: Reach,
): Promise<string> {
  const { tools, answer } = conversationOf(baseline, reach);
  const messages: ModelMessage[] = [{ role: 'user', content: goal }];
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const calls: ModelToolCall[] = [];
    let said = '';
    const request = { model: place.model, messages: [...messages], tools };
    for await (const event of place.models.stream(request, new AbortController().signal)) {
      if (event.type === 'text') said += event.text;
      if (event.type === 'tool-call') calls.push(event.call);
      if (event.type === 'error') throw new Error(`${titles[baseline]}: ${event.error.message}`);
    }
    if (calls.length === 0) return said;
    messages.push({ role: 'assistant', content: said, toolCalls: calls });
    const results = await Promise.all(
      calls.map((called) => {
        const args = argumentsOf(called);
        return args ? answer(called.name, args) : Promise.resolve('The arguments are not JSON.');
      }),
    );
    for (const [at, content] of results.entries())
      messages.push({ role: 'tool', toolCallId: calls[at]?.id ?? '', content });
  }
  throw new Error(`${titles[baseline]}: no answer after ${mostTurns} turns: ${goal}`);
}

/** What the model did in a run: its calls, with concurrent ones in one list, its scripts, its answer. */
export interface Work {
  readonly waves: readonly (readonly RecordedCall[])[];
  readonly scripts: readonly string[];
  readonly answer: string;
}

const callOf = ({ uri, args }: RecordedCall): ScriptedToolCall => ({
  name: functionName(uri),
  arguments: args,
});

/**
 * The replies of a model in a baseline that does the same work; it searches once for each tool, all in its first
 * turn.
 */
export function repliesFor(baseline: Baseline, { waves, scripts, answer }: Work): readonly ScriptedReply[] {
  const said = { text: answer };
  const searches = {
    toolCalls: [...new Set(waves.flat().map(({ uri }) => uri))].map((uri) => ({
      name: searchTool.name,
      arguments: { query: queryFor(uri) },
    })),
  };
  if (baseline === 'code')
    return [
      searches,
      ...scripts.map((code) => ({ toolCalls: [{ name: executeTool.name, arguments: { code } }] })),
      said,
    ];
  if (baseline === 'search')
    return [
      searches,
      ...waves.map((wave) => ({
        toolCalls: wave.map((one) => ({ name: callTool.name, arguments: { ...callOf(one) } })),
      })),
      said,
    ];
  const turns = baseline === 'turns' ? waves.flat().map((call) => [call]) : waves;
  return [...turns.map((wave) => ({ toolCalls: wave.map(callOf) })), said];
}
