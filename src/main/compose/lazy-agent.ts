import { appError } from '#shared/app-error';
import { createListeners } from '#shared/listeners';
import { err } from '#shared/result';
import type { Agent } from '../../core/ports/agent';
import { createToolCalls, type ToolCallsDeps } from '../../core/tools/call-tool';
import { createSchemaCheck } from '../../core/tools/schema-check';
import type { AgentRuntime } from '../app';
import type { ComposedAgent } from './agent';
import type { AgentCoreDeps } from './core-deps';

const nothingOpen = appError('HOST', 'STATE', 'That approval has changed or is no longer open.');

/**
 * The agent's placeholder until its first run. Loading the agent brings in the planner, the clients and the
 * sandbox, and neither the app's start nor Ask may pay for those.
 */
export function createLazyAgent(load: () => Promise<Agent>): Agent {
  let loaded: Agent | null = null;
  return {
    async run(request, record, signal) {
      loaded ??= await load();
      return loaded.run(request, record, signal);
    },
    answer: (decisions) => loaded?.answer(decisions) ?? false,
    review: (runId, review) => loaded?.review(runId, review) ?? false,
    async judgeReview(...params) {
      loaded ??= await load();
      return loaded.judgeReview(...params);
    },
    async previewPlan(...params) {
      loaded ??= await load();
      return loaded.previewPlan(...params);
    },
    cancelStage: (runId, steers) => loaded?.cancelStage(runId, steers) ?? false,
    pause: (runId, paused) => loaded?.pause(runId, paused) ?? false,
    edit: (edit) => loaded?.edit(edit) ?? Promise.resolve(err(nothingOpen)),
  };
}

export type AgentLoader = ReturnType<typeof createAgentLoader>;

/** Loads the agent runtime once. It is a separate chunk so that neither the start nor Ask pays for it. */
export function createAgentLoader(deps: Omit<AgentCoreDeps, 'toolCalls'>) {
  const { clock, ids } = deps;
  let loading: Promise<ComposedAgent> | null = null;
  let loaded: AgentRuntime | null = null;
  const listeners = createListeners<[runtime: AgentRuntime]>();
  const start = async (): Promise<ComposedAgent> => {
    const chunk = await import('./agent');
    const composed = chunk.composeAgent({ ...deps, toolCalls });
    loaded = composed.runtime;
    listeners.notify(loaded);
    return composed;
  };
  const loadAll = (): Promise<ComposedAgent> => (loading ??= start());
  const load = async (): Promise<AgentRuntime> => (await loadAll()).runtime;
  const servers: ToolCallsDeps['servers'] = async (project) => (await loadAll()).servers(project);
  const toolCalls = createToolCalls({ clock, ids, checkSchema: createSchemaCheck(), servers });
  return {
    load,
    /** Every tool call of the app; the first one that needs a server loads the runtime. */
    toolCalls,
    /** The runtime if it is loaded. */
    loaded: () => loaded,
    onLoaded: listeners.add,
    agent: createLazyAgent(async () => (await load()).agent),
    close: async () => (await loading)?.runtime.close(),
  };
}
