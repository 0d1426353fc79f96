import { appError } from '../../src/shared/app-error';
import { err, ok } from '../../src/shared/result';
import type { RunReport } from '../../src/core/ports/agent';
import type { ModelClient } from '../../src/core/ports/llm';
import type { ToolDefinition } from '../../src/core/ports/tool-definition';
import type { Tools } from '../../src/core/ports/tools';
import { createAgentHarness } from '../../src/testing/agent-harness';
import type { ScriptedModel } from '../../src/testing/scripted-model';
import { model, planReply, searchWhenUntold, submit, turnsOf } from './agent-sides';
import type { AgentTask } from './agent-tasks';
import type { TurnTokens } from './agent-tokens';

const busy = appError('TOOL', 'FAILED', 'The server refused the call; it was not made.');

/** Real tools whose first call is answered with an error, listed as `tools`. */
function failingOnce(real: Tools, tools: readonly ToolDefinition[]): Tools {
  let failed = false;
  return {
    ...real,
    list: () => Promise.resolve(ok(tools)),
    call: async (...asked) => {
      if (failed) return real.call(...asked);
      failed = true;
      return err(busy);
    },
  };
}

export interface ReplannedTask {
  readonly ran: RunReport;
  /** How often the run was planned again. */
  readonly replans: number;
  readonly turns: readonly TurnTokens[];
}

/**
 * Plans and runs a task with the product from goal to answer, where the first call of its script fails: the model is
 * asked again, over the same HTTP, in the same conversation, with the failed step's error, and writes the step once more.
 */
export async function runWithReplan(
  place: { readonly model: ScriptedModel; readonly models: ModelClient; readonly real: Tools },
  task: AgentTask,
  tools: readonly ToolDefinition[],
): Promise<ReplannedTask> {
  const reply = planReply(task);
  const again = reply;
  const before = place.model.chats().length;
  const { search, end } = searchWhenUntold(place.model, reply.code);
  place.model.add(submit(reply));
  place.model.add(submit(again));
  const bench = createAgentHarness({
    tools: { tools: failingOnce(place.real, tools), calls: [], started: [] },
    models: place.models,
    budgets: { run: { replans: 1, tokens: 1_000_000 } },
  });
  const ran = await bench.run({ goal: task.goal, model, project: '/', approve: 'all' });
  end();
  const searched = search.queries.length > 0;
  const written = searched ? [search, reply, again] : [reply, again];
  return {
    ran,
    replans: bench.facts.filter((fact) => fact.type === 'plan-made' && fact.stage === 2).length,
    turns: turnsOf(place.model.chats().slice(before), written, searched),
  };
}
