import type { Agent } from './agent/agent';

/**
 * The agent's stand-in until its first run: loading it brings the planner, the clients and the sandbox, and neither the
 * start of the app nor Ask may pay for those.
 */
export function createLazyAgent(load: () => Promise<Agent>): Agent {
  let loaded: Agent | null = null;
  return {
    async run(request, record, signal) {
      loaded ??= await load();
      return loaded.run(request, record, signal);
    },
    answer: (approvalId, hash, approved) => loaded?.answer(approvalId, hash, approved) ?? false,
  };
}
