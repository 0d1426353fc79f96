import { parseJson } from '#shared/json';
import { Plan } from '#shared/plan';
import type { TextCache } from '../ports/text-cache';
import type { ModelMessage } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from '../tools/canonical-hash';
import type { AgentRequest } from '../ports/agent';

/** Caches the plans of successful runs, so that the same goal needs no model turn. */
export interface EarlierPlans {
  readonly find: (key: string) => Plan | null;
  readonly store: (key: string, plan: Plan) => void;
}

/**
 * The cache key of a plan: the goal, every available tool as declared, the project, the earlier conversation,
 * the user's effort if there is one, and the blocks before the call (which include the mode and the focus). A
 * change to any of them gives a new key and so a new plan.
 */
export function planKey(
  { goal, project, planningText, effort }: Pick<AgentRequest, 'goal' | 'project' | 'planningText' | 'effort'>,
  tools: readonly ToolDefinition[],
  conversation: readonly ModelMessage[],
): string {
  const catalogue = [...tools]
    .sort((a, b) => (a.uri < b.uri ? -1 : 1))
    .map(({ uri, serverVersion, description, inputSchema, outputSchema, readOnly }) => ({
      uri,
      serverVersion,
      description,
      inputSchema,
      readOnly,
      outputSchema: outputSchema ?? null,
    }));
  const messages = conversation.map(({ role, content }) => [role, content]);
  return canonicalHash({
    goal: goal.trim(),
    project,
    prompt: planningText?.() ?? '',
    catalogue,
    messages,
    ...(effort && { effort }),
  });
}

export function createEarlierPlans(cache: TextCache): EarlierPlans {
  return {
    find: (key) => {
      const cached = cache.get(key);
      const parsed = cached === null ? null : parseJson(cached);
      const plan = parsed?.ok === true ? Plan.safeParse(parsed.value) : null;
      return plan?.success === true ? plan.data : null;
    },
    store: (key, plan) => cache.put(key, JSON.stringify(plan)),
  };
}
