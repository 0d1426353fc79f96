import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { appError } from '#shared/app-error';
import { err, type Result } from '#shared/result';
import { httpAddress } from '../adapters/mcp/registry-references';
import { createSignIn } from '../adapters/oauth/create-sign-in';
import { processAlive } from '../adapters/system/process-alive';
import { fetchFor, resolverFor } from '../adapters/system/system-proxy';
import { readRegistry, type RegistryPlaces } from '../adapters/mcp/registry-file';
import { serverRows } from '../adapters/mcp/server-rows';
import { pathVariable } from '../adapters/system/home-folder';
import type { AgentRuntime } from '../app';
import type { ServerRow } from '../../core/sources/servers-source';
import type { ServerTools } from '../../core/workflows/create-workflows';
import type { CoreDeps } from './core-deps';

/** The files of the server registry, the first that exists wins. */
export const registryPlaces = ({ host }: Pick<CoreDeps, 'host'>): RegistryPlaces => ({
  home: host.home,
  override: pathVariable(host.env, 'MCP_REGISTRY'),
  seed: join(host.seeds, 'mcp/registry.json'),
});

/** The sign-ins of the servers; `onChanged` is called when one has been added or removed. */
export function composeSignIn({ host, clock }: CoreDeps, onChanged: () => Promise<void>) {
  const places = registryPlaces({ host });
  const { home, env, secrets } = host;
  const fetch = fetchFor(host);
  return createSignIn({
    kind: host.kind,
    home,
    secrets,
    lock: { pid: process.pid, processAlive, now: clock.now, wait: () => sleep(20) },
    addressOf: (server) => {
      const registry = readRegistry(places);
      if (!registry.ok) return registry;
      const entry = registry.value.get(server);
      if (entry === undefined) {
        const hint = `Configured: ${[...registry.value.keys()].join(', ') || 'none'}.`;
        return err(appError('HOST', 'NOT_FOUND', `There is no server "${server}".`, { hint }));
      }
      if (entry.kind !== 'http')
        return err(
          appError('HOST', 'STATE', `Server "${server}" runs on this machine: it needs no sign-in.`),
        );
      return httpAddress(entry, { project: host.project || home, env, secret: secrets.get });
    },
    ...(fetch && { fetch }),
    resolve: resolverFor(host),
    onChanged,
  });
}

/** The registered servers, with the state of those that this process uses; starts none. */
export function serverRowsOf(coreDeps: Pick<CoreDeps, 'host'>, loaded: () => AgentRuntime | null) {
  const places = registryPlaces(coreDeps);
  return (project: string | null): Result<readonly ServerRow[]> => {
    const known = project === null ? null : loaded()?.knownServers(project);
    return serverRows(readRegistry(places), known?.servers() ?? []);
  };
}

/** The servers' tools are known when there is a project folder whose servers respond. */
export function serverToolsOf(project: () => string | null, agentRuntime: () => Promise<AgentRuntime>) {
  return async (): Promise<ServerTools> => {
    const folder = project();
    if (folder === null) return { tools: [], serversUnknown: 'there is no project folder.' };
    const runtime = await agentRuntime();
    const listed = await runtime.describeTools(folder, 'needed');
    if (!listed.ok) return { tools: [], serversUnknown: listed.error.message };
    return { tools: listed.value.map(({ uri, access }) => ({ name: uri, access })), serversUnknown: null };
  };
}
