import { beforeAll, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { Budgets } from '#shared/budgets';
import { usePlainIssues } from '#shared/plain-issues';
import type { ToolListing } from '../tools/call-scope';
import { checkPlan, joinFindings, noEarlierNodes, type EarlierNodes } from './check-plan';
import { readCode } from './check-code';
import { readUnit } from './exec-unit';
import { differingNames } from './script-tools';

beforeAll(usePlainIssues);

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

  it.each([
    ['tools.box.gte({})', 1, 1],
    ['log(1);\n  main(tools.box.gte)', 2, 8],
    ['async ({ tools }) => tools.box.gte({})', 1, 22],
    ['async ({\n  tools,\n}) => {\n  tools.box.gte({}); }', 4, 3],
    ['function main(tools) {\n  log(1); tools.box.gte({}); }', 2, 11],
    ['log(inputs.b)', 1, 5],
    ['log(fs.b)', 1, 5],
    ['eval("1")', 1, 1],
  ])('places a finding in the script as written where a return is added: %s', (code, line, column) => {
    const found = check([node({ code })]);
    expect(found).toMatchObject({ node: 'a', line, column });
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

/** What a model reads about each problem of a plan, with its step. */
function problems(nodes: unknown, answer: unknown = 'x', earlier: Partial<EarlierNodes> = {}) {
  const checked = checkPlan({ goal: 'g', nodes, answer }, listing, budgets, {
    ...noEarlierNodes,
    ...earlier,
  });
  return checked.ok ? [] : checked.error.map((one) => `${one.node ?? 'plan'}: ${one.message}`);
}
const llm = (more: object) => ({ id: 'm', title: 'm', kind: 'llm', prompt: 'p', ...more });
const list = node({ id: 'list', code: 'return { files: [], size: 1 };' });

describe('what a model is told about its plan', () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ['two steps with one id', [node({}), node({})], ['a: two steps have this id.']],
    ['an unknown step', [node({ deps: ['b'] })], ['a: depends on "b", which is not a step of the plan.']],
    [
      'a cycle behind other steps',
      [
        node({ id: 'd' }),
        node({ deps: ['b', 'd'] }),
        node({ id: 'b', deps: ['a'] }),
        node({ id: 'c', deps: ['b'] }),
      ],
      ['plan: The steps a, b depend on each other in a cycle.'],
    ],
    ['a script without code', [{ id: 'a', title: 'a', kind: 'script' }], ['a: a script step needs "code".']],
    ['code of a model step', [llm({ code: 'return 1;' })], ['m: a step of kind llm cannot have "code".']],
    ['a model step without a prompt', [llm({ prompt: undefined })], ['m: an llm step needs a "prompt".']],
    ['tools of a model step', [llm({ tools: ['mcp://box.get'] })], ['m: an llm step cannot have tools.']],
    ['no tools of a model step', [llm({ tools: [] })], []],
    ['parallel without each', [llm({ parallel: 2 })], ['m: "parallel" needs "each".']],
    [
      'each of a script',
      [list, node({ each: 'list.files' })],
      ['a: a step of kind script cannot have "each".'],
    ],
    [
      'each that is no path',
      [list, llm({ each: 'list' })],
      ['m: "each": "list" is not "<step>.<path>" of an array, like "list.files".'],
    ],
    [
      'each of an unknown step',
      [llm({ each: 'list.files' })],
      ['m: depends on "list", which is not a step of the plan.'],
    ],
    [
      'each of a name that the step does not return',
      [node({ id: 'other', code: 'return { rows: [] };' }), list, llm({ each: 'list.rows' })],
      ['m: "each" reads list.rows, but the state of "list" has files, size.'],
    ],
    [
      'each of a step that returns nothing',
      [node({ id: 'list' }), llm({ each: 'list.rows' })],
      ['m: "each" reads list.rows, but the state of "list" has nothing.'],
    ],
    [
      'each of a step that returns what its tools say',
      [node({ id: 'list', code: 'return params.x;' }), llm({ each: 'list.rows' })],
      [],
    ],
    ['each of what it returns', [list, llm({ each: 'list.files' })], []],
    [
      'a cycle by each',
      [node({ id: 'list', deps: ['m'], code: 'return { files: [] };' }), llm({ each: 'list.files' })],
      ['plan: The steps list, m depend on each other in a cycle.'],
    ],
    [
      'each of an earlier run',
      [llm({ each: 'previous.rows' })],
      ['m: "each" reads previous, but this session has no earlier run with results.'],
    ],
    [
      'each of an attachment',
      [llm({ each: 'attached.1' })],
      ['m: "each" reads attached, but nothing is attached to this line.'],
    ],
    ['the name of the earlier run', [node({ id: 'previous' })], ['previous: this id is reserved.']],
    [
      'inputs of the earlier run',
      [node({ code: 'return inputs.previous;' })],
      ['a: reads inputs.previous, but this session has no earlier run with results.'],
    ],
    [
      'inputs of an attachment',
      [node({ code: 'return inputs.attached;' })],
      ['a: reads inputs.attached, but nothing is attached to this line.'],
    ],
    [
      'inputs of another step',
      [node({ code: 'return inputs.list;' }), list],
      ['a: reads inputs.list, but "list" is not in its deps.'],
    ],
    [
      'an undeclared tool',
      [node({ tools: [], code: 'tools.box.get({});' })],
      ['a: uses tools.box.get, which its "tools" do not declare.'],
    ],
    [
      'a server that did not start',
      [node({ code: 'tools.lame.get({});' })],
      ['a: The server lame did not start: exited with 1'],
    ],
    ['an unknown tool', [node({ code: 'tools.box.gte({});' })], ['a: There is no tool tools.box.gte.']],
    ['its own helper', [node({ code: 'return { n: own() }; function own() {}' })], []],
    [
      'a helper of another step',
      [node({ code: 'return { n: own() };' }), node({ id: 'b', code: 'function own() {} return {};' })],
      ['a: uses own, which step "b" defines; steps share no code: repeat it here, or return data.'],
    ],
  ])('for %s', (_what, nodes, told) => {
    expect(problems(nodes)).toEqual(told);
  });

  it.each<[string, Partial<EarlierNodes>, readonly object[], readonly string[]]>([
    [
      'the id of an earlier step',
      { done: new Set(['a']) },
      [node({})],
      ['a: an earlier step of this run has this id; give it another one.'],
    ],
    [
      'the id of an approval',
      { approvals: new Set(['a']) },
      [node({})],
      ['a: an earlier step of this run has this id; give it another one.'],
    ],
    [
      'an earlier step in deps and inputs',
      { done: new Set(['z']) },
      [node({ deps: ['z'], code: 'return inputs.z;' })],
      [],
    ],
    [
      'the earlier run',
      { ofSession: ['previous'] },
      [node({ code: 'return inputs.previous;' }), llm({ each: 'previous.rows' })],
      [],
    ],
    [
      'another input of the session',
      { ofSession: ['attached'] },
      [llm({ each: 'previous.rows' })],
      ['m: "each" reads previous, but this session has no earlier run with results.'],
    ],
    [
      'items of an earlier step',
      { done: new Set(['z']), states: new Map([['z', { rows: [] }]]) },
      [llm({ each: 'z.rows' })],
      [],
    ],
    [
      'items that it has not',
      { done: new Set(['z']), states: new Map([['z', {}]]) },
      [llm({ each: 'z.rows' })],
      ['m: "each" reads z.rows, but the result has no "rows".'],
    ],
    [
      'items of an earlier step whose state is not known',
      { done: new Set(['z']) },
      [llm({ each: 'z.rows' })],
      [],
    ],
  ])('with earlier results, for %s', (_what, earlier, nodes, told) => {
    expect(problems(nodes, 'x', earlier)).toEqual(told);
  });

  it.each<[unknown, unknown, readonly string[]]>([
    ['{{zz.x}}', [node({})], ['plan: The answer refers to {{zz.x}}, which is not the result of a step.']],
    ['{{a.x}} {{z.y}}', [node({})], []],
    ['x', [], ['plan: nodes: A plan has at least one step.']],
    ['x', 'none', ['plan: nodes: must be a list, not a text']],
  ])('for the answer %j and the steps %j', (answer, nodes, told) => {
    expect(problems(nodes, answer, { done: new Set(['z']) })).toEqual(told);
  });

  it.each([null, 'text', [], 7])('for %j, which is no plan', (value) => {
    const checked = checkPlan(value, listing, budgets);
    expect(checked).toMatchObject({
      error: [{ message: 'plan: must be a JSON object with "goal", "nodes" and "answer".' }],
    });
  });

  it('names the field that is wrong, or the plan', () => {
    expect(problems([node({ title: 7 })])[0]).toMatch(/^plan: nodes\.0\.title: /);
    const extra = checkPlan({ goal: 'g', nodes: [node({})], answer: '', more: 1 }, listing, budgets);
    expect(extra).toMatchObject({ error: [{ message: expect.stringMatching(/^plan: /) as string }] });
  });

  it('has the code, the place and what to do next', () => {
    const found = (nodes: readonly object[]) => {
      const checked = checkPlan({ goal: 'g', nodes, answer: '' }, listing, budgets);
      return checked.ok ? [] : checked.error;
    };
    expect(found([node({ code: '\n tools.lame.get({}); return {};' })])).toEqual([
      expect.objectContaining({
        kind: 'TOOL',
        code: 'UNAVAILABLE',
        node: 'a',
        line: 2,
        column: 2,
        tool: 'tools.lame.get',
      }),
    ]);
    expect(found([node({ tools: [], code: '\n tools.box.get({}); return {};' })])).toEqual([
      expect.objectContaining({
        kind: 'CODE',
        code: 'INVALID_PLAN',
        node: 'a',
        line: 2,
        column: 2,
        tool: 'mcp://box.get',
      }),
    ]);
    expect(found([node({ code: '\n inputs.b; own(); return {};' })])).toEqual([
      expect.objectContaining({ kind: 'CODE', code: 'INVALID_PLAN', node: 'a', line: 2, column: 2 }),
      expect.objectContaining({ kind: 'CODE', code: 'INVALID_PLAN', node: 'a', line: 2, column: 12 }),
    ]);
    const calls = node({ code: 'tools.box.get({});'.repeat(6) });
    expect(found([calls])).toEqual([
      expect.objectContaining({
        kind: 'BUDGET',
        message: 'its code has 6 tool calls; the limit for the step is 3.',
        hint: expect.stringContaining('"node": {"tool_calls"') as string,
      }),
      expect.objectContaining({
        kind: 'BUDGET',
        message: "The plan's code has 6 tool calls; the limit for a run is 5.",
        hint: expect.stringContaining('"run": {"tool_calls"') as string,
      }),
    ]);
    const many = Array.from({ length: 9 }, (_, n) => node({ id: `n${n}` }));
    expect(found(many)).toEqual([
      expect.objectContaining({ kind: 'BUDGET', hint: expect.stringContaining('"run": {"nodes"') as string }),
    ]);
  });
});

describe('a plan that may run', () => {
  const checked = (nodes: readonly object[], earlier: Partial<EarlierNodes> = {}) => {
    const plan = checkPlan({ goal: 'g', nodes, answer: '' }, listing, budgets, {
      ...noEarlierNodes,
      ...earlier,
    });
    if (!plan.ok) throw new Error(joinFindings(plan.error).message);
    return plan.value;
  };

  it('has its steps in the order of their dependencies, and in plan order among equals', () => {
    const nodes = [
      node({ id: 'd', deps: ['b', 'z'] }),
      llm({ each: 'b.rows' }),
      node({ id: 'c' }),
      node({ id: 'b', deps: ['c'], code: 'return { rows: [] };' }),
    ];
    const { order, plan } = checked(nodes, { done: new Set(['z']) });
    expect(order.map(({ id }) => id)).toEqual(['c', 'b', 'd', 'm']);
    expect(plan.nodes.map(({ id }) => id)).toEqual(['d', 'm', 'c', 'b']);
    expect(order.at(-1)?.deps).toEqual(['b']);
  });

  it('keeps the code of a script that leaves out its return as it was written', () => {
    expect(checked([node({ code: '({ n: 1 });' })]).order[0]?.code).toBe('({ n: 1 });');
  });

  it('knows which earlier results each step reads', () => {
    const nodes = [
      node({ code: 'return [inputs.z, inputs.previous, inputs.z];' }),
      llm({ each: 'previous.rows' }),
      node({ id: 'b' }),
    ];
    const { readsOf } = checked(nodes, { done: new Set(['z', 'y']), ofSession: ['previous'] });
    expect([...(readsOf ?? [])]).toEqual([
      ['a', ['z', 'previous']],
      ['m', ['previous']],
      ['b', []],
    ]);
    expect(checked(nodes.slice(2))).not.toHaveProperty('readsOf');
  });
});

describe('the findings of a plan as one error', () => {
  const found = (more: object) => appError('CODE', 'FORBIDDEN', 'No.', more);

  it('are the finding itself when there is one', () => {
    const one = found({ node: 'a', line: 1, hint: 'Do.' });
    expect(joinFindings([one])).toBe(one);
  });

  it('name the step, the place and the hint of each', () => {
    const all = [found({ node: 'a', line: 3, column: 4, hint: 'Do.' }), found({ line: 3 }), found({})];
    const lines = ['a: No. (line 3, column 4) Do.', 'No. (line 3)', 'No.'];
    const rule = 'FORBIDDEN';
    expect(joinFindings(all)).toEqual({
      ...found({ node: 'a', line: 3, column: 4 }),
      message: lines.join('\n'),
      problems: [
        { file: 'plan', field: 'nodes.a', rule, reason: lines[0] },
        { file: 'plan', field: 'plan', rule, reason: lines[1] },
        { file: 'plan', field: 'plan', rule, reason: lines[2] },
      ],
    });
  });

  it('list at most twenty', () => {
    const many = joinFindings(Array.from({ length: 30 }, () => found({})));
    expect(many.problems).toHaveLength(20);
    expect(many.message.split('\n')).toHaveLength(20);
  });
});
