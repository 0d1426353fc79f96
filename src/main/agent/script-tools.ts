import { parseToolUri, toolAliases } from '#shared/tool-name';

/** `server.tool` as a script writes it after `tools.`, for each tool a step may use. */
export function scriptAliases(uris: readonly string[]): ReadonlyMap<string, string> {
  return new Map(toolAliases(uris).map(({ server, tool, uri }) => [`${server}.${tool}`, uri]));
}

/** The server of `mcp://server.tool`; also of a pattern. */
export function serverOf(uri: string): string {
  return parseToolUri(uri)?.server ?? '';
}
