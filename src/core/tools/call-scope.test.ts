import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { ok } from '#shared/result';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createManualClock } from '../../testing/manual-clock';
import type { BuiltInTool } from '../ports/built-in-tool';
import { builtInScope, commandScope, createSlots, modelScope, unitScope, type CallScope } from './call-scope';
import { createToolCalls, resultText, writtenCall } from './call-tool';
import { createFactBuffer } from './fact-buffer';
import { createSchemaCheck } from './schema-check';

const project = '/srv/project';
const text = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false };

/** The tools of a server and of Patina, with every call that reached one. */
async function setUp() {
  const reached: string[] = [];
  const { clock } = createManualClock();
  let next = 0;
  const ids = { next: (prefix: string) => `${prefix}_${(next += 1)}` };
  const server = createInMemoryTools({
    'mcp://box.read': { readOnly: true, inputSchema: text, call: () => ok('read') },
    'mcp://box.write': { readOnly: false, inputSchema: text, call: () => ok('written') },
  });
  const toolCalls = createToolCalls({
    clock,
    ids,
    checkSchema: createSchemaCheck(),
    servers: () => Promise.resolve({ tools: server.tools }),
  });
  const sample = (name: string, more: Partial<BuiltInTool> = {}): BuiltInTool => ({
    name,
    isToolFullyExecutedOnServer: true,
    toolUsageMetadata: 'A sample.',
    schema: text,
    execute: () => {
      reached.push(name);
      return Promise.resolve(ok('{}'));
    },
    ...more,
  });
  toolCalls.add([sample('agent_sample'), sample('set_sample', { commandOnly: true })]);
  const listed = await toolCalls.list(project);
  if (!listed.ok) throw new Error(listed.error.message);
  const listing = listed.value;
  const call = async (scope: CallScope, tool: string, args: object = {}) =>
    resultText(
      await toolCalls.callTool(scope, writtenCall(tool, JSON.stringify(args)), new AbortController().signal),
    );
  const facts = createFactBuffer(
    clock,
    () => true,
    () => undefined,
  );
  const noApproval = {
    needed: (_call: unknown, write: boolean) => write,
    isApproved: () => false,
    use: () => false,
  };
  const inWorkflow = (tool: string, more: { allow?: string[]; workflowTools?: string[] } = {}): CallScope =>
    modelScope({
      turn: 0,
      project,
      listing,
      tool,
      lists: more.workflowTools ? { workflowTools: more.workflowTools } : {},
      capabilities: Capabilities.parse({ allow: more.allow ?? ['mcp://box.*'] }),
      recorded: noApproval,
      runId: 'wfr_1',
      nodeId: 'workflow',
      facts,
    });
  const unit = (declared: readonly string[], approve: 'all' | 'none' = 'none', callsAllowed = 1): CallScope =>
    unitScope(
      { clock, ids },
      {
        project,
        listing,
        declared,
        approve,
        callsAllowed,
        capabilities: Capabilities.parse({ allow: ['mcp://box.*'] }),
      },
    );
  return { call, inWorkflow, unit, reached: () => [...reached, ...server.calls.map(({ uri }) => uri)] };
}

const model = (lists: CallScope['lists'] = {}): CallScope => builtInScope({ sessionId: 's', turn: 0, lists });
const denied = (layer: string) => ({ ok: false, error: { layer } });

describe('every caller of a tool', () => {
  it('[GATE-one-path] passes the gate: a refused call reaches no tool, whoever asks', async () => {
    const { call, inWorkflow, unit, reached } = await setUp();
    expect(await call(model({ modeTools: [] }), 'agent_sample')).toMatchObject(denied('mode'));
    expect(await call(model(), 'agent_sample', { more: 1 })).toMatchObject(denied('arguments'));
    expect(await call(model(), 'set_sample')).toMatchObject(denied('binding'));
    expect(await call(model(), 'mcp://box.read')).toMatchObject(denied('binding'));
    expect(await call(commandScope('s', 0), 'set_sample', { more: 1 })).toMatchObject(denied('arguments'));
    expect(await call(inWorkflow('mcp://box.read', { workflowTools: [] }), 'mcp://box.read')).toMatchObject(
      denied('workflow'),
    );
    expect(await call(inWorkflow('mcp://box.read', { allow: [] }), 'mcp://box.read')).toMatchObject(
      denied('capability'),
    );
    expect(await call(inWorkflow('mcp://box.write'), 'mcp://box.write')).toMatchObject(denied('approval'));
    expect(await call(inWorkflow('mcp://box.read'), 'agent_sample')).toMatchObject(denied('binding'));
    expect(await call(unit(['mcp://box.read']), 'mcp://box.write')).toMatchObject(denied('binding'));
    expect(await call(unit(['mcp://box.write']), 'mcp://box.write')).toMatchObject(denied('approval'));
    expect(await call(unit(['mcp://box.read'], 'none', 0), 'mcp://box.read')).toMatchObject(denied('budget'));
    expect(await call(unit(['agent_sample']), 'agent_sample')).toMatchObject(denied('binding'));
    expect(reached()).toEqual([]);
  });

  it('[GATE-one-path] reaches the tool that the gate allows', async () => {
    const { call, inWorkflow, unit, reached } = await setUp();
    expect(await call(model(), 'agent_sample')).toEqual(ok('{}'));
    expect(await call(commandScope('s', 0), 'set_sample')).toEqual(ok('{}'));
    expect(await call(inWorkflow('mcp://box.read'), 'mcp://box.read')).toEqual(ok('read'));
    expect(await call(unit(['mcp://box.write'], 'all'), 'mcp://box.write')).toEqual(ok('written'));
    expect(reached()).toEqual(['agent_sample', 'set_sample', 'mcp://box.read', 'mcp://box.write']);
  });
});

describe('the scope of a caller', () => {
  it('of a model outside a run asks nobody, saves no permission, and starts without sources', async () => {
    const { inWorkflow } = await setUp();
    const { recorder, ...scope } = inWorkflow('mcp://box.read');
    expect(scope).toMatchObject({
      actor: 'model',
      approve: 'none',
      sessionId: null,
      declared: ['mcp://box.read'],
    });
    expect(recorder).toMatchObject({ turn: 0, runId: 'wfr_1', nodeId: 'workflow' });
    expect(recorder?.origins.all()).toEqual([]);
  });

  it('of a unit outside a session has its own place, and starts without sources', async () => {
    const { unit } = await setUp();
    const { recorder, ...scope } = unit(['mcp://box.read']);
    expect(scope).toMatchObject({ actor: 'script', approve: 'none', sessionId: null, turn: 0, lists: {} });
    expect(recorder).toMatchObject({ turn: 0, runId: 'exec', nodeId: 'unit' });
    expect(recorder?.origins.all()).toEqual([]);
  });

  it('of a unit counts its calls', async () => {
    const { call, unit } = await setUp();
    const scope = unit(['mcp://box.read'], 'none', 2);
    const results = [];
    for (let made = 0; made < 3; made += 1) results.push((await call(scope, 'mcp://box.read')).ok);
    expect(results).toEqual([true, true, false]);
    expect(scope.budget?.callsLeft()).toEqual({ inNode: -1, inRun: 2 });
  });
});

it('slots are free again once they are released, and those who wait get them in order', async () => {
  const acquire = createSlots(1);
  const order: string[] = [];
  const hold = async (name: string) => {
    const release = await acquire();
    order.push(name);
    return release;
  };
  (await hold('a'))();
  const first = await hold('b');
  const [second, third] = [hold('c'), hold('d')];
  await Promise.resolve();
  expect(order).toEqual(['a', 'b']);
  first();
  (await second)();
  (await third)();
  (await hold('e'))();
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});
