import { describe, expect, it } from 'vitest';
import type { Budgets } from '#shared/budgets';
import type { ToolListing } from '../tools/call-scope';
import { checkPlan, joinFindings } from './check-plan';
import { readCode } from './check-code';
import { readUnit } from './exec-unit';
import { differingNames } from './script-tools';

const tool = (uri: string) => ({
  uri,
  server: 'box',
  tool: uri.split('.')[1] ?? '',
  serverVersion: '1',
  description: '',
  inputSchema: { type: 'object' },
  readOnly: true,
});
const listing: ToolListing = {
  tools: [tool('mcp://box.get'), tool('mcp://box.read-all')],
  servers: [
    {
      server: 'box',
      state: 'ready',
      detail: '1 tool left out: bent (its schema is not an object).',
      tools: 2,
    },
    { server: 'lame', state: 'failed', detail: 'exited with 1', tools: 0 },
  ],
};
const node = (more: object) => ({
  id: 'a',
  title: 'a',
  kind: 'script',
  code: 'return { summary: "" };',
  ...more,
});
const budgets: Budgets = {
  node: {
    cpu_ms: 1_000,
    mem_mb: 64,
    max_ops: 1_000,
    tool_calls: 3,
    output_bytes: 1_000,
    tokens: 1_000,
  },
  run: { nodes: 8, wall_ms: 1_000, tool_calls: 5, tokens: 1_000, replans: 0 },
};
const check = (nodes: readonly object[], answer: unknown = 'x') => {
  const checked = checkPlan({ goal: 'g', nodes, answer }, listing, budgets);
  return checked.ok ? 'fine' : joinFindings(checked.error);
};

describe('checking a plan', () => {
  it.each([
    ['an unknown field', [node({ surprise: 1 })], 'INVALID_PLAN'],
    ['an id that is no identifier', [node({ id: 'A-1' })], 'INVALID_PLAN'],
    ['the same id twice', [node({}), node({})], 'INVALID_PLAN'],
    ['an unknown dependency', [node({ deps: ['zz'] })], 'INVALID_PLAN'],
    ['a circle', [node({ deps: ['b'] }), node({ id: 'b', deps: ['a'] })], 'INVALID_PLAN'],
    ['a step that waits for itself', [node({ deps: ['a'] })], 'INVALID_PLAN'],
    ['a script with no code', [{ id: 'a', title: 'a', kind: 'script' }], 'INVALID_PLAN'],
    [
      'an llm step with tools',
      [{ id: 'a', title: 'a', kind: 'llm', prompt: 'p', tools: ['mcp://box.get'] }],
      'INVALID_PLAN',
    ],
    ['an llm step with no prompt', [{ id: 'a', title: 'a', kind: 'llm' }], 'INVALID_PLAN'],
    [
      'an input that is no dependency',
      [node({ code: 'return inputs.b;' }), node({ id: 'b' })],
      'INVALID_PLAN',
    ],
    ['broken code', [node({ code: 'return {' })], 'SYNTAX_ERROR'],
    [
      'a script that is a file of its own',
      [node({ code: '#!/bin/node\nreturn { summary: "" }' })],
      'SYNTAX_ERROR',
    ],
    ['a name that is handed to it', [node({ code: 'const inputs = 1; return inputs;' })], 'SYNTAX_ERROR'],
    ['code of too many bytes', [node({ code: `/*${'é'.repeat(20_000)}*/` })], 'FORBIDDEN'],
    [
      'an input that is taken apart and no dependency',
      [node({ code: 'const { b: { c } } = inputs; return c;' }), node({ id: 'b' })],
      'INVALID_PLAN',
    ],
    ['code that closes its function', [node({ code: '}); evil(); (async () => {' })], 'SYNTAX_ERROR'],
    ['an import', [node({ code: 'import "fs";' })], 'SYNTAX_ERROR'],
    ['a dynamic import', [node({ code: 'await import("fs");' })], 'FORBIDDEN'],
    ['eval', [node({ code: 'eval("1")' })], 'FORBIDDEN'],
    ['new Function', [node({ code: 'new Function("1")' })], 'FORBIDDEN'],
    ['a clock', [node({ code: 'return Date.now();' })], 'FORBIDDEN'],
    ['randomness', [node({ code: 'return Math["random"]();' })], 'FORBIDDEN'],
    ['an unknown tool', [node({ code: 'await tools.box.gte({})' })], 'UNKNOWN_TOOL'],
    ['an unknown declared tool', [node({ tools: ['mcp://box.gte'] })], 'UNKNOWN_TOOL'],
    ['a tool it does not declare', [node({ tools: [], code: 'await tools.box.get({})' })], 'INVALID_PLAN'],
    ['a tool of a server that did not start', [node({ code: 'await tools.lame.get({})' })], 'UNAVAILABLE'],
    ['a computed tool with none declared', [node({ code: 'await tools[params.s].get({})' })], 'INVALID_PLAN'],
  ])('finds %s', (_what, nodes, code) => {
    expect(check(nodes)).toMatchObject({ code });
  });

  it.each([
    [
      'names of the world as names of its own',
      'const process = (x) => x; const o = { Date: 1, eval: 2 }; return process(o.Date);',
    ],
    ['a question whether there is a clock', 'return { summary: typeof Date };'],
    ['a name that is handed to it, further in', 'for (const log of [1]) { let params = log; }'],
    ['an alias for a name that is no identifier', 'return tools.box.read_all({});'],
    ['a destructured parameter', 'const { fetch, a: [setTimeout = 1] } = params; return fetch + setTimeout;'],
  ])('accepts %s', (_what, code) => {
    expect(check([node({ code })])).toBe('fine');
  });

  it('says why a tool of the server was left out', () => {
    expect(check([node({ code: 'await tools.box.bent({})' })])).toMatchObject({
      code: 'UNKNOWN_TOOL',
      hint: 'The server box: 1 tool left out: bent (its schema is not an object).',
    });
  });

  it.each(['{{a', '{{zz.x}}', '{{a..b}}'])('finds the problem with the answer %s', (answer) => {
    expect(check([node({})], answer)).toMatchObject({ code: 'INVALID_PLAN' });
  });

  it('reports all findings at once, each with its location', () => {
    const found = check(
      [node({ code: '\n  eval("1"); inputs.b;' }), node({ id: 'b', code: 'tools.box.gte()' })],
      '{{zz.x}}',
    );
    if (found === 'fine') throw new Error('nothing found');
    expect(found).toMatchObject({ code: 'FORBIDDEN', node: 'a', line: 2, column: 3 });
    expect(found.problems).toHaveLength(4);
    for (const part of ['eval', 'inputs.b', 'Did you mean tools.box.get?', '{{zz.x}}'])
      expect(found.message).toContain(part);
  });

  it('gives a step only the tools its code names', () => {
    const code = 'return tools.box.get({});';
    const checked = checkPlan(
      { goal: 'g', nodes: [node({ code, tools: ['mcp://box.*'] })], answer: '' },
      listing,
      budgets,
    );
    expect(checked.ok && checked.value.toolsOf.get('a')).toEqual(['mcp://box.get']);
  });

  it('reads deeply nested and long code without a crash', () => {
    const deep = `${'['.repeat(16_000)}${']'.repeat(16_000)}`;
    expect(['SYNTAX_ERROR', undefined]).toContain(readCode(deep, true).forbidden[0]?.code);
    expect(readCode('x'.repeat(40_000), true).forbidden[0]?.code).toBe('FORBIDDEN');
  });

  it('[GRD-code-size] refuses a script that is too long with the same code as for a unit on its own', () => {
    const code = `return { summary: "${'x'.repeat(33_000)}" };`;
    const unit = { engine: 'quickjs', code, params: {}, allowed_tools: [], budgets: {} };
    const alone = readUnit(unit, 'quickjs', budgets.node);
    expect(alone).toMatchObject({ error: { kind: 'CODE', code: 'FORBIDDEN' } });
    if (!alone.ok) expect(check([node({ code })])).toMatchObject({ ...alone.error, node: 'a' });
  });

  it('[PLN-findings] finds problems inside the steps of a plan whose fields are also invalid', () => {
    const found = check([node({ surprise: 1 }), node({ id: 'b', code: 'eval("1"); tools.box.gte({})' })]);
    if (found === 'fine') throw new Error('nothing found');
    for (const part of ['surprise', 'eval', 'tools.box.gte']) expect(found.message).toContain(part);
  });

  it('[PLN-findings] reports cycles, unknown steps and answer problems of a plan whose fields are also invalid', () => {
    const nodes = [
      node({ deps: ['b'], surprise: 1 }),
      node({ id: 'b', deps: ['a', 'zz'] }),
      node({ id: 'behind', deps: ['b'] }),
    ];
    const found = check(nodes, '{{ nowhere }}');
    if (found === 'fine') throw new Error('nothing found');
    for (const part of ['surprise', 'steps a, b depend on each other', '"zz"', '{{nowhere}}'])
      expect(found.message).toContain(part);
    expect(check([node({})], 7)).toMatchObject({
      message: expect.stringContaining('{"llm": true}') as string,
    });
  });

  it('reports only the length of a plan with far too many steps', () => {
    const ring = (steps: number) =>
      Array.from({ length: steps }, (_, at) => node({ id: `n${at}`, deps: [`n${(at + 1) % steps}`] }));
    const cycle = { message: expect.stringContaining('cycle') as string };
    expect(check(ring(64))).toMatchObject(cycle);
    const found = check(ring(65));
    expect(found).toMatchObject({
      code: 'NODE_LIMIT',
      message: expect.stringContaining('65 steps') as string,
    });
    expect(found).not.toMatchObject(cycle);
  });

  it('[PLN-declared] shows each step with exactly the tools that its code can reach', () => {
    const nodes = [
      node({ code: 'return tools.box.get({});', tools: ['mcp://box.get', 'mcp://box.read-all'] }),
    ];
    const checked = checkPlan({ goal: 'g', nodes, answer: '' }, listing, budgets);
    expect(checked.ok && checked.value.plan.nodes[0]?.tools).toEqual(['mcp://box.get']);
    const none = checkPlan(
      { goal: 'g', nodes: [node({ code: 'return tools.box.get({});' })], answer: '' },
      listing,
      budgets,
    );
    expect(none.ok && none.value.plan.nodes[0]?.tools).toEqual(['mcp://box.get']);
  });

  it('[PLN-budgets] refuses a plan that cannot stay within its budgets', () => {
    const calls = (count: number) => 'await tools.box.get({});'.repeat(count);
    expect(check([node({ code: calls(4) })])).toMatchObject({
      kind: 'BUDGET',
      code: 'TOOL_CALLS',
      node: 'a',
    });
    expect(check([node({ code: calls(2), budgets: { tool_calls: 1 } })])).toMatchObject({
      code: 'TOOL_CALLS',
    });
    const three = ['a', 'b'].map((id) => node({ id, code: calls(3) }));
    expect(check(three)).toMatchObject({ kind: 'BUDGET', code: 'TOOL_CALLS' });
    const many = Array.from({ length: 9 }, (_, index) => node({ id: `n${index}` }));
    expect(check([...many, node({ id: 'z', code: 'eval("1")' })])).toMatchObject({
      problems: [{ rule: 'FORBIDDEN' }, { rule: 'NODE_LIMIT' }],
    });
  });

  it('[PLN-names] keeps a tool’s name from the full list when a step declares only some tools', () => {
    const tools = ['mcp://box.read-all', 'mcp://box.read.all'].map(tool);
    const nodes = [node({ code: 'return tools.box.read_all_2({});', tools: ['mcp://box.read.all'] })];
    const both: ToolListing = { tools, servers: [] };
    expect(checkPlan({ goal: 'g', nodes, answer: '' }, both, budgets).ok).toBe(true);
    expect(differingNames(['mcp://box.read-all', 'mcp://box.read.all'], ['mcp://box.read.all'])).toEqual({
      'mcp://box.read.all': 'box.read_all_2',
    });
  });
});
