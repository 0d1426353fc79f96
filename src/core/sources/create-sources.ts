import { ok, type Result } from '#shared/result';
import type { RecipeSummary } from '../../shared/recipe';
import type { ResolverItem } from '../../shared/resolver';
import type { ItemSource, SourceScope } from '../ports/item-source';
import type { ListProjectFiles } from '../ports/project-files';
import type { SessionLog } from '../session/session-log';
import { filesDefinition, recipesDefinition } from './provider-definitions';
import { createResourcesSource, type ResourcesSourceDeps } from './resources-source';
import { createServersSource, type ServerRow } from './servers-source';
import { createSessionsSource } from './sessions-source';
import { createModelsSource, createWindowSources, type ModelLists } from './window-sources';
import { createWorkspaceSources, type WorkspaceSourcesDeps } from './workspace-sources';

export interface SourcesDeps extends WorkspaceSourcesDeps {
  readonly log: SessionLog;
  readonly recipes: RecipesOffered;
  /** The ids of Patina's own recipes. */
  readonly bundledRecipes: ReadonlySet<string>;
  readonly serverRows: (project: string | null) => Result<readonly ServerRow[]>;
  readonly resources: ResourcesSourceDeps;
  readonly listFiles: ListProjectFiles;
  readonly models: ModelLists;
}

/** The lists whose items are made by code. Reading them starts no server and loads no agent. */
export function createSources(deps: SourcesDeps): readonly ItemSource[] {
  return [
    createRecipesSource(deps.recipes, deps.bundledRecipes),
    createSessionsSource(deps.log),
    createServersSource(deps.serverRows),
    createResourcesSource(deps.resources),
    createFilesSource(deps.listFiles),
    createModelsSource(deps.models),
    ...createWindowSources(),
    ...createWorkspaceSources(deps),
  ];
}
/** Reload after this time, because file changes are not observed. */
const ttlSeconds = 60;
/** A file matches by its path or by its base name. */
function toItem(path: string): ResolverItem {
  const slash = path.lastIndexOf('/');
  return {
    header: { id: path, displayName: path },
    aliases: slash === -1 ? [] : [path.slice(slash + 1)],
    keywords: [],
    userTitled: true,
  };
}
/** The files of the project folder. */

export function createFilesSource(list: ListProjectFiles): ItemSource {
  const cut = new Map<string, number>();
  const scopeKey = ({ project }: SourceScope): string => project ?? '';
  return {
    source: { providerId: filesDefinition.id },
    definition: filesDefinition,
    ttlSeconds,
    scopeKey,
    load: async (scope, signal) => {
      const { project } = scope;
      if (project === null) return ok([]);
      const files = await list(project, signal);
      if (!files.ok) return files;
      const { paths, complete } = files.value;
      if (complete) cut.delete(scopeKey(scope));
      else cut.set(scopeKey(scope), paths.length);
      return ok(paths.map(toItem));
    },
    missing: (scope) => {
      const shown = cut.get(scopeKey(scope));
      return shown === undefined
        ? undefined
        : `This folder has more files than the ${shown.toLocaleString('en')} listed here, which are the ones nearest its root. To reach a deeper file, open its folder as the project.`;
    },
  };
}
/** The available recipes; `version` changes when they do. */

export interface RecipesOffered {
  readonly all: readonly RecipeSummary[];
  readonly version: () => number;
}
/** Lists the recipes loaded at startup and the user's current ones. `bundled`: the ids of Patina's own. */

export function createRecipesSource(recipes: RecipesOffered, bundled: ReadonlySet<string>): ItemSource {
  const items = () =>
    recipes.all.map(({ id, title, description }) => ({
      header: { id, displayName: title },
      ...(description !== undefined && { description }),
      aliases: [],
      keywords: [],
      userTitled: !bundled.has(id),
    }));
  return {
    source: { providerId: recipesDefinition.id },
    definition: recipesDefinition,
    scopeKey: () => String(recipes.version()),
    load: () => Promise.resolve(ok(items())),
  };
}
