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

  it('lets a call pass whose tool every list names, by a pattern of its own', () => {
    const lists = {
      modeTools: ['x', 'mcp://jira.*'],
      workflowTools: ['mcp://*.read'],
      catalogTools: ['mcp://jira.read'],
    };
    expect(refusal('mcp://jira.read', {}, withLists(context(), lists))).toBe('allow');
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

describe('a refusal of the gate', () => {
  const errorOf = (gate: GateContext, name = 'mcp://jira.update', args: JsonObject = {}) => {
    const verdict = judgeCall(call(name, args), gate);
    return verdict.type === 'deny' ? verdict.error : verdict;
  };
  const denied = { kind: 'POLICY', code: 'CAPABILITY_DENIED', retryable: false, tool: 'mcp://jira.update' };
  const rules = (file: object) => context({}, { allow: ['mcp://jira.*'], ...file });

  it.each<[string, GateContext, object]>([
    [
      'the list that lacks the tool',
      withLists(context(), { modeTools: ['mcp://other.*'] }),
      { ...denied, layer: 'mode', message: 'The active mode does not offer mcp://jira.update.' },
    ],
    [
      'the step that does not declare the tool',
      context({ declared: ['mcp://jira.read'] }),
      { ...denied, layer: 'binding', message: 'This step does not declare mcp://jira.update.' },
    ],
    [
      'the line that denies the call',
      rules({ deny: ['mcp://*.update'] }),
      {
        ...{ ...denied, layer: 'capability', message: 'mcp://jira.update: denied by mcp://*.update.' },
        hint: 'A deny line wins over every allow line.',
      },
    ],
    [
      'the project that does not allow the tool, and how to allow its server',
      rules({ allow: ['mcp://jira.read'] }),
      {
        ...{ ...denied, layer: 'capability', message: 'mcp://jira.update: not allowed in this project.' },
        hint: 'To allow it, run patina tools --allow jira or use Settings → Servers.',
      },
    ],
    [
      'the argument that no line allows, and the lines',
      rules({ allow: ['mcp://jira.update?kind=a', 'mcp://jira.*?size=s'] }),
      {
        ...{ ...denied, layer: 'capability' },
        message: 'mcp://jira.update: the argument kind is outside the allowed values.',
        hint: 'Allowed: mcp://jira.update?kind=a mcp://jira.*?size=s',
      },
    ],
    [
      'what is wrong with the arguments',
      context({ checkSchema: () => ({ ok: false, error: ['a is missing', 'b is no number'] }) }),
      {
        ...{ kind: 'TOOL', code: 'INVALID_ARGUMENTS', layer: 'arguments', tool: 'mcp://jira.update' },
        ...{ retryable: false, message: 'mcp://jira.update: a is missing; b is no number' },
      },
    ],
    [
      'the limit of the step',
      context({ callsLeftInNode: 0, callsLeftInRun: 0 }),
      {
        ...{
          kind: 'BUDGET',
          code: 'TOOL_CALLS',
          layer: 'budget',
          tool: 'mcp://jira.update',
          retryable: false,
        },
        message: 'Tool call limit reached for this step.',
      },
    ],
    [
      'the limit of the run, and which setting raises it',
      context({ callsLeftInRun: 0 }),
      {
        ...{
          kind: 'BUDGET',
          code: 'TOOL_CALLS',
          layer: 'budget',
          tool: 'mcp://jira.update',
          retryable: false,
        },
        message: 'Tool call limit reached for this run.',
        hint: 'To allow more, set "run": {"tool_calls": …} in .patina/budgets.json.',
      },
    ],
    [
      'the rate that is used up, and when it is free again',
      context({ rateWaitMs: () => 7 }, { allow: ['mcp://jira.*'], rateLimits: { 'mcp://jira.*': 3 } }),
      {
        ...{ kind: 'POLICY', code: 'RATE_LIMITED', layer: 'rate', tool: 'mcp://jira.update' },
        ...{ message: 'mcp://jira.update: more than 3 calls a minute (mcp://jira.*).' },
        ...{ retryable: true, retryAfterMs: 7 },
      },
    ],
  ])('names %s', (_what, gate, error) => {
    expect(errorOf(gate)).toEqual(error);
  });

  it('names a tool that no server offers, without a suggestion when no name is near', () => {
    expect(errorOf(context(), 'mcp://other.thing')).toEqual({
      ...{ kind: 'TOOL', code: 'NOT_FOUND', layer: 'binding', tool: 'mcp://other.thing', retryable: false },
      message: 'No server offers mcp://other.thing.',
    });
  });

  it('asks to review a tool whose definition has changed', () => {
    const changed = { ...tool('mcp://jira.update'), changed: true as const };
    expect(errorOf(context({ tools: new Map([[changed.uri, changed]]) }))).toEqual({
      ...{
        kind: 'POLICY',
        code: 'TOOL_CHANGED',
        layer: 'binding',
        tool: 'mcp://jira.update',
        retryable: false,
      },
      message: 'The definition of mcp://jira.update has changed since you allowed it.',
      hint: 'Review the change, then accept it in Settings → Servers or with patina tools --accept.',
    });
  });

  it('names the constraint of the plan that forbids a write, and lets reads pass', () => {
    const only = { kind: 'only-path' as const, text: 'only docs/', prefix: 'docs/' };
    const gate = context({ constraints: { rules: [only], project: '/p' } });
    expect(errorOf(gate, 'mcp://jira.update', { path: 'src/a' })).toEqual({
      ...{ ...denied, layer: 'constraint' },
      message: "mcp://jira.update: the plan's constraint “only docs/” forbids this write.",
    });
    expect(refusal('mcp://jira.update', { path: 'docs/a' }, gate)).toBe('ask');
    expect(refusal('mcp://jira.read', { path: 'src/a' }, gate)).toBe('allow');
  });

  it('does not come from a rate of another tool, or one with room', () => {
    const waits: string[] = [];
    const rateWaitMs = (pattern: string) => (waits.push(pattern), 0);
    const rateLimits = { 'mcp://other.*': 1, 'mcp://jira.read?n=1': 1, 'mcp://jira.*': 9 };
    const gate = context({ rateWaitMs }, { allow: ['mcp://jira.*'], rateLimits });
    expect(refusal('mcp://jira.read', { n: 2 }, gate)).toBe('allow');
    expect(waits).toEqual(['mcp://jira.*']);
  });
});

describe('the last layer of the gate', () => {
  const grant = {
    ...{ id: 'g1', tool: 'mcp://jira.update', where: {}, at: 0 },
    reach: { kind: 'always' as const, project: '/p' },
  };
  const allowing = () => ({ decision: 'allow' as const, grant: { ...grant, decision: 'allow' as const } });
  const flow = { from: 'box', to: 'jira' };
  const judge = (name: string, more: Partial<GateContext>) => judgeCall(call(name), context(more));

  it('asks about flows of reads and writes, and names them', () => {
    const dataFlows = () => [flow];
    expect(judge('mcp://jira.read', { dataFlows })).toEqual({ type: 'ask', flows: [flow] });
    expect(judge('mcp://jira.update', { dataFlows })).toEqual({ type: 'ask', flows: [flow] });
    expect(judge('mcp://jira.update', {})).toEqual({ type: 'ask', flows: [] });
    expect(judge('mcp://jira.read', { dataFlows: () => [] })).toEqual({ type: 'allow' });
  });

  it('names the saved permission only where the user would have been asked', () => {
    const by = allowing().grant;
    expect(judge('mcp://jira.update', { savedPermission: allowing })).toEqual({ type: 'allow', by });
    expect(judge('mcp://jira.read', { savedPermission: allowing })).toEqual({ type: 'allow' });
    expect(judge('mcp://jira.read', { savedPermission: allowing, dataFlows: () => [flow] })).toEqual({
      ...{ type: 'allow', by },
    });
    expect(judge('mcp://jira.update', { savedPermission: () => null })).toEqual({ type: 'ask', flows: [] });
  });

  it('refuses what a saved permission forbids, also when it is approved or only reads', () => {
    const never = () => ({ decision: 'never' as const, grant: { ...grant, decision: 'never' as const } });
    for (const name of ['mcp://jira.update', 'mcp://jira.read'])
      expect(judge(name, { savedPermission: never, approved: () => true })).toEqual({
        type: 'deny',
        error: {
          ...{ kind: 'POLICY', code: 'APPROVAL_DENIED', layer: 'approval', tool: name, retryable: false },
          message: `${name} is blocked by a saved permission.`,
          hint: 'To be asked again, revoke the permission in Settings → Approvals or with patina tools --revoke g1.',
        },
      });
  });

  it('takes a recorded approval where one is needed, and no saved one in its place', () => {
    const recorded = (approved: boolean) => ({
      needed: (_call: unknown, write: boolean) => write,
      isApproved: () => approved,
      use: () => true,
    });
    const gate = (approved: boolean) => ({ recorded: recorded(approved), savedPermission: allowing });
    expect(judge('mcp://jira.update', gate(true))).toEqual({ type: 'allow' });
    expect(judge('mcp://jira.read', gate(false))).toEqual({ type: 'allow' });
    expect(judge('mcp://jira.update', gate(false))).toEqual({
      type: 'deny',
      error: {
        ...{ kind: 'POLICY', code: 'APPROVAL_DENIED', layer: 'approval', tool: 'mcp://jira.update' },
        ...{
          retryable: false,
          message: "mcp://jira.update needs the user's approval of exactly this call first.",
        },
      },
    });
  });
});

it('says for each layer where its rule comes from', () => {
  expect(gateLayers.map(({ source }) => source)).toEqual([
    ...[
      "active mode's tools",
      "active workflow's PermittedTools",
      'active tool set',
      'tools the servers list',
    ],
    ...['capabilities.json', "the tool's input schema", 'budgets.json and rateLimits', 'the user'],
  ]);
});

it('a built-in tool needs no line in the manifest', () => {
  const builtIn = { ...tool('agent_sample'), builtIn: true as const };
  const gate = context({ tools: new Map([[builtIn.uri, builtIn]]) }, { allow: [], deny: ['mcp://*'] });
  expect(refusal('agent_sample', {}, gate)).toBe('allow');
});
