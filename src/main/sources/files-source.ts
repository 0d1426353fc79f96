import type { ResolverItem } from '#shared/resolver';
import { ok } from '#shared/result';
import type { ItemSource } from '../ports/item-source';
import type { ListProjectFiles } from '../ports/project-files';
import { filesDefinition } from './provider-definitions';

/** Files come and go without telling. */
const ttlSeconds = 60;

/** A file answers to its path, and to its name where that is shorter. */
function toItem(path: string): ResolverItem {
  const slash = path.lastIndexOf('/');
  return {
    header: { id: path, displayName: path },
    aliases: slash === -1 ? [] : [path.slice(slash + 1)],
    keywords: [],
  };
}

/** The files of the project folder. */
export function createFilesSource(list: ListProjectFiles): ItemSource {
  return {
    source: { providerId: filesDefinition.id },
    definition: filesDefinition,
    ttlSeconds,
    scopeKey: ({ project }) => project ?? '',
    load: async ({ project }, signal) => {
      if (project === null) return ok([]);
      const files = await list(project, signal);
      return files.ok ? ok(files.value.map(toItem)) : files;
    },
  };
}
