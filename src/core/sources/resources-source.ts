import type { ResolverItem } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import type { ItemSource, SourceScope } from '../ports/item-source';
import type { McpResources, ResourceRow } from '../ports/mcp-resources';
import type { ServerStatus } from '../ports/server-status';
import { resourcesDefinition } from './provider-definitions';

export interface ResourcesSourceDeps {
  /** The servers of a project folder if any was ever used; starts nothing. */
  readonly known: (project: string) => McpResources | null;
  /** The same, created when missing: for a user who opens or refreshes the list. */
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

/** One item per URI: the same URI from two servers is the same resource. */
function toItems(rows: Result<readonly ResourceRow[]>): Result<readonly ResolverItem[]> {
  if (!rows.ok) return rows;
  const byUri = new Map<string, ResolverItem>();
  for (const row of rows.value) if (!byUri.has(row.uri)) byUri.set(row.uri, toItem(row));
  return ok([...byUri.values()]);
}

const inState = (servers: readonly ServerStatus[], state: ServerStatus['state']) =>
  servers.filter((server) => server.state === state);

/** Which servers did not start, with what each said last; undefined when none failed. */
function failedText(servers: readonly ServerStatus[]): string | undefined {
  const failed = inState(servers, 'failed').map(
    ({ server, detail }) => `${server} (${detail.slice(0, 200)})`,
  );
  return failed.length > 0 ? `These servers did not start: ${failed.join(', ')}.` : undefined;
}

/** Explains why resources may be missing; undefined when no problem is known. */
function missingText(servers: readonly ServerStatus[], found: boolean): string | undefined {
  if (servers.length === 0) return 'No MCP server is set up. Add one in Settings → Servers.';
  const failed = failedText(servers);
  if (failed !== undefined) return failed;
  const ready = inState(servers, 'ready').map(({ server }) => server);
  return found || ready.length === 0 ? undefined : `${ready.join(', ')}: running, but without resources.`;
}

/** Resources of connected MCP servers. Typing a line starts no server; opening the list does. */
export function createResourcesSource({ known, open, onChange }: ResourcesSourceDeps): ItemSource {
  const of = (scope: SourceScope): McpResources | null =>
    scope.project === null ? null : known(scope.project);
  const running = (scope: SourceScope): string =>
    (of(scope)?.servers() ?? [])
      .filter(({ state }) => state === 'ready')
      .map(({ server }) => server)
      .join();
  /** The projects whose list was not empty when it was last read. */
  const filled = new Set<string | null>();
  const read = async (
    project: string | null,
    servers: McpResources,
    connect: boolean,
    signal: AbortSignal,
  ): Promise<Result<readonly ResolverItem[]>> => {
    const items = toItems(await servers.resources({ connect }, signal));
    if (items.ok && items.value.length > 0) filled.add(project);
    else filled.delete(project);
    if (items.ok) return items;
    return err({ ...items.error, message: failedText(servers.servers()) ?? items.error.message });
  };
  return {
    source: { providerId: resourcesDefinition.id },
    definition: resourcesDefinition,
    scopeKey: (scope) => `${scope.project ?? ''}\n${running(scope)}`,
    load: async (scope, signal) => {
      const servers = of(scope);
      return servers ? read(scope.project, servers, false, signal) : ok([]);
    },
    refresh: async ({ project }, signal) => {
      if (project === null) return ok([]);
      return read(project, await open(project), true, signal);
    },
    missing: (scope) => {
      if (scope.project === null)
        return 'Servers run in a project folder. Choose one for this session first.';
      const servers = of(scope);
      return servers ? missingText(servers.servers(), filled.has(scope.project)) : undefined;
    },
    onChange,
  };
}
