import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { defaultBudgets } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import type { ToolListing } from '../tools/call-scope';
import { checkListed, type CheckNeeds } from './check-listed';
import { noEarlierNodes } from './check-plan';

const tool = (server: string, name: string) => ({
  uri: `mcp://${server}.${name}`,
  server,
  tool: name,
  serverVersion: '1',
  description: '',
  inputSchema: { type: 'object' },
  readOnly: true,
});
const all: ToolListing = { tools: [tool('my-box', 'get'), tool('jar', 'get')], servers: [] };

/** Checks a plan of these steps and records which servers were listed, and how. */
async function checked(
  nodes: readonly object[],
  listings: readonly ReturnType<typeof ok<ToolListing>>[] = [ok(all)],
  more: Partial<CheckNeeds> = {},
  how: 'needed' | 'live' = 'needed',
) {
  const asked: unknown[] = [];
  const list: CheckNeeds['toolCalls']['list'] = (project, servers, mode) => {
    asked.push([project, servers, mode]);
    return Promise.resolve(listings[asked.length - 1] ?? ok(all));
  };
  const needs = { toolCalls: { list }, project: '/p', budgets: defaultBudgets, ...more };
  const result = await checkListed(
    needs,
    planOf(nodes),
    how,
    more.ofSession && { ...noEarlierNodes, done: new Set(['z']) },
  );
  return { result, asked };
}

describe('the servers whose tools a plan is checked against', () => {
  it.each<[string, readonly object[], unknown]>([
    ['none for scripts without tools', [scriptNode('a', 'return {};')], undefined],
    ['none for model steps', [{ id: 'a', title: 'a', kind: 'llm', prompt: 'Use tools.jar.get.' }], undefined],
    [
      'all for a script that declares no tools',
      [scriptNode('a', 'await tools.jar.get({});')],
      { servers: undefined },
    ],
    [
      'the declared ones, and those that the script names',
      [scriptNode('a', 'await tools.my_box.get({});', { tools: ['mcp://my-box.get'] })],
      { servers: ['my-box', 'my_box'] },
    ],
    [
      'those of all steps, each once',
      [
        scriptNode('a', 'await tools.jar.get({});', { tools: ['mcp://jar.get'] }),
        scriptNode('b', 'await tools.jar.get({}); await tools.my_box.get({});', {
          tools: ['mcp://jar.get', 'mcp://my-box.get'],
        }),
      ],
      { servers: ['jar', 'my-box', 'my_box'] },
    ],
    [
      'all when a declared server is a pattern',
      [scriptNode('a', 'await tools.jar.get({});', { tools: ['mcp://*'] })],
      { servers: undefined },
    ],
    [
      'all when a pattern covers several servers',
      [scriptNode('a', 'await tools.jar.get({});', { tools: ['mcp://ja*.get'] })],
      { servers: undefined },
    ],
    [
      'all when one of the scripts declares no tools',
      [
        scriptNode('a', 'await tools.jar.get({});', { tools: ['mcp://jar.get'] }),
        scriptNode('b', 'await tools.jar.get({});'),
      ],
      { servers: undefined },
    ],
  ])('are %s', async (_what, nodes, listed) => {
    const { result, asked } = await checked(nodes);
    const servers = (listed as { servers?: unknown } | undefined)?.servers;
    expect(asked).toEqual(listed === undefined ? [] : [['/p', servers, 'needed']]);
    expect(result).toMatchObject({
      ok: true,
      value: { listing: listed === undefined ? { tools: [] } : all },
    });
  });

  it('are listed again, live, when a cached list lacks a tool', async () => {
    const nodes = [scriptNode('a', 'await tools.jar.get({});'), scriptNode('b', 'await tools.new.get({});')];
    const fresh: ToolListing = { ...all, tools: [...all.tools, tool('new', 'get')] };
    const { result, asked } = await checked(nodes, [ok(all), ok(fresh)]);
    expect(asked).toEqual([
      ['/p', undefined, 'needed'],
      ['/p', undefined, 'live'],
    ]);
    expect(result).toMatchObject({ ok: true, value: { listing: fresh } });
  });

  it('are listed once when that cannot help, or when the run is stopped', async () => {
    const missing = [scriptNode('a', 'await tools.new.get({});')];
    const stop = new AbortController();
    stop.abort();
    const broken = [scriptNode('a', 'await tools.jar.get({}); eval("1");')];
    for (const { result, asked } of [
      await checked(missing, undefined, {}, 'live'),
      await checked(missing, undefined, { signal: stop.signal }),
      await checked(broken),
    ]) {
      expect(asked).toHaveLength(1);
      expect(result.ok).toBe(false);
    }
    const both = await checked([scriptNode('a', 'await tools.new.get({}); eval("1");')], undefined, {
      signal: new AbortController().signal,
    });
    expect(both.asked).toHaveLength(2);
  });

  it('that cannot be listed are the finding', async () => {
    const lost = appError('HOST', 'STORAGE', 'No list.');
    const { result } = await checked([scriptNode('a', 'await tools.jar.get({});')], [err(lost) as never]);
    expect(result).toEqual(err([lost]));
  });

  it('do not matter for what the plan may read of earlier results', async () => {
    const nodes = [scriptNode('a', 'return [inputs.z, inputs.previous];')];
    expect((await checked(nodes, [], { ofSession: ['previous'] })).result.ok).toBe(true);
    expect((await checked(nodes)).result.ok).toBe(false);
  });
});
