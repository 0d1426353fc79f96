import { beforeAll, describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import { ok } from '#shared/result';
import { boxHarness, boxTools, planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools, type InMemoryTool } from '../../testing/in-memory-tools';
import { createMemoryTexts } from '../../testing/memory-texts';
import { usePlainIssues } from '#shared/plain-issues';
import { PlanNode } from '#shared/plan';
import { asMessage } from '../session/prompt';
import type { AgentRequest } from '../ports/agent';
import { submitPlanTool } from './planning-prompt';

beforeAll(usePlainIssues);

const submit = (value: unknown) => [
  {
    type: 'tool-call' as const,
    call: { id: 'c1', name: 'submit_plan', argumentsJson: JSON.stringify(value) },
  },
  { type: 'end' as const, inputTokens: 100, outputTokens: 50 },
];
const search = [
  {
    type: 'tool-call' as const,
    call: { id: 'c0', name: 'find_tools', argumentsJson: '{"queries":["get"]}' },
  },
  { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
];
const short = {
  nodes: [{ id: 'get_it', code: 'return { summary: "s", state: await tools.box.get({ n: 2 }) };' }],
  answer: 'It is {{get_it.value}}.',
};
const failing = (error: AppError) => [{ type: 'error', error } as const];
const say = (text: string) => [
  { type: 'text' as const, text },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const systemOf = (
  requests: readonly { readonly messages: readonly { readonly content: string }[] }[],
  at: number,
) => requests[at]?.messages[0]?.content ?? '';

describe('the planner', () => {
  it('[PLN-one-node] [PLN-short] accepts one simple call as one short node, and fills in the rest', async () => {
    const { run, facts } = boxHarness({ replies: [submit(short)] });
    expect(await run()).toMatchObject({ outcome: 'done', answer: 'It is 4.', usage: { modelTurns: 1 } });
    const made = facts.find((fact) => fact.type === 'plan-made');
    expect(made).toMatchObject({
      source: 'model',
      plan: { goal: 'Do it', nodes: [{ title: 'Get it', kind: 'script', tools: ['mcp://box.get'] }] },
    });
  });

  it('[MCP-not-allowed] says in the prompt and in the error which servers are not allowed, and how to allow them', async () => {
    const none = boxHarness({ capabilities: { allow: [] }, replies: [submit(short), submit(short)] });
    const report = await none.run();
    const words = 'Server "box" is not allowed in this project yet';
    expect(systemOf(none.requests, 0)).toContain(words);
    expect(report.error?.hint).toContain(words);
    expect(report.error?.hint).toContain('patina tools --allow box');
    const some = boxHarness({ replies: [submit(short)] });
    await some.run();
    expect(systemOf(some.requests, 0)).not.toContain('not allowed');
  });

  it('[STG-delay-shown] records why a planning call waits, and for how long', async () => {
    const error = appError('LLM', 'RATE_LIMITED', 'The provider accepts no more requests right now.');
    const { run, facts } = boxHarness({
      replies: [[{ type: 'retrying', inMs: 5_000, error }, ...submit(short)]],
    });
    expect(await run()).toMatchObject({ outcome: 'done' });
    const types = facts.map(({ type }) => type);
    expect(facts.find(({ type }) => type === 'reply-delayed')).toMatchObject({ error, waitMs: 5_000 });
    expect(types.indexOf('reply-delayed')).toBeLessThan(types.indexOf('plan-made'));
  });

  it('[PLN-one-node] accepts a one-script plan as its code alone', async () => {
    const { code } = short.nodes[0] ?? { code: '' };
    const { run, facts } = boxHarness({ replies: [submit({ code, answer: 'It is {{work.value}}.' })] });
    expect(await run()).toMatchObject({ outcome: 'done', answer: 'It is 4.' });
    expect(facts.find((fact) => fact.type === 'plan-made')).toMatchObject({
      plan: { goal: 'Do it', nodes: [{ id: 'work', title: 'Do it', tools: ['mcp://box.get'] }] },
    });
  });

  it('[PLN-repair] [STG-repair] returns the findings once, in the same conversation', async () => {
    const wrong = { ...short, nodes: [{ id: 'get_it', code: 'return tools.box.git({ n: Date.now() });' }] };
    const { run, requests } = boxHarness({ replies: [submit(wrong), submit(short)] });
    const prompt: AgentRequest['prompt'] = (part, { blocks }) =>
      ok(asMessage([{ source: 'host', text: part === 'answer' ? 'ANSWER' : 'PLAN' }, ...blocks]));
    expect(await run({ prompt })).toMatchObject({ outcome: 'done', usage: { modelTurns: 2 } });
    const [first, second] = requests.map(({ messages }) => messages);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.slice(first?.length)).toMatchObject([
      { role: 'assistant', toolCalls: [{ name: 'submit_plan' }] },
      { role: 'tool', content: expect.stringMatching(/Date[\s\S]*Did you mean tools\.box\.get/) as string },
    ]);
    expect(requests[1]?.tools).toEqual(requests[0]?.tools);
  });

  it('[STG-text] uses plain text as the answer of the run: nothing is planned, and nothing runs', async () => {
    const { run, facts, requests } = boxHarness({ replies: [say('It is **4**.')] });
    const report = await run({ sessionId: 's1' });
    expect(report).toMatchObject({ sessionId: 's1', outcome: 'answered', answer: 'It is **4**.', nodes: [] });
    expect(report).not.toHaveProperty('error');
    expect(requests).toHaveLength(1);
    expect(facts.map(({ type }) => type)).not.toContain('plan-made');
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'answered', answer: 'It is **4**.' });
  });

  it.each([
    ['Which file do you mean?', true],
    ['Which one: `a.txt` or `b.txt`?', true],
    ['**Shall I delete it?**', true],
    ['¿Cuál?\n\n```\nls *.txt\n```\n', true],
    ['It is done.', undefined],
    ['Use `a ? b : c`.', undefined],
    ['Run this:\n\n```\nwhat?\n```', undefined],
    ['Is it there? Yes.', undefined],
    ['{"name": "patina", "code": 1}', undefined],
  ])('[STG-asks] recognises whether %j is a question', async (text, asks) => {
    const report = await boxHarness({ replies: [say(text)] }).run();
    expect(report).toMatchObject({ outcome: 'answered', answer: text.trim() });
    expect(report.asks).toBe(asks);
  });

  it('[STG-text] asks once more when a reply was meant as a plan but is not one', async () => {
    const noSteps = boxHarness({ replies: [say('{"nodes": 3, "answer": "x"}'), submit(short)] });
    expect((await noSteps.run()).outcome).toBe('done');
    expect(noSteps.requests[1]?.messages.at(-1)?.content).toContain('nodes: must be a list, not a number');
    const broken = boxHarness({ replies: [say('{"nodes": [{"id":'), submit(short)] });
    expect(await broken.run()).toMatchObject({ outcome: 'done', answer: 'It is 4.' });
    const empty = boxHarness({ replies: [say(' '), say('')] });
    expect(await empty.run()).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_REPLY' } });
  });

  it('[STG-text] asks the same once more when the provider reports a reply that cannot be used', async () => {
    const unusable = () =>
      failing(appError('LLM', 'INVALID_REPLY', 'It sent an empty reply.', { retryable: true }));
    const once = boxHarness({ replies: [unusable(), submit(short)] });
    expect(await once.run()).toMatchObject({ outcome: 'done', answer: 'It is 4.' });
    expect(once.requests[1]?.messages).toEqual(once.requests[0]?.messages);
    const twice = boxHarness({ replies: [unusable(), unusable(), submit(short)] });
    expect(await twice.run()).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_REPLY' } });
    const final = boxHarness({
      replies: [failing(appError('LLM', 'INVALID_REPLY', 'Filtered.')), submit(short)],
    });
    expect(await final.run()).toMatchObject({ outcome: 'failed', error: { message: 'Filtered.' } });
  });

  it.each([
    ['at once', { answer: '4' }],
    ['with an empty list of steps', { nodes: [], answer: '4' }],
  ])('[STG-answer-only] uses a plan with only an answer as its text, %s', async (_, plan) => {
    const { run, requests, facts } = boxHarness({ replies: [submit(plan)] });
    expect(await run()).toMatchObject({ outcome: 'answered', answer: '4', usage: { modelTurns: 1 } });
    expect(requests).toHaveLength(1);
    expect(facts.filter(({ type }) => type === 'plan-made')).toEqual([]);
  });

  it.each([
    ['refers to a result', { answer: 'It is {{work.value}}.' }],
    ['wants its answer worded', { answer: { llm: true } }],
    ['wants to look at nothing', { answer: '4', then: 'look' }],
  ])(
    '[STG-answer-only] tells the model of a plan without steps that %s to answer in text',
    async (_, plan) => {
      const { run, requests } = boxHarness({ replies: [submit(plan), say('It is 4.')] });
      expect(await run()).toMatchObject({ outcome: 'answered', answer: 'It is 4.' });
      expect(requests[1]?.messages.at(-1)?.content).toContain('answer in text instead');
    },
  );

  const broken = '{"nodes": [{"id": "a", "code": "return { summary: 1 };",}], "answer": "x",}';
  it.each([
    ['alone', broken],
    ['in a code block after words', `Here is the plan:\n\`\`\`json\n${broken}\n\`\`\``],
  ])(
    '[PLN-repair] has a plan whose JSON is broken corrected instead of showing it as an answer: %s',
    async (_, text) => {
      const { run, requests } = boxHarness({ replies: [say(text), submit(short)] });
      expect(await run()).toMatchObject({ outcome: 'done', answer: 'It is 4.' });
      expect(requests[1]?.messages.at(-1)?.content).toContain('its JSON is not valid');
    },
  );

  it('[STG-text] finds the plan after words with braces', async () => {
    const text = `I fill in {n} first. ${JSON.stringify(short)}`;
    expect(await boxHarness({ replies: [say(text)] }).run()).toMatchObject({ outcome: 'done' });
  });

  it.each(['Which one?', '哪一个？', 'أي ملف تريد؟', '**Which one?**'])(
    '[STG-asks] recognizes a question in any script: %s',
    async (text) => {
      expect(await boxHarness({ replies: [say(text)] }).run()).toMatchObject({ asks: true });
    },
  );

  it('[PLN-search] answers a search for tools itself and continues with the plan', async () => {
    const extra = Array.from({ length: 80 }, (_, n): [string, InMemoryTool] => [
      `mcp://other.thing_${n}`,
      {
        call: () => ok('x'),
        description: `Does a thing that takes long to explain ${'and longer '.repeat(12)}.`,
      },
    ]);
    const tools = createInMemoryTools({ ...boxTools, ...Object.fromEntries(extra) });
    const { run, requests } = boxHarness({ tools, replies: [search, submit(short)] });
    expect(await run()).toMatchObject({ outcome: 'done', usage: { modelTurns: 2 } });
    expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(['submit_plan', 'find_tools', 'read_result']);
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool' });
    expect(requests[1]?.messages.at(-1)?.content).toContain('tools.box.get(');
  });

  it('[PLN-earlier] [STG-source] offers the plan of an earlier run of the same goal, tools and inputs', async () => {
    const texts = createMemoryTexts();
    await boxHarness({ texts, replies: [submit(short)] }).run();
    const again = boxHarness({ texts });
    expect(await again.run()).toMatchObject({
      outcome: 'done',
      answer: 'It is 4.',
      source: 'earlier',
      usage: { modelTurns: 0 },
    });
    expect(again.facts.find((fact) => fact.type === 'plan-made')).toMatchObject({ source: 'earlier' });
    const other = boxHarness({ texts, replies: [submit(short)] });
    expect(await other.run({ goal: 'Do it differently' })).toMatchObject({ usage: { modelTurns: 1 } });
    const focus = boxHarness({ texts, replies: [submit(short)] });
    const planningText = () => 'Focus: another';
    expect(await focus.run({ planningText })).toMatchObject({ usage: { modelTurns: 1 } });
    const fewer = boxHarness({ texts, replies: [submit(short)], capabilities: { allow: ['mcp://box.get'] } });
    expect(await fewer.run()).toMatchObject({ usage: { modelTurns: 1 } });
  });

  it('[PLN-earlier] ignores earlier plans on request, and stores no plan whose run failed', async () => {
    const texts = createMemoryTexts();
    const failing = { ...short, nodes: [{ id: 'get_it', code: 'return await tools.box.fail({});' }] };
    expect(await boxHarness({ texts, replies: [submit(failing)] }).run()).toMatchObject({
      outcome: 'failed',
    });
    expect(await boxHarness({ texts, replies: [submit(short)] }).run()).toMatchObject({
      outcome: 'done',
      usage: { modelTurns: 1 },
    });
    const replanned = boxHarness({
      texts,
      replies: [submit({ ...short, answer: 'Anew: {{get_it.value}}' })],
    });
    expect(await replanned.run({ planAnew: true })).toMatchObject({
      answer: 'Anew: 4',
      source: 'model',
      usage: { modelTurns: 1 },
    });
  });

  it('[PLN-observed] learns the type of a result and includes it in the next planning call', async () => {
    const texts = createMemoryTexts();
    const first = boxHarness({ texts, replies: [submit(short)] });
    await first.run();
    expect(systemOf(first.requests, 0)).toContain('\n.get(Record<string, unknown>): json');
    const second = boxHarness({ texts, replies: [submit(short)] });
    await second.run({ goal: 'Another goal' });
    expect(systemOf(second.requests, 0)).toContain('{ value# } /* json, observed */');
  });

  it('[PLN-short] describes to the model no field that a plan does not have', () => {
    const nodes = submitPlanTool.parameters['properties'] as {
      readonly nodes: { readonly items: { readonly properties: object } };
    };
    for (const name of Object.keys(nodes.nodes.items.properties))
      expect(Object.keys(PlanNode.shape)).toContain(name);
  });

  it('[DCL-json] parses JSON text for a planned script, and leaves it as text for an older script', async () => {
    const told = createInMemoryTools({ 'mcp://shop.order': { call: () => ok('{"id":"A","n":2}') } });
    const code =
      'const o = await tools.shop.order({}); return { summary: "read", state: { kind: typeof o, id: o.id ?? null } };';
    const answer = '{{work.kind}} {{work.id}}';
    const planned = boxHarness({ tools: told, replies: [submit({ code, answer })] });
    expect(await planned.run()).toMatchObject({ answer: 'object A' });
    const given = async (plan: object) =>
      (await boxHarness({ tools: told }).run({ provided: { plan } })).answer;
    expect(await given(planOf([scriptNode('work', code)], answer))).toBe('string none');
    expect(await given({ ...planOf([scriptNode('work', code)], answer), api: 1 })).toBe('string none');
    expect(await given({ ...planOf([scriptNode('work', code)], answer), api: 2 })).toBe('object A');
    const texts = createMemoryTexts();
    await boxHarness({ tools: told, texts, replies: [submit({ code, answer })] }).run();
    const next = boxHarness({ tools: told, texts, replies: [say('Fine.')] });
    await next.run({ goal: 'Another goal' });
    expect(systemOf(next.requests, 0)).toContain('{ id, n# } /* json, observed */');
  });

  const calls = (name: string, argumentsJson = '{}') => [
    { type: 'tool-call' as const, call: { id: 'c0', name, argumentsJson } },
    { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
  ];
  const lastOf = ({ requests }: ReturnType<typeof boxHarness>) => requests.at(-1)?.messages.at(-1);

  it('passes on what the model thinks, piece by piece with its place', async () => {
    const thinks = ['Let me ', 'see.'].map((text) => ({ type: 'thinking' as const, text }));
    const thoughts: [number, string][] = [];
    const { run } = boxHarness({ replies: [[...thinks, ...submit(short)]] });
    await run({ onThought: (offset, text) => void thoughts.push([offset, text]) });
    expect(thoughts.map(([, text]) => text).join('')).toBe('Let me see.');
    expect(thoughts.at(-1)).toEqual([7, 'see.']);
    expect((await boxHarness({ replies: [[...thinks, ...submit(short)]] }).run()).outcome).toBe('done');
  });

  it('offers the built-in tools, answers a call of one, and of no other function', async () => {
    const tool = { name: 'agent_set_focus', description: '', parameters: {} };
    const called: string[] = [];
    const builtInTools = {
      tools: [{ ...tool, name: 'other' }, tool],
      call: ({ name }: { readonly name: string }) => (called.push(name), Promise.resolve('It is set.')),
    };
    const known = boxHarness({ replies: [calls(tool.name), submit(short)] });
    expect((await known.run({ builtInTools })).outcome).toBe('done');
    expect(known.requests[0]?.tools?.map(({ name }) => name)).toContain(tool.name);
    expect(lastOf(known)).toMatchObject({ role: 'tool', toolCallId: 'c0', content: 'It is set.' });
    expect(called).toEqual([tool.name]);
    const none = {
      content:
        'There is no such function. A tool is called in the code of a plan: call submit_plan, or answer in words.',
    };
    for (const more of [{ builtInTools }, {}]) {
      const unknown = boxHarness({ replies: [calls('box_get'), submit(short)] });
      expect((await unknown.run(more)).outcome).toBe('done');
      expect(lastOf(unknown)).toMatchObject(none);
    }
    expect(called).toHaveLength(1);
  });

  it('does not ask for another mode where nobody is there to confirm it', async () => {
    const name = 'agent_change_mode';
    const builtInTools = {
      tools: [{ name, description: '', parameters: {} }],
      call: () => Promise.resolve('Changed.'),
    };
    const alone = boxHarness({ replies: [calls(name), submit(short)] });
    await alone.run({ builtInTools, review: 'none' });
    expect(lastOf(alone)?.content).toBe(
      '{"success":false,"error":"The mode was not changed: nobody is here to confirm it. Continue in this mode."}',
    );
    const attended = boxHarness({ replies: [calls(name), submit(short)] });
    await attended.run({ builtInTools });
    expect(lastOf(attended)?.content).toBe('Changed.');
  });

  it('runs one plan of a reply, and says so of the others', async () => {
    const second = {
      type: 'tool-call' as const,
      call: { id: 'c9', name: 'submit_plan', argumentsJson: '{}' },
    };
    const wrong = submit({ ...short, answer: 'It is {{nothing.value}}.' });
    const both = [...wrong.slice(0, 1), second, ...wrong.slice(1)];
    const harness = boxHarness({ replies: [both, submit(short)] });
    expect((await harness.run()).outcome).toBe('done');
    expect(harness.requests[1]?.messages).toContainEqual({
      ...{ role: 'tool', toolCallId: 'c9', content: 'Only one plan at a time.' },
    });
  });

  it('[STG-reads] answers eight reads of results before a plan', async () => {
    const reads = Array.from({ length: 9 }, (_, at) => ({
      type: 'tool-call' as const,
      call: { id: `r${at}`, name: 'read_result', argumentsJson: '{"id":"x"}' },
    }));
    const end = search.slice(1);
    const { run, requests } = boxHarness({ replies: [[...reads, ...end], submit(short)] });
    expect((await run()).outcome).toBe('done');
    const answers = requests.at(-1)?.messages.slice(-9) ?? [];
    expect(answers.slice(0, 8).filter(({ content }) => content.includes('NOT_FOUND'))).toHaveLength(8);
    expect(answers[8]?.content).toBe('Only 8 parts of results can be read before the next stage.');
  });

  it('gives up on a model that only calls functions', async () => {
    const { run } = boxHarness({ replies: Array.from({ length: 40 }, () => search) });
    expect(await run()).toMatchObject({
      error: {
        ...{ kind: 'LLM', code: 'INVALID_REPLY', retryable: true },
        message: 'The model kept calling tools and returned no plan.',
        hint: 'Send the goal again, or choose a model that is better at planning.',
      },
    });
  });

  it('says offline how to go on, with the examples of recipes if there are any', async () => {
    const model = { providerId: 'offline', model: 'offline' };
    const recipe = {
      ...{ id: 'count', title: 'Count', example: 'count it', intentPatterns: ['count it'], params: [] },
      plan: planOf([scriptNode('a', 'return { summary: "" };')]),
    };
    const { example: _example, ...plain } = recipe;
    const hintOf = async (recipes: readonly (typeof plain)[]) =>
      (await boxHarness({ recipes }).run({ model })).error?.hint;
    expect(await hintOf([recipe, plain])).toBe('Connect a model in the model picker, or try “count it”.');
    expect(await hintOf([plain])).toBe('Connect a model in the model picker.');
  });
});
