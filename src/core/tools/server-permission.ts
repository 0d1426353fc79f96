import type { Capabilities } from '#shared/capabilities';
import { isAllowed } from './switch-tool';
import { patternNames } from './tool-pattern';

/** A server whose tools are all outside the project's manifest, and of which no line speaks. */
export interface UnallowedServer {
  readonly server: string;
  readonly tools: number;
}

/** The servers that were added but not allowed in this project; one that a line denies was meant to be left out. */
export function unallowedServers(
  capabilities: Capabilities,
  tools: readonly { readonly uri: string; readonly server: string }[],
): readonly UnallowedServer[] {
  const names = [...new Set(tools.map(({ server }) => server))];
  return names.flatMap((server) => {
    const own = tools.filter((tool) => tool.server === server);
    const denied = capabilities.deny.some((pattern) => pattern.startsWith(`mcp://${server}.`));
    const blocked = !denied && own.every(({ uri }) => !isAllowed(capabilities, uri));
    return blocked ? [{ server, tools: own.length }] : [];
  });
}

/** Whether any line of the manifest may allow a tool of a server whose tools are not known. */
export function mayBeAllowed({ allow }: Capabilities, server: string): boolean {
  return allow.some(
    (pattern) => pattern.startsWith(`mcp://${server}.`) || patternNames(pattern, `mcp://${server}.tool`),
  );
}

/** What to say of such a server: what is so, and what to do. */
export function unallowedServerText({ server, tools }: UnallowedServer): string {
  const none = tools === 1 ? 'its tool cannot be called' : `none of its ${tools} tools can be called`;
  return `Server "${server}" is not allowed in this project yet: ${none}. ${allowHint(server)}`;
}

export const allowHint = (server: string): string =>
  `To allow it: patina tools --allow ${server}, or Settings, Servers.`;
