import type { ToolDefinition } from '../ports/tools';

/** `tools.<server>.<tool>` as a script writes it, for each tool a step may use. */
export function scriptAliases(uris: readonly string[]): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  const taken = new Set<string>();
  for (const uri of uris) {
    const [server = '', tool = ''] = splitUri(uri);
    let alias = `${identifier(server)}.${identifier(tool)}`;
    for (let copy = 2; taken.has(alias); copy++) alias = `${identifier(server)}.${identifier(tool)}_${copy}`;
    taken.add(alias);
    aliases.set(alias, uri);
  }
  return aliases;
}

function identifier(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
}

/** `mcp://server.tool` in its two parts; a server's name has no dot. */
export function splitUri(uri: string): readonly [string, string] {
  const rest = uri.replace(/^mcp:\/\//, '');
  const dot = rest.indexOf('.');
  return dot < 0 ? [rest, ''] : [rest.slice(0, dot), rest.slice(dot + 1)];
}

export function byUri(tools: readonly ToolDefinition[]): ReadonlyMap<string, ToolDefinition> {
  return new Map(tools.map((definition) => [definition.uri, definition]));
}
