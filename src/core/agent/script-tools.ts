import { parseToolUri, toolAliases } from '#shared/tool-name';

/** The alias `server.tool` that scripts use after `tools.`, for each tool that a step may use. */
export function scriptAliases(uris: readonly string[]): ReadonlyMap<string, string> {
  return new Map(toolAliases(uris).map(({ server, tool, uri }) => [`${server}.${tool}`, uri]));
}

/**
 * The aliases that a unit must receive so that its script finds each tool under its one name; only those that
 * differ from the unit's own.
 */
export function differingNames(
  all: readonly string[],
  toolNames: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const alone = new Map([...scriptAliases(toolNames)].map(([alias, uri]) => [uri, alias]));
  const names = [...scriptAliases(all)].flatMap(([alias, uri]) =>
    alone.has(uri) && alone.get(uri) !== alias ? [[uri, alias] as const] : [],
  );
  return names.length === 0 ? undefined : Object.fromEntries(names);
}

/** The server of `mcp://server.tool`; works for patterns too. */
export function serverOf(uri: string): string {
  return parseToolUri(uri)?.server ?? '';
}
