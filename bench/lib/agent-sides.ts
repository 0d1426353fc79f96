import type { AgentRequest } from '../../src/core/ports/agent';
import { createObservedTypes } from '../../src/core/agent/observed-types';
import { createPlanner, firstStage } from '../../src/core/agent/planner';
import { createRunMeter } from '../../src/core/agent/run-meter';
import { asMessage } from '../../src/core/session/prompt';
import type { ModelClient, ModelMessage, ModelTool } from '../../src/core/ports/llm';
import type { ToolDefinition } from '../../src/core/ports/tool-definition';
import type { JsonObject } from '../../src/shared/json';
import type { Plan } from '../../src/shared/plan';
import { appError } from '../../src/shared/app-error';
import { err, ok } from '../../src/shared/result';
import { createMemoryTexts } from '../../src/testing/memory-texts';
import type { ScriptedModel } from '../../src/testing/scripted-model';
import type { ScriptedRequest } from '../../src/testing/scripted-reply';
import type { RecordedCall } from './agent-servers';
import type { AgentTask } from './agent-tasks';
import { messageTokens, tokens, toolTokens, type TurnTokens } from './agent-tokens';

/** The scripted model as the product asks for it. */
export const model = { providerId: 'environment', model: 'large' };
const never = new AbortController().signal;
const count = 1_000_000;
const budgets = {
  node: { cpu_ms: 1_000, mem_mb: 64, max_ops: count, tool_calls: 2_000, output_bytes: count, tokens: count },
  run: { nodes: 32, wall_ms: count, tool_calls: count, tokens: count, replans: 2 },
};

/** What the model writes for a task: only what the host cannot know. */
export const planReply = ({ code, answer }: AgentTask) => ({
  code: code
    .replaceAll('params.root', "'.'")
    .replace("const root = '.';\n", '')
    .replaceAll("root + '/", "'./"),
  answer,
});

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** The tokens of a request as it was sent. */
export function requestTokens({ json }: ScriptedRequest): number {
  const { messages = [], tools = [] } = json as {
    messages?: readonly WireMessage[];
    tools?: readonly { function: ModelTool }[];
  };
  const sent = messages.map(({ role, content, tool_calls: calls = [] }): ModelMessage => {
    const toolCalls = calls.map(({ function: { name, arguments: args } }) => ({
      id: '',
      name,
      argumentsJson: args,
    }));
    return { role: role as 'assistant', content: content ?? '', toolCalls };
  });
  return (
    sent.reduce((sum, message) => sum + messageTokens(message), 0) +
    toolTokens(tools.map((tool) => tool.function))
  );
}

/** Whether a request describes how to call a tool: in a full line, or in its server's line of short forms. */
function tells(text: string, alias: string): boolean {
  if (text.includes(`${alias}(`)) return true;
  const [, server = '', tool = ''] = alias.split('.');
  const underServer = `tools\\.${server}(?: //(?:(?!\\\\n).)*)?\\\\n(?:\\.(?:(?!\\\\n).)*\\\\n)*\\.${tool}\\(`;
  if (new RegExp(underServer).test(text)) return true;
  return new RegExp(`(?:^|\\\\n|\n)${server}: (?:(?!\\\\n|\\n).)*\\b${tool}\\((?!…)`).test(text);
}

const aliasesIn = (code: string): readonly string[] => [...new Set(code.match(/tools\.\w+\.\w+/g) ?? [])];

/** The query for a tool that is not listed: the words of its name, as a step would put it. */
export const queryFor = (alias: string): string => alias.split('.').at(-1)?.replaceAll('_', ' ') ?? '';

export const submit = (value: unknown) => ({
  toolCalls: [{ id: 'c', name: 'submit_plan', arguments: value }],
});

/**
 * Makes the model search once for the tools that a script calls and its first request does not describe; returns the
 * query.
 */
export function searchWhenUntold(scripted: ScriptedModel, code: string) {
  const search = { queries: [] as string[] };
  let asked = false;
  scripted.add({
    times: 1,
    match: (request) => {
      if (asked || !request.text.includes('find_tools')) return false;
      search.queries = aliasesIn(code)
        .filter((alias) => !tells(request.text, alias))
        .map(queryFor);
      return search.queries.length > 0;
    },
    toolCalls: [{ id: 's', name: 'find_tools', arguments: search }],
  });
  return {
    search,
    /** No further search follows. */
    end: () => void (asked = true),
  };
}

/** The cost of each turn; only a turn that continues a conversation, as after a search, has a cached beginning. */
export function turnsOf(
  requests: readonly ScriptedRequest[],
  written: readonly unknown[],
  searched: boolean,
): readonly TurnTokens[] {
  const inputs = requests.map(requestTokens);
  return inputs.map((input, at) => ({
    input,
    output: tokens(JSON.stringify(written[at])),
    cached: at === 1 && searched ? (inputs[0] ?? 0) : 0,
  }));
}

export interface PlannedTask {
  readonly turns: readonly TurnTokens[];
  readonly searched: boolean;
  readonly plan: Plan;
}

/** Plans a task by the product's planner, over real HTTP. */
export async function planTask(
  place: { readonly model: ScriptedModel; readonly models: ModelClient },
  task: AgentTask,
  { tools }: { readonly tools: readonly ToolDefinition[] },
): Promise<PlannedTask> {
  const reply = planReply(task);
  const before = place.model.chats().length;
  const { search, end } = searchWhenUntold(place.model, reply.code);
  place.model.add(submit(reply));
  const request = {
    turn: 0,
    goal: task.goal,
    model,
    project: '/',
    approve: 'all' as const,
    lists: () => ({}),
    prompt: ((_part, { blocks }) => ok(asMessage(blocks))) satisfies AgentRequest['prompt'],
    beginNode: () => ok(null),
  };
  const planning = {
    request,
    models: place.models,
    budgets,
    observed: createObservedTypes(createMemoryTexts()),
    meter: createRunMeter(),
    signal: never,
    artifacts: { get: () => err(appError('HOST', 'NOT_FOUND', 'There is none.')) },
  };
  const planner = await createPlanner(planning as unknown as Parameters<typeof createPlanner>[0], {
    tools,
    servers: [],
  });
  const planned = await planner.next(firstStage, never);
  if (!planned.ok || planned.value.type !== 'plan')
    throw new Error(`${task.goal}: ${planned.ok ? 'no plan' : planned.error.message}`);
  end();
  const searched = search.queries.length > 0;
  const written = searched ? [search, reply] : [reply];
  const turns = turnsOf(place.model.chats().slice(before), written, searched);
  return { turns, searched, plan: planned.value.checked.plan };
}

/** A schema without what a model does not need: no dialect, titles or `additionalProperties`. */
function minimal(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(minimal);
  if (schema === null || typeof schema !== 'object') return schema;
  const left = Object.entries(schema).filter(
    ([name]) => !['$schema', 'title', 'additionalProperties'].includes(name),
  );
  return Object.fromEntries(left.map(([name, value]) => [name, minimal(value)]));
}

export const functionName = (uri: string): string => uri.replace('mcp://', '').replace('.', '__');

export const directTools = (tools: readonly ToolDefinition[]): readonly ModelTool[] =>
  tools.map(({ uri, description, inputSchema }) => ({
    name: functionName(uri),
    description,
    parameters: minimal(inputSchema) as JsonObject,
  }));

/**
 * The turns of ordinary function calling for the same calls: concurrent calls in one turn, unchanged results, then
 * the answer.
 */
export function directTurns(
  goal: string,
  waves: readonly (readonly RecordedCall[])[],
  { answer, toolsCost }: { readonly answer: string; readonly toolsCost: number },
): readonly TurnTokens[] {
  let input = toolsCost + messageTokens({ role: 'user', content: goal });
  let cached = 0;
  const turns: TurnTokens[] = [];
  for (const wave of waves) {
    const called = wave.map(({ uri, args }) => tokens(functionName(uri)) + tokens(JSON.stringify(args)));
    const output = called.reduce((sum, each) => sum + each, 0);
    turns.push({ input, cached, output });
    cached = input;
    const results = wave.map(({ result }) => (typeof result === 'string' ? result : JSON.stringify(result)));
    input += 4 + output + results.reduce((sum, text) => sum + 4 + tokens(text), 0);
  }
  return [...turns, { input, cached, output: tokens(answer) }];
}
