import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import type { JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from './canonical-hash';
import { gateLayers, isWrite, judgeCall, mayWrite, type GateContext } from './gate';
import { createSchemaCheck } from './schema-check';
import type { ToolLists } from '../ports/tool-lists';

const tool = (
  uri: string,
  readOnly = true,
  inputSchema: JsonObject = { type: 'object' },
): ToolDefinition => ({
  uri,
  server: 'jira',
  tool: uri.split('.').slice(1).join('.'),
  serverVersion: '1',
  description: '',
  inputSchema,
  readOnly,
});

function context(more: Partial<GateContext> = {}, file: object = { allow: ['mcp://jira.*'] }): GateContext {
  const listed = [tool('mcp://jira.read'), tool('mcp://jira.update', false)];
  return {
    lists: {},
    tools: new Map(listed.map((one) => [one.uri, one])),
    capabilities: Capabilities.parse(file),
    checkSchema: createSchemaCheck(),
    callsLeftInNode: 10,
    callsLeftInRun: 10,
    rateWaitMs: () => 0,
    approved: () => false,
    ...more,
  };
}

const withLists = (gate: GateContext, lists: ToolLists): GateContext => ({
  ...gate,
  lists: { ...gate.lists, ...lists },
});

const call = (name: string, args: JsonObject = {}) => ({
  tool: name,
  arguments: args,
  hash: canonicalHash({ tool: name, arguments: args }),
});

function refusal(name: string, args: JsonObject, gate: GateContext) {
  const verdict = judgeCall(call(name, args), gate);
  return verdict.type === 'deny' ? [verdict.error.layer, verdict.error.code] : verdict.type;
}

describe('[MCP-gate] the gate', () => {
  it('has its eight layers in a fixed order', () => {
    const names = [
      'mode',
      'workflow',
      'descriptor',
      'binding',
      'capability',
      'arguments',
      'budget',
      'approval',
    ];
    expect(gateLayers.map(({ name }) => name)).toEqual(names);
  });

  it('allows a permitted read and asks about a write', () => {
    expect(refusal('mcp://jira.read', {}, context())).toBe('allow');
    expect(refusal('mcp://jira.update', {}, context())).toBe('ask');
  });

  it('[AGP-exact-hash] allows an approved write only with its exact hash', () => {
    const approved = call('mcp://jira.update', { status: 'done' });
    const gate = context({ approved: (hash) => hash === approved.hash });
    expect(judgeCall(approved, gate).type).toBe('allow');
    expect(judgeCall(call('mcp://jira.update', { status: 'open' }), gate).type).toBe('ask');
  });

  it('suggests similar tools for a wrong name', () => {
    const verdict = judgeCall(call('mcp://jira.raed'), context());
    expect(verdict).toMatchObject({
      error: { kind: 'TOOL', code: 'NOT_FOUND', hint: 'Did you mean mcp://jira.read?' },
    });
  });

  it('refuses a tool that is not allowed, and one that is denied although allowed', () => {
    expect(refusal('mcp://jira.read', {}, context({}, { allow: [] }))).toEqual([
      'capability',
      'CAPABILITY_DENIED',
    ]);
    const denied = context({}, { allow: ['mcp://jira.*'], deny: ['mcp://jira.read'] });
    expect(refusal('mcp://jira.read', {}, denied)).toEqual(['capability', 'CAPABILITY_DENIED']);
  });

  it.each([
    [{ fields: 'status' }, 'ask'],
    [{ fields: ['status', 'title'] }, 'ask'],
    [{ fields: { status: 1 } }, 'ask'],
    [{ fields: ['status', 'secret'] }, ['capability', 'CAPABILITY_DENIED']],
    [{ fields: { status: 1, secret: 2 } }, ['capability', 'CAPABILITY_DENIED']],
    [{}, ['capability', 'CAPABILITY_DENIED']],
    [{ toString: 1 }, ['capability', 'CAPABILITY_DENIED']],
  ])('[CFG-scope] restricts an argument to the values of the manifest: %j', (args, expected) => {
    const gate = context({}, { allow: ['mcp://jira.update?fields=status,title'] });
    expect(refusal('mcp://jira.update', args as JsonObject, gate)).toEqual(expected);
  });

  it.each([
    [['title', 'secret']],
    ['title, secret'],
    [[['secret']]],
    [{ new: { secret: 1 } }],
    [{ name: 'secret' }],
  ])('[CFG-deny] denies when one of several values is on the deny line, at any depth: %j', (fields) => {
    const gate = context({}, { allow: ['mcp://jira.*'], deny: ['mcp://jira.update?fields=secret'] });
    const expected = ['capability', 'CAPABILITY_DENIED'];
    expect(refusal('mcp://jira.update', { fields }, gate)).toEqual(expected);
  });

  it('[CFG-write] treats an unknown or forced tool as a write', () => {
    const forced = context({}, { allow: ['mcp://jira.*'], write: ['mcp://jira.read'] });
    expect(isWrite({ tool: 'mcp://jira.read', arguments: {} }, forced)).toBe(true);
    expect(isWrite({ tool: 'mcp://jira.other', arguments: {} }, context())).toBe(true);
    expect(isWrite({ tool: 'mcp://jira.read', arguments: {} }, context())).toBe(false);
    for (const [tool, rules] of [
      ['mcp://jira.read', forced],
      ['mcp://jira.other', context()],
    ] as const)
      expect(mayWrite(tool, rules)).toBe(true);
    expect(mayWrite('mcp://jira.read', context())).toBe(false);
    // A line with argument constraints forces only matching calls, but `mayWrite` must assume any call.
    const some = context({}, { allow: ['mcp://jira.*'], write: ['mcp://jira.read?all=yes'] });
    expect(mayWrite('mcp://jira.read', some)).toBe(true);
    expect(isWrite({ tool: 'mcp://jira.read', arguments: { all: 'no' } }, some)).toBe(false);
  });

  it('checks arguments against the schema of the tool', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    };
    const gate = context({ tools: new Map([['mcp://jira.read', tool('mcp://jira.read', true, schema)]]) });
    expect(refusal('mcp://jira.read', { id: 'A-1' }, gate)).toBe('allow');
    expect(refusal('mcp://jira.read', { id: 1 }, gate)).toEqual(['arguments', 'INVALID_ARGUMENTS']);
    expect(refusal('mcp://jira.read', { id: 'A-1', x: 1 }, gate)).toEqual(['arguments', 'INVALID_ARGUMENTS']);
  });

  it('refuses when a budget or a rate is used up, and says when to retry', () => {
    expect(refusal('mcp://jira.read', {}, context({ callsLeftInNode: 0 }))).toEqual(['budget', 'TOOL_CALLS']);
    expect(refusal('mcp://jira.read', {}, context({ callsLeftInRun: 0 }))).toEqual(['budget', 'TOOL_CALLS']);
    const rated = context(
      { rateWaitMs: (_pattern, perMinute) => (perMinute === 3 ? 1_500 : 0) },
      { allow: ['mcp://jira.*'], rateLimits: { 'mcp://jira.*': 3 } },
    );
    expect(judgeCall(call('mcp://jira.read'), rated)).toMatchObject({
      error: { code: 'RATE_LIMITED', retryAfterMs: 1_500, retryable: true },
    });
  });

  it('always returns the refusal of the earliest layer that refuses', () => {
    const breaking: readonly [string, (gate: GateContext) => GateContext][] = [
      ['mode', (gate) => withLists(gate, { modeTools: ['mcp://other.*'] })],
      ['workflow', (gate) => withLists(gate, { workflowTools: [] })],
      ['descriptor', (gate) => withLists(gate, { catalogTools: ['mcp://jira.update'] })],
      ['binding', (gate) => ({ ...gate, declared: [] })],
      ['capability', (gate) => ({ ...gate, capabilities: Capabilities.parse({ allow: [] }) })],
      ['arguments', (gate) => ({ ...gate, checkSchema: () => ({ ok: false, error: ['wrong'] }) })],
      ['budget', (gate) => ({ ...gate, callsLeftInNode: 0 })],
    ];
    const some = fc.subarray([...breaking], { minLength: 1 });
    fc.assert(
      fc.property(some, (broken) => {
        const gate = broken.reduce((before, [, breakIt]) => breakIt(before), context());
        const verdict = judgeCall(call('mcp://jira.read'), gate);
        expect(verdict).toMatchObject({ type: 'deny', error: { layer: broken[0]?.[0] } });
      }),
    );
  });
});
