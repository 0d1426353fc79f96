import { describe, expect, it } from 'vitest';
import { openPeer, toolsOf } from '../../../testing/mcp-peers/open-peers';
import { createChildLinePort } from './child-line-port';
import { createBackOff } from './mcp-server';

const nowhere = { command: 'patina-no-such-program', args: [] };

describe('a server that does not start', () => {
  it('[MCP-back-off] is retried at the next use, and then after longer and longer waits', async () => {
    let time = 0;
    let started = 0;
    const tools = toolsOf(
      { broken: nowhere },
      {
        now: () => time,
        startChild: (...given) => {
          started += 1;
          return createChildLinePort(...given);
        },
      },
    );
    const use = () => tools.call('mcp://broken.any', {}, new AbortController().signal);
    const first = await use();
    // Each start tries the newer protocol and then the older one.
    const each = started;
    await use();
    expect(started).toBe(2 * each);
    const held = await use();
    expect(started).toBe(2 * each);
    expect([first.ok, held.ok]).toEqual([false, false]);
    if (first.ok || held.ok) return;
    expect(held.error).toMatchObject({ kind: first.error.kind, code: first.error.code, retryAfterMs: 1_000 });
    expect(held.error.message).toContain('Patina retries in 1 s.');
    time = 1_000;
    await use();
    expect(started).toBe(3 * each);
    await tools.release();
    await use();
    expect(started).toBe(4 * each);
    await tools.release();
  });

  it('[MCP-back-off] waits twice as long each time, a minute at most, and not at all after a success', () => {
    let time = 0;
    const backOff = createBackOff(() => time);
    const waits = Array.from({ length: 9 }, () => {
      backOff.failed();
      const wait = backOff.waitMs();
      time += wait;
      return wait;
    });
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    backOff.failed();
    backOff.worked();
    expect(backOff.waitMs()).toBe(0);
  });
});

describe('a list of tools with a TTL', () => {
  it('[MCP-list-ttl] is requested again after it, and not before', { timeout: 30_000 }, async () => {
    let time = 0;
    const peer = await openPeer('stateless', 'http');
    const tools = toolsOf({ peer: peer.entry }, { now: () => time });
    const growing = async (): Promise<boolean> => {
      const listed = await tools.list();
      return listed.ok && listed.value.some(({ tool }) => tool === 'late');
    };
    expect(await growing()).toBe(false);
    const grow = await tools.call('mcp://peer.grow', {}, new AbortController().signal);
    expect(grow.ok).toBe(true);
    time = 59_999;
    expect(await growing()).toBe(false);
    time = 60_000;
    expect(await growing()).toBe(true);
    await tools.release();
    peer.close();
  });
});
