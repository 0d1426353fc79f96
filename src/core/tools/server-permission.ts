import type { Capabilities } from '#shared/capabilities';
import { isAllowed } from './switch-tool';
import { patternNames } from './tool-pattern';

/** A server of which the project's manifest allows no tool and denies not every tool. */
export interface UnallowedServer {
  readonly server: string;
  readonly tools: number;
}

/** Servers that were added but not allowed in this project; a denied server was left out on purpose. */
export function unallowedServers(
  capabilities: Capabilities,
  tools: readonly { readonly uri: string; readonly server: string }[],
): readonly UnallowedServer[] {
  const names = [...new Set(tools.map(({ server }) => server))];
  return names.flatMap((server) => {
    const own = tools.filter((tool) => tool.server === server);
    const denied = own.every(({ uri }) =>
      capabilities.deny.some((pattern) => !pattern.includes('?') && patternNames(pattern, uri)),
    );
    const blocked = !denied && own.every(({ uri }) => !isAllowed(capabilities, uri));
    return blocked ? [{ server, tools: own.length }] : [];
  });
}

/** Whether any line of the manifest may allow a tool of a server whose tools are unknown. */
export function mayBeAllowed({ allow }: Capabilities, server: string): boolean {
  return allow.some(
    (pattern) => pattern.startsWith(`mcp://${server}.`) || patternNames(pattern, `mcp://${server}.tool`),
  );
}

/** Describes such a server: the problem and how to fix it. */
export function unallowedServerText({ server, tools }: UnallowedServer): string {
  const none = tools === 1 ? 'its tool cannot be called' : `none of its ${tools} tools can be called`;
  return `Server "${server}" is not allowed in this project yet: ${none}. ${allowHint(server)}`;
}

export const allowHint = (server: string): string =>
  `To allow it, run patina tools --allow ${server} or use Settings → Servers.`;
