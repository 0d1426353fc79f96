import { afterAll, describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { boxHarness, planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createInProcessSandbox } from '../../testing/in-process-sandbox';
import { readCode, withReturn } from './check-code';
import { checkPlan } from './check-plan';
import { defaultBudgets } from '../../testing/agent-harness';

const sandbox = createInProcessSandbox();
afterAll(() => sandbox.close());

const tools = createInMemoryTools({
  'mcp://shop.order': { call: () => ok('{"status":"open","items":[{"name":"cup"},{"name":"pot"}]}') },
  'mcp://shop.note': { call: () => ok('Just words.') },
});
const submit = (value: unknown) => [
  {
    type: 'tool-call' as const,
    call: { id: 'c1', name: 'submit_plan', argumentsJson: JSON.stringify(value) },
  },
  { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
];
/** The run of a plan that a model submits; a second reply means that it was asked to repair the plan. */
const runOf = (plan: object) => {
  const harness = boxHarness({ tools, sandbox, replies: [submit(plan)] });
  return harness.run();
};
const answered = (code: string, answer: string) => runOf({ code, answer });
const findings = (nodes: readonly object[], answer = 'x'): string => {
  const checked = checkPlan(planOf(nodes, answer), { tools: [], servers: [] }, defaultBudgets);
  return checked.ok ? '' : checked.error.map(({ message }) => message).join('\n');
};

describe('common mistakes of models', () => {
  it('[SLIP-json] read members of a result that is JSON text', async () => {
    const code =
      'const o = await tools.shop.order({}); return { summary: o.status, state: { status: o.status, names: o.items.map((i) => i.name) } };';
    expect(await answered(code, '{{work.status}}: {{work.names[1]}}')).toMatchObject({
      outcome: 'done',
      answer: 'open: pot',
      usage: { modelTurns: 1 },
    });
  });

  it.each([
    ['a call at the end', '1:15', 'const o = {}; o.items.map((x) => x)'],
    ['a whole function', '1:36', 'async () => { const o = {}; return o.items.length; }'],
    [
      'a whole function with a parameter',
      '1:42',
      'async (tools) => {  const o = {}; return o.items.length; }',
    ],
    [
      'a function that nothing calls',
      '2:24',
      'async function main() {\n  const o = {}; return o.items.length;\n}',
    ],
  ])('[SLIP-place] fail where the script as written does: %s', async (_name, place, code) => {
    const { nodes } = await runOf({ nodes: [scriptNode('work', code)], answer: 'x' });
    const { line, column } = nodes[0]?.error ?? {};
    expect(`${line}:${column}`).toBe(place);
  });

  it('[SLIP-place] leave the code of the plan as the model wrote it', () => {
    const code = 'async () => ({ count: 3 })';
    const checked = checkPlan(
      planOf([scriptNode('work', code)], 'x'),
      { tools: [], servers: [] },
      defaultBudgets,
    );
    expect(checked.ok && checked.value.plan.nodes[0]?.code).toBe(code);
  });

  it('[SLIP-content] are answered with the hint that a result is not a message of content parts', async () => {
    const code = 'const o = await tools.shop.note({}); return { summary: o.content[0].text };';
    const { nodes } = await runOf({ nodes: [scriptNode('work', code)], answer: 'x' });
    expect(nodes[0]?.error).toMatchObject({
      code: 'RUNTIME_ERROR',
      hint: expect.stringContaining('its text as a string') as string,
    });
  });

  it.each([
    ["return 'text';", '{{work.text}}', 'text'],
    ['return { count: 3 };', '{{work.count}}', '3'],
    ["return { summary: 's', count: 3 };", '{{work.state.count}}', '3'],
    ['async function main() { return { summary: "m", state: { n: 1 } }; } main();', '{{work.n}}', '1'],
    ['async function main() { return { n: 2 }; }', '{{work.n}}', '2'],
    ['async () => { return { n: 3 }; }', '{{work.n}}', '3'],
    [
      'async ({ tools, log }) => { log("x"); return { n: (await tools.shop.order({})).items.length }; }',
      '{{work.n}}',
      '2',
    ],
    ['(async () => ({ n: 5 }))()', '{{work.n}}', '5'],
    ["return { d: new Date('2024-05-01T00:00:00Z').getDay() };", '{{work.d}}', '3'],
    ["console.log('x'); return { n: (1234567.891).toLocaleString('en-US') };", '{{work.n}}', '1,234,567.891'],
    ['return { list: [{ name: "a" }, { name: "b" }] };', '{{work.list[1].name}}', 'b'],
  ])('[SLIP-return] include %s, which works', async (code, answer, text) => {
    expect(await answered(code, answer)).toMatchObject({
      outcome: 'done',
      answer: text,
      usage: { modelTurns: 1 },
    });
  });

  it('[SLIP-inputs] read inputs.a.state.n', async () => {
    const nodes = [
      scriptNode('a', 'return { summary: "a", state: { n: 4 } };'),
      scriptNode('b', 'return { summary: "b", state: { n: inputs.a.state.n } };', { deps: ['a'] }),
    ];
    expect(await runOf({ nodes, answer: '{{b.n}}' })).toMatchObject({ outcome: 'done', answer: '4' });
  });

  it('[SLIP-nodes] give the nodes as a JSON string', async () => {
    const nodes = JSON.stringify([scriptNode('a', 'return { n: 4 };')]);
    expect(await runOf({ nodes, answer: '{{a.n}}' })).toMatchObject({ outcome: 'done', answer: '4' });
  });

  it('[SLIP-fenced] give the plan as fenced JSON', async () => {
    const text = `Here is the plan:\n\`\`\`json\n${JSON.stringify({ code: 'return { n: 4 };', answer: '{{work.n}}' })}\n\`\`\``;
    const reply = [
      { type: 'text' as const, text },
      { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
    ];
    const { run } = boxHarness({ tools, sandbox, replies: [reply] });
    expect(await run()).toMatchObject({ outcome: 'done', answer: '4' });
  });

  it('[SLIP-state] return too much, and the finding names artifacts.write', async () => {
    const code =
      "return { summary: '', state: { rows: Array.from({ length: 9000 }, (_, n) => 'row ' + n) } };";
    const { nodes } = await runOf({ nodes: [scriptNode('work', code)], answer: 'x' });
    expect(nodes[0]?.error).toMatchObject({ code: 'OUTPUT_LIMIT' });
    expect(`${nodes[0]?.error?.message} ${nodes[0]?.error?.hint}`).toContain('artifacts.write(');
  });
});

describe('findings before the run', () => {
  it('[SLIP-helpers] name the step that defines a function of another step', () => {
    const nodes = [
      scriptNode('a', 'const double = (n) => n * 2; return { n: double(2) };'),
      scriptNode('b', 'return { n: double(3) };', { deps: ['a'] }),
    ];
    expect(findings(nodes)).toBe(
      'uses double, which step "a" defines; steps share no code: repeat it here, or return data.',
    );
    expect(findings([scriptNode('a', 'return { n: lodash.sum([1]) };')])).toBe(
      'uses lodash, which is not defined.',
    );
  });

  it('[SLIP-helpers] do not report names that a script has', () => {
    const code = `
      if (typeof window !== 'undefined') log(window);
      label: for (const [k, { v = 1, ...rest }] of Object.entries({})) { if (v) continue label; log(k, rest); }
      class Box { static size = 1; #n = 2; get n() { return this.#n; } }
      const fact = function inner(n) { return n < 2 ? 1 : n * inner(n - 1); };
      function all() { return new.target ?? [...arguments].map((x, i) => x + i); }
      try { all(fact(3)); } catch { log('x'); } finally { console.log(Box.size); }
      const { a: b, ...c } = params; return { b, c, d: new Date(0), e: structuredClone(inputs), f: fmt.bytes(1) };`;
    expect(readCode(code, true)).toMatchObject({ forbidden: [], undefinedNames: [] });
  });

  it.each(['new Date()', 'Date()', 'Date.now()', "Date['now']()", 'new Date'])(
    '[SLIP-clock] refuse %s, planned or not',
    (use) => {
      for (const strict of [true, false])
        expect(readCode(`return { n: ${use} }`, strict).forbidden).toMatchObject([
          { kind: 'CODE', code: 'FORBIDDEN', message: expect.stringContaining('no clock') as string },
        ]);
    },
  );

  it.each([
    "new Date('2024-05-01')",
    'new Date(2024, 1)',
    'Date.UTC(2024)',
    "Date.parse('x')",
    'x instanceof Date',
  ])('[SLIP-dates] accept %s', (use) => {
    expect(readCode(`const x = 1; return { n: ${use} }`, true).forbidden).toEqual([]);
  });

  it.each([
    "(1).toLocaleString('de-DE')",
    '(1).toLocaleString()',
    "new Date(0).toLocaleDateString('en-US')",
    "new Intl.NumberFormat('en').format(1)",
  ])('[SLIP-numbers] refuse %s and name the alternative', (use) => {
    const { forbidden } = readCode(`return { n: ${use} }`, true);
    expect(forbidden).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect(forbidden[0]?.message).toContain('fmt.number(n, digits)');
  });

  it.each(['new URL("x")', 'new TextEncoder()', 'btoa("x")', 'Buffer.from("x")'])(
    '[SLIP-absent] report %s as not offered',
    (use) => {
      expect(readCode(`return { n: ${use} }`, true).forbidden).toMatchObject([
        { code: 'FORBIDDEN', message: expect.stringContaining('not offered') as string },
      ]);
    },
  );

  it.each(['{{a + b}}', '{{#each a.list}}'])(
    '[SLIP-template] refuse %s and show a path as an example',
    (answer) => {
      expect(findings([scriptNode('a', 'return {};')], answer)).toContain(
        'is not a path like {{node.field}}',
      );
    },
  );

  it('[SLIP-return] leave a script with a return, or one that only declares, unchanged', () => {
    for (const code of [
      'const f = () => 1;',
      'return main(); function main() {}',
      'throw new Error("x")',
      'x =',
    ])
      expect(withReturn(code).code).toBe(code);
  });

  it('[SLIP-absent] show how to name a tool that a script reaches by a computed name', () => {
    expect(findings([scriptNode('a', "const s = 'shop'; return await tools[s].order({});")])).toBe(
      'reaches tools by a computed name; write tools.<server>.<tool> in full.',
    );
  });
});
