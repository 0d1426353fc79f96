import type { ResolverItem } from '#shared/resolver';
import { ok, type Result } from '#shared/result';
import type { ItemSource, SourceScope } from '../ports/item-source';
import type { ServerStatus } from '../ports/server-status';
import { serversDefinition } from './provider-definitions';

/** A configured MCP server: its registry entry and status. */
export interface ServerRow extends ServerStatus {
  readonly trusted: boolean;
}

const stateWords: Readonly<Record<ServerStatus['state'], string>> = {
  idle: 'Not started',
  starting: 'Starting',
  ready: 'Running',
  failed: 'Failed',
};

function toItem({ server, state, detail, tools, trusted }: ServerRow): ResolverItem {
  const toolCount = tools === 1 ? '1 tool' : `${tools} tools`;
  const details = [
    ...[trusted ? 'Trusted' : 'Not trusted', stateWords[state]],
    ...(state === 'ready' ? [toolCount] : []),
    ...(detail === '' ? [] : [detail.slice(0, 200)]),
  ];
  return {
    header: { id: server, displayName: server },
    description: details.join(' · '),
    aliases: [],
    keywords: [trusted ? 'trusted' : 'untrusted', state],
    userTitled: true,
  };
}

/** The registered MCP servers with their trust and state; listing them starts none. */
export function createServersSource(
  rows: (project: string | null) => Result<readonly ServerRow[]>,
): ItemSource {
  const stateKey = (project: string | null): string => {
    const found = rows(project);
    if (!found.ok) return found.error.message;
    return found.value
      .map(({ server, state, tools, trusted }) => `${server}:${state}:${tools}:${trusted}`)
      .join();
  };
  return {
    source: { providerId: serversDefinition.id },
    definition: serversDefinition,
    // The key includes the state: a server that starts or stops changes the list.
    scopeKey: ({ project }: SourceScope) => `${project ?? ''}\n${stateKey(project)}`,
    load: ({ project }) => {
      const found = rows(project);
      return Promise.resolve(found.ok ? ok(found.value.map(toItem)) : found);
    },
  };
}
