import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openPeer, toolsOf } from '../../../testing/mcp-peers/open-peers';
import { createMemoryTexts } from '../../../testing/memory-texts';
import type { DiscoveryMode } from '../../../core/ports/discovery-mode';
import type { TextCache } from '../../../core/ports/text-cache';
import { createChildLinePort } from './child-line-port';

const never = new AbortController().signal;

/** Starts the same server several times and counts its starts. */
async function starts(texts: TextCache = createMemoryTexts(), entry?: object) {
  const peer = entry ?? { ...(await openPeer('stateless', 'stdio')).entry, trusted: true };
  let now = 1_000;
  let count = 0;
  const start = (server: object = peer, app = '1.0.0') =>
    toolsOf(
      { peer: server as never },
      {
        lists: { texts, app, now: () => now },
        startChild: (launch) => {
          count += 1;
          return createChildLinePort(launch);
        },
      },
    );
  return { start, peer, count: () => count, later: (ms: number) => void (now += ms) };
}

const CHANGING = fileURLToPath(new URL('../../../testing/mcp-peers/changing-server.mjs', import.meta.url));

const listOf = async (tools: ReturnType<typeof toolsOf>, how?: DiscoveryMode) => {
  const listed = await tools.list(undefined, how);
  return listed.ok ? listed.value : null;
};
const named = async (tools: ReturnType<typeof toolsOf>, how?: DiscoveryMode) =>
  (await listOf(tools, how))?.map(({ tool }) => tool) ?? [];

describe('a cached list of tools', { timeout: 30_000 }, () => {
  it('[MCP-schema-cache] is known at the next start without starting the server, by its version, with its verdicts', async () => {
    const { start, count } = await starts();
    const first = start();
    expect(await named(first, 'known')).toEqual([]);
    const listed = await first.list();
    expect(count()).toBe(1);
    await first.release();
    const second = start();
    expect(second.servers()).toMatchObject([{ state: 'idle', tools: 7 }]);
    expect(second.servers()[0]?.detail).toMatch(/from an earlier start/);
    expect(await second.list()).toEqual(listed);
    expect(listed.ok && listed.value.find(({ tool }) => tool === 'add')).toMatchObject({
      serverVersion: '2.0.0',
      readOnly: true,
      trusted: true,
    });
    expect(count()).toBe(1);
    expect(await second.call('mcp://peer.add', { a: 1, b: 2 }, never)).toMatchObject({ ok: true });
    expect(count()).toBe(2);
    expect(second.servers()).toMatchObject([{ state: 'ready' }]);
    await second.release();
  });

  it('[MCP-schema-cache] is judged by the current trust', async () => {
    const { start, peer } = await starts();
    const first = start();
    await first.list();
    await first.release();
    const listed = await start({ ...peer, trusted: false }).list();
    expect(listed.ok && listed.value.every(({ readOnly }) => !readOnly)).toBe(true);
    expect(listed.ok && listed.value.length).toBe(7);
  });

  it('[MCP-schema-cache] is requested again for another command, after a day, and for a live listing', async () => {
    const { start, peer, count, later } = await starts();
    const use = async (...given: Parameters<typeof start>): Promise<void> => {
      const tools = start(...given);
      await tools.list();
      await tools.release();
    };
    await use();
    await use();
    expect(count()).toBe(1);
    await use({ ...peer, env: { OTHER: 'x' } });
    expect(count()).toBe(2);
    later(24 * 3_600_000);
    await use();
    expect(count()).toBe(3);
    const live = start();
    await live.list(undefined, 'live');
    expect(count()).toBe(4);
    await live.release();
  });

  it('[MCP-schema-cache] that is unreadable is requested again', async () => {
    const kept = new Map<string, string>();
    const texts = {
      get: (key: string) => kept.get(key) ?? null,
      put: (key: string, text: string) => void kept.set(key, text),
    };
    const { start, count } = await starts(texts);
    for (const harm of [
      '{',
      '[]',
      '{"declared":[{"name":1}]}',
      JSON.stringify({ of: '', version: '', at: 0, declared: [{}] }),
    ]) {
      const tools = start();
      expect(await named(tools, 'live')).toHaveLength(7);
      await tools.release();
      for (const key of kept.keys()) kept.set(key, harm);
      const before = count();
      const again = start();
      expect(await named(again, 'known')).toEqual([]);
      expect(await named(again)).toHaveLength(7);
      expect(count()).toBe(before + 1);
      await again.release();
    }
  });

  it('[MCP-schema-cache] does not hide a changed tool: it is not called, and the new list is cached', async () => {
    const says = path.join(mkdtempSync(path.join(tmpdir(), 'patina-says-')), 'says.json');
    const say = (description: string): void =>
      writeFileSync(says, JSON.stringify({ description, field: 'what' }));
    say('Weighs.');
    const { start } = await starts(undefined, { command: process.execPath, args: [CHANGING, says] });
    const first = start();
    await first.list();
    await first.release();
    say('Weighs, and tells everybody.');
    const second = start();
    const [known] = (await listOf(second)) ?? [];
    expect(known?.description).toBe('Weighs.');
    const call = () => second.call('mcp://peer.weigh', { what: 'a pen' }, never, known?.hash);
    expect(await call()).toMatchObject({ ok: false, error: { kind: 'POLICY', code: 'TOOL_CHANGED' } });
    await second.release();
    const [now] = (await listOf(start(), 'known')) ?? [];
    expect(now?.description).toBe('Weighs, and tells everybody.');
  });

  it('[MCP-schema-cache] is not shown after the server failed to start', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'patina-gone-'));
    const says = path.join(folder, 'says.json');
    writeFileSync(says, JSON.stringify({ description: 'Weighs.', field: 'what' }));
    const { start } = await starts(undefined, { command: process.execPath, args: [CHANGING, says] });
    const first = start();
    await first.list();
    await first.release();
    rmSync(folder, { recursive: true });
    const second = start();
    expect(await listOf(second)).toHaveLength(1);
    expect((await second.call('mcp://peer.weigh', { what: 'x' }, never)).ok).toBe(false);
    expect(second.servers()).toMatchObject([{ state: 'failed' }]);
    expect(await listOf(second)).toEqual([]);
    await second.release();
  });
});
