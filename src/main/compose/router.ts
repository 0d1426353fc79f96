import { setImmediate as nextTurn } from 'node:timers/promises';
import { listProjectFiles } from '../adapters/sources/list-project-files';
import { catalogSources, fixedItems, focusItems } from '../../core/control-plane/catalog-sources';
import { createControlPlane } from '../../core/control-plane/control-plane';
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

/** Builds the modes and the router, with the items that lines can name. */
export function composeRouter(
  { seeds, settings, clock, recipes }: CoreDeps,
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
  const plane = createControlPlane({
    modes,
    toolboxes: seeds.toolboxes,
    commands: seeds.commands,
    sources: [...catalogSources(seeds.catalogs, fillers), ...sources],
    clock,
    pause: () => nextTurn(undefined),
    roles: () => settings.get().roles,
    project,
  });
  return { modes, plane };
}
