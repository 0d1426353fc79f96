import { afterEach, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { openHostileServer, type HostileServer } from '../../../testing/open-hostile-server';
import { createResourcesSource } from '../../../core/sources/resources-source';
import { parseRegistry } from './registry';
import { serverRows } from './server-rows';

const opened: HostileServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ tools }) => tools.release())));
const signal = new AbortController().signal;

function open(fault: string) {
  const server = openHostileServer(fault, { trusted: true });
  opened.push(server);
  const { tools, project } = server;
  const source = createResourcesSource({
    known: () => tools,
    open: () => Promise.resolve(tools),
    onChange: tools.onResourcesChanged,
  });
  return { ...server, source, scope: { sessionId: null, project } };
}

const uris = (result: Awaited<ReturnType<ReturnType<typeof open>['source']['load']>>) =>
  result.ok ? result.value.map(({ header }) => header.id) : result.error;

describe('resources of MCP servers', () => {
  it('[SRC-resources] are read without starting a server; a refresh by the user starts it', async () => {
    const { source, scope, ports } = open('resources');
    const before = source.scopeKey(scope);
    expect(await source.load(scope, signal)).toEqual({ ok: true, value: [] });
    expect(ports).toHaveLength(0);
    const refreshed = await source.refresh?.(scope, signal);
    expect(refreshed && uris(refreshed)).toEqual(['file:///a.txt', 'file:///b.txt']);
    expect(ports).toHaveLength(1);
    expect(source.scopeKey(scope)).not.toBe(before);
    expect(uris(await source.load(scope, signal))).toEqual(['file:///a.txt', 'file:///b.txt']);
    expect(ports).toHaveLength(1);
  });

  it('[SRC-resources] have limited texts on one line; invalid addresses are skipped', async () => {
    const { source, scope } = open('resources');
    const result = await source.refresh?.(scope, signal);
    const [first] = result?.ok ? result.value : [];
    expect(first?.header.displayName).toBe('The first');
    expect(first?.description).toMatch(/^x · d y+$/);
    expect(first?.description?.length).toBeLessThan(400);
  });

  it('[SRC-resources] are updated when a server reports a change', async () => {
    const { source, scope, call } = open('resources');
    let told = 0;
    const stop = source.onChange?.(() => (told += 1));
    await source.refresh?.(scope, signal);
    await call();
    expect(told).toBe(1);
    stop?.();
  });

  it('[SRC-resources] include the failure of a server, and none for a server without resources', async () => {
    const failing = open('resources-fail');
    expect(await failing.source.refresh?.(failing.scope, signal)).toMatchObject({
      ok: false,
      error: { kind: 'TOOL', message: expect.stringContaining('no disk') as string },
    });
    const without = open('');
    expect(await without.source.refresh?.(without.scope, signal)).toEqual({ ok: true, value: [] });
  });

  it('[SRC-resources] are empty without a project folder', async () => {
    const { source, ports } = open('resources');
    const scope = { sessionId: null, project: null };
    expect(await source.load(scope, signal)).toEqual({ ok: true, value: [] });
    expect(await source.refresh?.(scope, signal)).toEqual({ ok: true, value: [] });
    expect(ports).toHaveLength(0);
  });
});

describe('rows of servers', () => {
  it('[SRC-servers] combine the trust of the registry with the state of servers in use', () => {
    const registry = parseRegistry(
      '{"mcpServers":{"a":{"command":"a","trusted":true},"b":{"command":"b"},"c":{"command":"c","disabled":true}}}',
      'registry.json',
    );
    expect(serverRows(registry, [{ server: 'b', state: 'failed', detail: 'gone', tools: 0 }])).toEqual({
      ok: true,
      value: [
        { server: 'a', state: 'idle', detail: '', tools: 0, trusted: true },
        { server: 'b', state: 'failed', detail: 'gone', tools: 0, trusted: false },
      ],
    });
    const broken = err(appError('CONFIG', 'INVALID', 'registry.json: broken'));
    expect(serverRows(broken, [])).toBe(broken);
  });
});
