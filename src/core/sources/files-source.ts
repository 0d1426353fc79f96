import type { ResolverItem } from '#shared/resolver';
import { ok } from '#shared/result';
import type { ItemSource, SourceScope } from '../ports/item-source';
import type { ListProjectFiles } from '../ports/project-files';
import { filesDefinition } from './provider-definitions';

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
        : `This folder has more files than the ${shown.toLocaleString('en')} listed here, those nearest its root. For one deeper inside, open its folder as the project.`;
    },
  };
}
