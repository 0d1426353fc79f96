import { parseToolUri, toolAliases } from '#shared/tool-name';

/** `server.tool` as a script writes it after `tools.`, for each tool a step may use. */
export function scriptAliases(uris: readonly string[]): ReadonlyMap<string, string> {
  return new Map(toolAliases(uris).map(({ server, tool, uri }) => [`${server}.${tool}`, uri]));
}

/** What a unit has to be told so that its script finds each tool under its one name: only names that differ. */
export function differingNames(
  all: readonly string[],
  given: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const alone = new Map([...scriptAliases(given)].map(([alias, uri]) => [uri, alias]));
  const names = [...scriptAliases(all)].flatMap(([alias, uri]) =>
    alone.has(uri) && alone.get(uri) !== alias ? [[uri, alias] as const] : [],
  );
  return names.length === 0 ? undefined : Object.fromEntries(names);
}

/** The server of `mcp://server.tool`; also of a pattern. */
export function serverOf(uri: string): string {
  return parseToolUri(uri)?.server ?? '';
}
