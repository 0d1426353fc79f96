import { expect, it } from 'vitest';
import { listTools, type ListDeps, type Lists } from './list-features';
import type { ServerSession } from './server-session';

const timeouts = { startMs: 1, callMs: 1, totalMs: 1, pingMs: 1 };
const deps: ListDeps = { name: 'x', trusted: false, timeouts, now: () => 1_000 };

/** A session whose server answers a list request with `listed`. */
function answering(listed: object): ServerSession {
  const client = {
    getServerCapabilities: () => ({ tools: {} }),
    getServerVersion: () => ({ version: '1' }),
    listTools: () => Promise.resolve({ tools: [], ...listed }),
  };
  const session = { end: () => null, stderr: () => '', strikes: () => 0, close: () => Promise.resolve() };
  return { ...session, client } as unknown as ServerSession;
}

it.each([
  [{}, Infinity],
  [{ ttlMs: 0 }, 6_000],
  [{ ttlMs: -5 }, 6_000],
  [{ ttlMs: 60_000 }, 61_000],
])('[MCP-list-floor] a list with the TTL %j is valid until %d', async (listed, until) => {
  const lists: Lists = { stale: true, freshUntil: 0 };
  expect((await listTools(deps, answering(listed), lists)).ok).toBe(true);
  expect(lists.freshUntil).toBe(until);
});
