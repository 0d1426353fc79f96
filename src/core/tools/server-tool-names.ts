/** Function names allow letters, digits, `_` and `-`, at most 64 characters. */
function spelled(uri: string): string {
  const [server = '', ...rest] = uri.replace('mcp://', '').split('.');
  return `${server}__${rest.join('.')}`.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
}

/** `project__git_diff` for `mcp://project.git_diff`: one unique name per tool, whatever the list's order. */
export function serverToolNames(tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const uri of [...new Set(tools)].filter((tool) => tool.startsWith('mcp://')).sort()) {
    const base = spelled(uri);
    let name = base;
    for (let count = 2; names.has(name); count += 1) name = `${base}_${count}`;
    names.set(name, uri);
  }
  return names;
}
