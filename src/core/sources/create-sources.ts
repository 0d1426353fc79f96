import type { Result } from '#shared/result';
import type { ItemSource } from '../ports/item-source';
import type { ListProjectFiles } from '../ports/project-files';
import type { SessionLog } from '../session/session-log';
import { createFilesSource } from './files-source';
import { createRecipesSource, type RecipesOffered } from './recipes-source';
import { createResourcesSource, type ResourcesSourceDeps } from './resources-source';
import { createServersSource, type ServerRow } from './servers-source';
import { createSessionsSource } from './sessions-source';
import { createWorkspaceSources, type WorkspaceSourcesDeps } from './workspace-sources';

export interface SourcesDeps extends WorkspaceSourcesDeps {
  readonly log: SessionLog;
  readonly recipes: RecipesOffered;
  /** The ids of Patina's own recipes. */
  readonly bundledRecipes: ReadonlySet<string>;
  readonly serverRows: (project: string | null) => Result<readonly ServerRow[]>;
  readonly resources: ResourcesSourceDeps;
  readonly listFiles: ListProjectFiles;
}

/** The lists whose items are made by code. Reading them starts no server and loads no agent. */
export function createSources(deps: SourcesDeps): readonly ItemSource[] {
  return [
    createRecipesSource(deps.recipes, deps.bundledRecipes),
    createSessionsSource(deps.log),
    createServersSource(deps.serverRows),
    createResourcesSource(deps.resources),
    createFilesSource(deps.listFiles),
    ...createWorkspaceSources(deps),
  ];
}
