import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AppInfo } from '#shared/ipc';
import { listProjectFiles } from '../adapters/sources/list-project-files';
import { catalogSources, fixedItems, focusItems } from '../../core/control-plane/catalog-sources';
import { createControlPlane } from '../../core/control-plane/control-plane';
import { watchFirstUse } from '../../core/control-plane/first-use';
import { lastChange, lastWrites } from '../../core/control-plane/undo-command';
import { createModeCatalog, modeItems } from '../../core/modes/mode-catalog';
import { createSources, type SourcesDeps } from '../../core/sources/create-sources';
import type { ModelLists } from '../../core/sources/window-sources';
import { workflowItems } from '../../core/workflows/workflow-items';
import type { CoreDeps } from './core-deps';
import type { AgentLoader } from './lazy-agent';
import type { Storage } from './storage';
import type { StoredWorkspace } from './workspace';

interface RouterParts {
  readonly stored: StoredWorkspace;
  readonly storage: Pick<Storage, 'ddrs' | 'registry' | 'log'>;
  readonly agentRuntime: AgentLoader;
  readonly serverRows: SourcesDeps['serverRows'];
  readonly modelLists: ModelLists;
  readonly project: () => string | null;
}

/** Which kinds of things the user has of their own. */
export const ownKinds = (home: string): AppInfo['own'] => ({
  designRecords: existsSync(join(home, 'ddrs')),
  workspace: existsSync(join(home, 'workspaces.json')),
});

/** The kind whose things a source lists. */
const kindOfSource: Readonly<Record<string, keyof AppInfo['own']>> = {
  ddrs: 'designRecords',
  workspaces: 'workspace',
  workspace_snapshots: 'workspace',
  apply_moments: 'workspace',
  prompt_packs: 'workspace',
  tool_catalogs: 'workspace',
};

/** Builds the modes and the router, with the items that lines can name. */
export function composeRouter(
  { host, seeds, settings, clock, recipes }: CoreDeps,
  { stored, storage, agentRuntime, serverRows, modelLists, project }: RouterParts,
) {
  const { ddrs, registry, log } = storage;
  const modes = createModeCatalog(seeds.modes);
  const fillers = new Map([
    ['modes', fixedItems(modeItems(modes.modes, seeds.bundled.modes))],
    ['active_focus', focusItems],
    ['last_change', lastChange],
    ['last_writes', lastWrites],
    ['ddrs', ddrs.items],
    ['workflows', workflowItems(registry)],
  ]);
  const sources = createSources({
    ...stored,
    log,
    recipes,
    bundledRecipes: seeds.bundled.recipes,
    serverRows,
    resources: {
      known: (folder) => agentRuntime.loaded()?.knownServers(folder) ?? null,
      open: async (folder) => (await agentRuntime.load()).resourcesOf(folder),
      onChange: (listener) => agentRuntime.onLoaded((loaded) => void loaded.onResourcesChanged(listener)),
    },
    listFiles: listProjectFiles,
    models: modelLists,
  });
  const inUse = (sourceId: string): boolean => {
    const kind = kindOfSource[sourceId];
    return settings.get().usedSources.includes(sourceId) || (kind !== undefined && ownKinds(host.home)[kind]);
  };
  const allSources = [...catalogSources(seeds.catalogs, fillers), ...sources];
  const plane = createControlPlane({
    modes,
    toolboxes: seeds.toolboxes,
    commands: seeds.commands,
    sources: allSources,
    clock,
    pause: () => nextTurn(undefined),
    roles: () => settings.get().roles,
    project,
    inUse,
  });
  watchFirstUse({ log, plane, settings, toolboxes: seeds.toolboxes, sources: allSources });
  return { modes, plane };
}
