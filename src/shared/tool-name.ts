/** The name of one tool in a script: `tools.<server>.<tool>(args)`. */
export interface ToolAlias {
  /** `mcp://server.tool` */
  readonly uri: string;
  readonly server: string;
  readonly tool: string;
}

const TOOL_URI = /^mcp:\/\/([^./?#\s]+)\.([^?#\s]+)$/;

/** Splits `mcp://server.tool` at the first dot; undefined for anything else. */
export function parseToolUri(uri: string): { readonly server: string; readonly tool: string } | undefined {
  const match = TOOL_URI.exec(uri);
  if (match === null) return undefined;
  const [, server = '', tool = ''] = match;
  return { server, tool };
}

/**
 * The name as a JavaScript property after a dot: other characters become `_`, and a leading
 * digit gets a `_` prefix.
 */
export function scriptName(name: string): string {
  const spelled = name.replace(/[^A-Za-z0-9_]/g, '_');
  return /^[0-9]/.test(spelled) ? `_${spelled}` : spelled;
}

/**
 * The names that a script uses for its tools. Tools that would get the same name receive `_2`, `_3`, … in the
 * order of their URIs, so the result depends on the set of tools and never on their order.
 */
export function toolAliases(uris: readonly string[]): readonly ToolAlias[] {
  const serverNames = uniqueNames();
  const toolNames = new Map<string, (name: string) => string>();
  return [...new Set(uris)].sort().flatMap((uri) => {
    const parts = parseToolUri(uri);
    if (parts === undefined) return [];
    const server = serverNames(parts.server);
    const nameTool = toolNames.get(server) ?? uniqueNames();
    toolNames.set(server, nameTool);
    return [{ uri, server, tool: nameTool(parts.tool) }];
  });
}

/** The aliases for `uris`; `names` (`mcp://…` -> `server.tool`) overrides the default ones. */
export function namedAliases(
  uris: readonly string[],
  names: Readonly<Record<string, string>> = {},
): readonly ToolAlias[] {
  return toolAliases(uris).map((alias) => {
    const [server, tool] = (Object.hasOwn(names, alias.uri) ? names[alias.uri] : undefined)?.split('.') ?? [];
    return server && tool ? { ...alias, server, tool } : alias;
  });
}

/** Assigns every distinct name a unique spelling, the same on every call. */
function uniqueNames(): (name: string) => string {
  const assigned = new Map<string, string>();
  const used = new Set<string>();
  return (name) => {
    const known = assigned.get(name);
    if (known !== undefined) return known;
    const base = scriptName(name);
    let spelled = base;
    for (let count = 2; used.has(spelled); count += 1) spelled = `${base}_${count}`;
    assigned.set(name, spelled);
    used.add(spelled);
    return spelled;
  };
}
