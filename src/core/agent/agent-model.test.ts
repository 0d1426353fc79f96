import { describe, expect, it } from 'vitest';
import { createMemoryTexts } from '../../testing/memory-texts';
import { boxHarness, planOf, scriptNode, twoSteps } from '../../testing/agent-plans';

describe('steps that are not scripts', () => {
  it('ask the user, and later steps wait for the approval', async () => {
    const { run, agent, seen } = boxHarness();
    const given = planOf([
      { id: 'ask', title: 'Go on?', kind: 'approval', prompt: 'Really go on?' },
      scriptNode('go', 'return { summary: "went", state: { yes: inputs.ask.approved } };', { deps: ['ask'] }),
    ]);
    const asked = seen('approval-requested');
    const done = run({ provided: { plan: given }, approve: 'ask' });
    const { approvalId, hash, tool } = await asked;
    expect(tool).toBe('request_user_approval');
    agent.answer([{ approvalId, hash, approved: true }]);
    expect((await done).nodes.map(({ status }) => status)).toEqual(['done', 'done']);
    const denied = await boxHarness().run({ provided: { plan: given }, approve: 'none' });
    expect(denied).toMatchObject({ outcome: 'failed', error: { code: 'APPROVAL_DENIED' } });
  });

  const say = (text: string) => [
    { type: 'text' as const, text },
    { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
  ];
  const judge = planOf(
    [
      {
        id: 'judge',
        title: 'Judge',
        kind: 'llm',
        prompt: 'Is it good?',
        outputSchema: { type: 'object', required: ['good'] },
      },
    ],
    'Good: {{judge.good}}',
  );

  it('ask the model without tools and check its reply', async () => {
    const { run, requests } = boxHarness({ replies: [say('```json\n{"good": true}\n```')] });
    const report = await run({ provided: { plan: judge } });
    expect(report).toMatchObject({
      outcome: 'done',
      answer: 'Good: true',
      usage: { modelTurns: 1, inputTokens: 10 },
    });
    expect(requests[0]?.tools).toBeUndefined();
    const wrong = await boxHarness({ replies: [say('{"bad": 1}')] }).run({ provided: { plan: judge } });
    expect(wrong.error).toMatchObject({ kind: 'LLM', code: 'INVALID_REPLY', node: 'judge' });
  });

  it('[AGC-llm] reuse the cached answer to the same question to the same model, unless the run is fresh', async () => {
    const texts = createMemoryTexts();
    const ask = (more: object = {}, replies = [say('{"good": true}')]) => {
      const harness = boxHarness({ texts, replies });
      return harness
        .run({ provided: { plan: judge }, ...more })
        .then((report) => ({ report, asked: harness.requests.length }));
    };
    expect(await ask({}, [say('{"bad": 1}')])).toMatchObject({ report: { outcome: 'failed' }, asked: 1 });
    expect(await ask()).toMatchObject({ report: { nodes: [{ cached: false }] }, asked: 1 });
    const again = await ask();
    expect(again).toMatchObject({ report: { answer: 'Good: true', nodes: [{ cached: true }] }, asked: 0 });
    expect(again.report.usage.modelTurns).toBe(0);
    expect(await ask({ fresh: true })).toMatchObject({ asked: 1 });
    expect(await ask({ model: { providerId: 'local', model: 'other' } })).toMatchObject({ asked: 1 });
  });

  it('never use the offline provider as a model', async () => {
    const model = { providerId: 'offline', model: 'offline' };
    const { run, requests } = boxHarness();
    expect((await run({ model, provided: { plan: judge } })).error).toMatchObject({
      kind: 'LLM',
      code: 'UNAVAILABLE',
    });
    expect(requests).toEqual([]);
  });
});

describe('planning with a model', () => {
  const submit = (value: unknown) => [
    {
      type: 'tool-call' as const,
      call: { id: 'c1', name: 'submit_plan', argumentsJson: JSON.stringify(value) },
    },
    { type: 'end' as const, inputTokens: 100, outputTokens: 50 },
  ];

  it('accepts a plan as a function call and as fenced JSON', async () => {
    const called = boxHarness({ replies: [submit(twoSteps)] });
    expect(await called.run()).toMatchObject({
      outcome: 'done',
      answer: 'The sum is 9.',
      usage: { modelTurns: 1 },
    });
    expect(called.requests[0]?.messages[0]?.content).toContain('\n.get(');
    const text = `Here it is:\n\`\`\`json\n${JSON.stringify(twoSteps)}\n\`\`\``;
    const fenced = [
      { type: 'text' as const, text },
      { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
    ];
    expect(await boxHarness({ replies: [fenced] }).run()).toMatchObject({ outcome: 'done' });
  });

  it('[PLN-scripts-first] tells the model that scripts do the work, and what a model step is for', async () => {
    const { run, requests } = boxHarness({ replies: [submit(twoSteps)] });
    await run();
    const told = requests[0]?.messages[0]?.content ?? '';
    expect(told).toContain('scripts do the work');
    expect(told).toMatch(/llm is one model call .*for what code cannot judge/);
  });

  it('returns all findings once; a second invalid plan ends the run', async () => {
    const bad = planOf([
      scriptNode('a', 'return tools.box.got({ n: Date.now() });'),
      scriptNode('b', 'return (;', {}),
    ]);
    const repaired = boxHarness({ replies: [submit(bad), submit(twoSteps)] });
    expect(await repaired.run()).toMatchObject({ outcome: 'done', usage: { modelTurns: 2 } });
    const findings = repaired.requests[1]?.messages.at(-1)?.content ?? '';
    for (const part of ['Date', 'tools.box.got', 'Did you mean tools.box.get', 'b: '])
      expect(findings).toContain(part);
    const twice = await boxHarness({ replies: [submit(bad), submit(bad)] }).run();
    expect(twice).toMatchObject({ outcome: 'failed', error: { kind: 'CODE' } });
  });

  it('offers only what the manifest allows', async () => {
    const one = boxHarness({ replies: [submit(twoSteps)], capabilities: { allow: ['mcp://box.get'] } });
    await one.run();
    expect(one.requests[0]?.messages[0]?.content).not.toContain('box.put');
  });

  it('can be stopped', async () => {
    const { run, stop, facts } = boxHarness();
    const done = run();
    stop.abort();
    expect(await done).toMatchObject({ outcome: 'cancelled' });
    expect(facts.at(-1)?.type).toBe('run-ended');
  });

  it('says what works without a model when none is connected', async () => {
    const report = await boxHarness().run({ model: { providerId: 'offline', model: 'offline' } });
    expect(report).toMatchObject({ outcome: 'failed', error: { kind: 'LLM', code: 'UNAVAILABLE' } });
  });
});
