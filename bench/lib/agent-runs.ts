import type { ModelClient } from '../../src/core/ports/llm';
import type { SandboxEngine } from '../../src/core/ports/sandbox';
import type { ToolDefinition } from '../../src/core/ports/tool-definition';
import type { RunReport } from '../../src/core/ports/agent';
import type { Json, JsonObject } from '../../src/shared/json';
import type { ModelRef } from '../../src/shared/model';
import { ok } from '../../src/shared/result';
import { createAgentHarness } from '../../src/testing/agent-harness';
import type { ScriptedModel } from '../../src/testing/scripted-model';
import type { ScriptedReply } from '../../src/testing/scripted-reply';
import { planReply, searchWhenUntold, submit } from './agent-sides';
import type { BenchServers } from './agent-servers';
import type { AgentTask } from './agent-tasks';
import type { Reach } from './baselines';
import type { StagedTask } from './staged-tasks';

/** A task of either group; one planned at once has its answer as a template. */
export type BenchTask = AgentTask | StagedTask;
export const isStaged = (task: BenchTask): task is StagedTask => 'look' in task;

const plenty = 1_000_000;
const budgets = {
  node: { tool_calls: 2_000, output_bytes: plenty, tokens: 16_000, cpu_ms: 60_000 },
  run: { replans: 2, tokens: plenty, tool_calls: 2_000, wall_ms: 600_000 },
};

/** Servers that show a run only some of their tools. */
function harnessOf(
  { tools: real }: BenchServers,
  tools: readonly ToolDefinition[],
  more: { readonly models?: ModelClient; readonly sandbox?: SandboxEngine },
) {
  const seen = { ...real, list: () => Promise.resolve(ok(tools)) };
  return createAgentHarness({ tools: { tools: seen, calls: [], started: [] }, budgets, ...more });
}

export interface AgentPlace {
  readonly models: ModelClient;
  readonly model: ModelRef;
  /** Isolates scripts that a real model wrote; without it they run in this process. */
  readonly sandbox?: SandboxEngine;
}

/** Works on a goal with the product, from the goal to the answer. */
export function runAgent(
  { models, model, sandbox }: AgentPlace,
  goal: string,
  world: BenchServers,
  tools: readonly ToolDefinition[],
): Promise<RunReport> {
  const bench = harnessOf(world, tools, { models, ...(sandbox && { sandbox }) });
  return bench.run({ goal, model, project: '/', approve: 'all' });
}

const never = new AbortController().signal;

/** What conversations without Agent Mode can use: the same servers, and the same scripts. */
export function reachOf(
  world: BenchServers,
  tools: readonly ToolDefinition[],
  sandbox?: SandboxEngine,
): Reach {
  return {
    tools,
    call: async (uri: string, args: JsonObject) => {
      const result = await world.tools.call(uri, args, never);
      if (!result.ok) return result.error.message;
      return typeof result.value === 'string' ? result.value : JSON.stringify(result.value);
    },
    execute: async (code) => JSON.stringify(await execute(world, tools, code, sandbox)),
  };
}

/** The result of a script in the product's sandbox and through its gate; its error, if it failed. */
export async function execute(
  world: BenchServers,
  tools: readonly ToolDefinition[],
  code: string,
  sandbox?: SandboxEngine,
): Promise<Json> {
  const bench = harnessOf(world, tools, sandbox ? { sandbox } : {});
  const plan = { goal: 'Run', nodes: [{ id: 'work', kind: 'script', title: 'Run', code }], answer: 'Done.' };
  const ran = await bench.run({ provided: { plan }, approve: 'all', project: '/' });
  const ended = bench.facts.find((fact) => fact.type === 'node-ended');
  return ended?.state ?? { error: ran.nodes[0]?.error?.message ?? ran.error?.message ?? 'It failed.' };
}

/** Reads the results of a stage that were too long to be shown, one part after the other. */
const readOn = ['/orders', '/variants'];

/** Makes the scripted model reply as a good model would for a task; `seen` is the result of its look. */
export function scriptAgent(model: ScriptedModel, task: BenchTask, seen: Json) {
  if (!isStaged(task)) {
    const reply = planReply(task);
    const { end } = searchWhenUntold(model, reply.code);
    model.add(submit(reply));
    return { end, scripts: [reply.code] };
  }
  const { code, answer } = task.decide(seen as never);
  const { end } = searchWhenUntold(model, task.look + code);
  let open = true;
  const isMissing = ({ text }: { readonly text: string }) =>
    open && (task.needs ?? []).some((value) => !text.includes(value));
  const reads = readOn.map((path): ScriptedReply => ({
    times: 1,
    match: isMissing,
    toolCalls: [{ name: 'read_result', arguments: { id: 'work', path } }],
  }));
  model.add(submit({ code: task.look, then: 'look' }), ...reads, submit({ code, answer }));
  return {
    end: () => {
      open = false;
      end();
    },
    scripts: [task.look, code],
  };
}
