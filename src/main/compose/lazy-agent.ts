import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import type { Agent } from '../../core/ports/agent';

const nothingOpen = appError('HOST', 'STATE', 'That approval is no longer open as it was shown.');

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
    pause: (runId, paused) => loaded?.pause(runId, paused) ?? false,
    edit: (edit) => loaded?.edit(edit) ?? err(nothingOpen),
  };
}
