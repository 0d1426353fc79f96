import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { DiscoveryMode } from '../ports/discovery-mode';
import type { ServerStatus } from '../ports/server-status';
import type { ToolDefinition } from '../ports/tool-definition';
import { createBuiltInTools, listServerTools, type ServerAccess } from './tool-table';

const definition = (server: string, tool: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  ...{ uri: `mcp://${server}.${tool}`, server, tool, serverVersion: '1', description: '', inputSchema: {} },
  ...{ readOnly: true, ...more },
});

type Asked = readonly [servers: readonly string[] | undefined, how: DiscoveryMode | undefined];

/** Servers whose tools in a cached listing and in a live one are given. */
function setUp(
  known: readonly ToolDefinition[],
  live: readonly ToolDefinition[] = known,
  more: Partial<ServerAccess> = {},
) {
  const asked: Asked[] = [];
  const listed: (readonly ToolDefinition[])[] = [];
  const statuses: readonly ServerStatus[] = [];
  const access: ServerAccess = {
    tools: {
      servers: () => statuses,
      list: (servers, how) => {
        asked.push([servers, how]);
        const all = how === 'live' ? live : known;
        return Promise.resolve(ok(all.filter(({ server }) => !servers || servers.includes(server))));
      },
      call: () => Promise.reject(new Error('not called')),
      release: () => Promise.resolve(),
    },
    onListed: (tools) => void listed.push(tools),
    ...more,
  };
  const list = (servers?: readonly string[], how: DiscoveryMode = 'needed') =>
    listServerTools(access, servers, how);
  return { list, asked, listed, statuses };
}

describe('the tools of servers', () => {
  const [a, b] = [definition('box', 'a'), definition('shop', 'b')];

  it('are listed with the status of each server', async () => {
    const { list, asked, statuses } = setUp([a, b]);
    const listing = await list();
    expect(listing).toEqual(ok({ tools: [a, b], servers: [] }));
    expect(listing.ok && listing.value.servers).toBe(statuses);
    expect(asked).toEqual([[undefined, 'needed']]);
  });

  it('are reported only when all servers were listed', async () => {
    const { list, listed } = setUp([a, b]);
    expect(await list(['shop'])).toMatchObject({ value: { tools: [b] } });
    expect(listed).toEqual([]);
    await list();
    expect(listed).toEqual([[a, b]]);
  });

  it('have their pinned definitions', async () => {
    const pinned = { ...b, description: 'pinned' };
    const { list } = setUp([b], [b], { pins: { enforce: () => ok([pinned]) } });
    expect(await list()).toMatchObject({ value: { tools: [pinned] } });
  });

  it('cannot be listed when the servers or the pins cannot be read', async () => {
    const full = err(appError('HOST', 'STORAGE', 'Full.'));
    const { list, listed } = setUp([b], [b], { pins: { enforce: () => full } });
    expect(await list()).toEqual(full);
    expect(listed).toEqual([]);
    const tools = { ...setUp([]), list: () => Promise.resolve(full) } as never;
    expect(await listServerTools({ tools, pins: { enforce: ok } }, undefined, 'needed')).toEqual(full);
  });

  it('of a server with a changed one are asked for again, in place: the change may be gone', async () => {
    const changed = { ...b, changed: true as const };
    const again = [definition('shop', 'new'), b];
    const { list, asked, listed } = setUp(
      [changed, a, definition('shop', 'gone')],
      [...again, definition('box', 'x')],
    );
    expect(await list()).toMatchObject({ value: { tools: [...again, a] } });
    expect(asked).toEqual([
      [undefined, 'needed'],
      [['shop'], 'live'],
    ]);
    expect(listed).toEqual([[...again, a]]);
  });

  it('stay as they were known when their server does not answer', async () => {
    const changed = { ...b, changed: true as const };
    const { list } = setUp([changed, a], []);
    expect(await list()).toMatchObject({ value: { tools: [changed, a] } });
  });

  it.each(['known', 'live'] as const)('are not asked for again in a listing that is %s', async (how) => {
    const { list, asked } = setUp([{ ...b, changed: true }]);
    await list(undefined, how);
    expect(asked).toEqual([[undefined, how]]);
  });

  it('cannot be listed when the pins cannot be read the second time', async () => {
    const full = err(appError('HOST', 'STORAGE', 'Full.'));
    const answers = [ok([{ ...b, changed: true as const }]), full];
    const { list } = setUp([b], [b], { pins: { enforce: () => answers.shift() ?? full } });
    expect(await list()).toEqual(full);
  });
});

describe('the built-in tools', () => {
  const schema = { type: 'object', properties: { q: { type: 'string' } } };
  const tool = (name: string, more: Partial<BuiltInTool> = {}): BuiltInTool => ({
    ...{ name, isToolFullyExecutedOnServer: true, toolUsageMetadata: `Use ${name}.`, schema },
    ...{ execute: () => Promise.resolve(ok('{}')), ...more },
  });
  const setUpTable = () => {
    const table = createBuiltInTools();
    table.add([tool('always', { alwaysOffered: true }), tool('plain')]);
    table.add([
      tool('command', { commandOnly: true, alwaysOffered: true }),
      tool('checks', { answersArguments: true }),
    ]);
    return table;
  };
  const names = (map: ReadonlyMap<string, unknown>) => [...map.keys()];

  it('are found by name, in the order of their additions', () => {
    const table = setUpTable();
    expect(table.all().map(({ name }) => name)).toEqual(['always', 'plain', 'command', 'checks']);
    expect(table.find('plain')?.toolUsageMetadata).toBe('Use plain.');
    expect(table.find('none')).toBeUndefined();
  });

  it('can be called by a user, without the command-only ones by a model, and by no script', () => {
    const table = setUpTable();
    expect(names(table.definitionsFor('user'))).toEqual(['always', 'plain', 'command', 'checks']);
    expect(names(table.definitionsFor('model'))).toEqual(['always', 'plain', 'checks']);
    expect(names(table.definitionsFor('script'))).toEqual([]);
  });

  it('are defined as reads of no server, with their schema unless they check arguments themselves', () => {
    const definitions = setUpTable().definitionsFor('model');
    expect(definitions.get('plain')).toEqual({
      ...{ uri: 'plain', server: '', tool: 'plain', serverVersion: '', description: 'Use plain.' },
      ...{ inputSchema: schema, readOnly: true, builtIn: true },
    });
    expect(definitions.get('checks')?.inputSchema).toEqual({ type: 'object' });
  });

  it('are offered to a model as its lists say, and always the few that every list has', () => {
    const table = setUpTable();
    const offered = (lists: object) => table.offered(lists).map(({ name }) => name);
    expect(table.offered({ modeTools: ['plain'] })).toEqual([
      { name: 'always', description: 'Use always.', parameters: schema },
      { name: 'plain', description: 'Use plain.', parameters: schema },
    ]);
    expect(offered({})).toEqual(['always', 'plain', 'checks']);
    expect(offered({ modeTools: ['*'], workflowTools: ['checks'] })).toEqual(['always', 'checks']);
    expect(offered({ catalogTools: [] })).toEqual(['always']);
    expect(table.withAlways({ workflowTools: ['x'] })).toEqual({ workflowTools: ['x', 'always'] });
  });
});
