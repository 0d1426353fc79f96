import type { ResolverItem } from '#shared/resolver';
import { ok, type Result } from '#shared/result';
import type { ItemSource, SourceScope } from '../ports/item-source';
import type { McpResources, ResourceRow } from '../ports/mcp-resources';
import { resourcesDefinition } from './provider-definitions';

export interface ResourcesSourceDeps {
  /** The servers of a project folder, if anything of them was ever used; asking starts nothing. */
  readonly known: (project: string) => McpResources | null;
  /** The same, made when it is not there: for a refresh the user asked for. */
  readonly open: (project: string) => Promise<McpResources>;
  readonly onChange: (listener: () => void) => () => void;
}

function toItem({ server, uri, name, description }: ResourceRow): ResolverItem {
  return {
    header: { id: uri, displayName: name },
    description: [server, description].filter(Boolean).join(' · '),
    aliases: [],
    keywords: [server],
    userTitled: true,
  };
}

/** One item for each address: what two servers offer under the same one is the same. */
function toItems(rows: Result<readonly ResourceRow[]>): Result<readonly ResolverItem[]> {
  if (!rows.ok) return rows;
  const byUri = new Map<string, ResolverItem>();
  for (const row of rows.value) if (!byUri.has(row.uri)) byUri.set(row.uri, toItem(row));
  return ok([...byUri.values()]);
}

/** Resources of connected MCP servers. Nothing a user types starts a server; only a refresh in the picker does. */
export function createResourcesSource({ known, open, onChange }: ResourcesSourceDeps): ItemSource {
  const of = (scope: SourceScope): McpResources | null =>
    scope.project === null ? null : known(scope.project);
  const running = (scope: SourceScope): string =>
    (of(scope)?.servers() ?? [])
      .filter(({ state }) => state === 'ready')
      .map(({ server }) => server)
      .join();
  return {
    source: { providerId: resourcesDefinition.id },
    definition: resourcesDefinition,
    scopeKey: (scope) => `${scope.project ?? ''}\n${running(scope)}`,
    load: async (scope, signal) => {
      const servers = of(scope);
      return servers ? toItems(await servers.resources({ connect: false }, signal)) : ok([]);
    },
    refresh: async ({ project }, signal) => {
      if (project === null) return ok([]);
      const servers = await open(project);
      return toItems(await servers.resources({ connect: true }, signal));
    },
    onChange,
  };
}
