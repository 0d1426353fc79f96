import { join } from 'node:path';
import { pathVariable } from '../adapters/system/home-folder';
import { readRegistry } from '../adapters/mcp/registry-file';
import { serverRows } from '../adapters/mcp/server-rows';
import { listProjectFiles } from '../adapters/sources/list-project-files';
import type { AgentRuntime } from '../app';
import type { StoredWorkspace } from './workspace';
import type { CoreDeps } from './core-deps';
import type { ItemSource } from '../../core/ports/item-source';
import type { SessionLog } from '../../core/session/session-log';
import { createFilesSource } from '../../core/sources/files-source';
import { createRecipesSource } from '../../core/sources/recipes-source';
import { createResourcesSource } from '../../core/sources/resources-source';
import { createServersSource } from '../../core/sources/servers-source';
import { createWorkspaceSources } from '../../core/sources/workspace-sources';
import { createSessionsSource } from '../../core/sources/sessions-source';

/** The agent runtime, loaded or loadable. */
export interface AgentLoader {
  readonly loaded: () => AgentRuntime | null;
  readonly load: () => Promise<AgentRuntime>;
  /** Notifies the listener when the runtime is loaded. */
  readonly onLoaded: (listener: (side: AgentRuntime) => void) => () => void;
}

/** The sources with coded items. Reading them starts no server and loads no agent. */
export function composeSources(
  { host, recipes, seeds }: CoreDeps,
  log: SessionLog,
  { agent, stored }: { readonly agent: AgentLoader; readonly stored: StoredWorkspace },
): readonly ItemSource[] {
  const places = {
    home: host.home,
    override: pathVariable(host.env, 'MCP_REGISTRY'),
    seed: join(host.seeds, 'mcp/registry.json'),
  };
  const known = (project: string) => agent.loaded()?.knownServers(project) ?? null;
  return [
    createRecipesSource(recipes, seeds.bundled.recipes),
    createSessionsSource(log),
    createServersSource((project) =>
      serverRows(readRegistry(places), project === null ? [] : (known(project)?.servers() ?? [])),
    ),
    createResourcesSource({
      known,
      open: async (project) => (await agent.load()).resourcesOf(project),
      onChange: (listener) => agent.onLoaded((side) => void side.onResourcesChanged(listener)),
    }),
    createFilesSource(listProjectFiles),
    ...createWorkspaceSources({ ...stored, log }),
  ];
}
