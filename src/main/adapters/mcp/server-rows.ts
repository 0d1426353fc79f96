import { ok, type Result } from '#shared/result';
import type { ServerStatus } from '../../../core/ports/server-status';
import type { Registry } from './registry';

/** The servers of a registry with their trust, and the state of those that were used. */
export function serverRows(
  registry: Result<Registry>,
  statuses: readonly ServerStatus[],
): Result<readonly (ServerStatus & { readonly trusted: boolean })[]> {
  if (!registry.ok) return registry;
  const known = new Map(statuses.map((status) => [status.server, status]));
  const idle = { state: 'idle' as const, detail: '', tools: 0 };
  return ok(
    [...registry.value].map(([server, { trusted }]) => ({
      ...(known.get(server) ?? { ...idle, server }),
      trusted,
    })),
  );
}
