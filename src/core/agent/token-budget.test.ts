import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelEvent } from '../ports/llm';
import { boxHarness, planOf, scriptNode } from '../../testing/agent-plans';
import { startMain, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { calls } from '../../testing/workflow-harness';

const say = (text: string, inputTokens: number, outputTokens: number): readonly ModelEvent[] => [
  { type: 'text', text },
  { type: 'end', inputTokens, outputTokens },
];
const step = (more: object = {}) => ({ id: 'a', title: 'Say', kind: 'llm', prompt: 'Say hello.', ...more });
const given = (more: object = {}, answer: unknown = '{{a.text}}') => ({ plan: planOf([step(more)], answer) });
const overLimit = { kind: 'BUDGET', code: 'TOKEN_LIMIT' };

describe('the tokens of a step', () => {
  it('[BUD-node-tokens] are those that its call reads and writes; exceeding the limit is its error', async () => {
    const { run } = boxHarness({ replies: [say('hello', 190, 20)] });
    const { nodes, usage } = await run({ provided: given({ budgets: { tokens: 200 } }) });
    expect(nodes[0]?.error).toMatchObject({ ...overLimit, node: 'a' });
    expect(nodes[0]?.error?.message).toBe(
      'The step used 210 model tokens (input and output); its limit is 200.',
    );
    expect(nodes[0]?.error?.hint).toContain('"node": {"tokens": …} in .patina/budgets.json');
    expect(usage).toEqual({ modelTurns: 1, inputTokens: 190, outputTokens: 20 });
  });

  it('[BUD-node-tokens] keep an input from being sent that leaves no room for a reply', async () => {
    const { run, requests } = boxHarness({ replies: [say('hello', 1, 1)] });
    const { error } = await run({
      provided: given({ prompt: 'word '.repeat(2_000), budgets: { tokens: 50 } }),
    });
    expect(error).toMatchObject(overLimit);
    expect(error?.message).toMatch(/^The step's input alone is about \d+ model tokens; its limit is 50/);
    expect(requests).toEqual([]);
  });

  it('[BUD-node-tokens] add up over both attempts of a step', async () => {
    const broken: readonly ModelEvent[] = [
      {
        type: 'error',
        error: { kind: 'LLM', code: 'UNAVAILABLE', message: 'Broke off.', retryable: true },
        usage: { inputTokens: 120, outputTokens: 30 },
      },
    ];
    const { run, requests } = boxHarness({ replies: [broken, say('hello', 120, 5)] });
    const { error, usage } = await run({ provided: given({ budgets: { tokens: 200 } }) });
    expect(requests).toHaveLength(2);
    expect(error?.message).toBe('The step used 275 model tokens (input and output); its limit is 200.');
    expect(usage).toEqual({ modelTurns: 2, inputTokens: 240, outputTokens: 35 });
  });
});

describe('the tokens of a run', () => {
  it('[BUD-run-tokens] [STG-continue] limit its steps: tokens used by one are not left for the next', async () => {
    const { run } = boxHarness({
      budgets: { run: { tokens: 600 } },
      replies: [say('hello', 580, 20), say('again', 1, 1)],
    });
    const plan = planOf([step(), step({ id: 'b', deps: ['a'] })], '{{b.text}}');
    const report = await run({ provided: { plan } });
    expect(report).toMatchObject({
      outcome: 'partial',
      ranOut: 'tokens',
      nodes: [{ status: 'done' }, { error: overLimit }],
    });
    expect(report.error?.message).toContain('The run has used 600 of its 600 model tokens');
    expect(report.error?.hint).toContain('"run": {"tokens": …} in .patina/budgets.json');
  });

  it('[BUD-run-tokens] limit the planning call and the answer call too', async () => {
    const small = { run: { tokens: 3_000 } };
    const plan = planOf([scriptNode('s', 'return { summary: "ok" };')], { llm: true });
    const submitted = (inputTokens: number): readonly ModelEvent[] => [
      { type: 'tool-call', call: { id: 'c', name: 'submit_plan', argumentsJson: JSON.stringify(plan) } },
      { type: 'end', inputTokens, outputTokens: 100 },
    ];
    const planned = boxHarness({ budgets: small, replies: [submitted(2_900)] });
    const unanswered = { outcome: 'partial', error: overLimit, ranOut: 'tokens' };
    expect(await planned.run()).toMatchObject(unanswered);
    expect(planned.requests).toHaveLength(1);
    expect(planned.requests[0]?.maxOutputTokens).toBeLessThan(3_000);
    const answered = boxHarness({
      budgets: small,
      replies: [submitted(1_000), say('All is well.', 100, 10)],
    });
    expect(await answered.run()).toMatchObject({ outcome: 'done', answer: 'All is well.' });
    expect(answered.requests[1]?.maxOutputTokens).toBeLessThan(1_900);
    const wordy = boxHarness({
      budgets: small,
      replies: [submitted(1_000), say('word '.repeat(9_000), 100, 10)],
    });
    expect(await wordy.run()).toMatchObject(unanswered);
  });

  it('[BUD-run-tokens] are not sent as a limit that no server would accept', async () => {
    const { run, requests } = boxHarness({
      budgets: { run: { tokens: 200_000 } },
      replies: [say('hello', 1, 1)],
    });
    await run({ provided: { plan: planOf([scriptNode('s', 'return { summary: "ok" };')], { llm: true }) } });
    expect(requests[0]).not.toHaveProperty('maxOutputTokens');
  });
});

describe('over HTTP', () => {
  let folder: string;
  const inFolder = (name: string): string => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'patina-tokens-'));
    for (const name of ['home', 'project/.patina']) mkdirSync(inFolder(name), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function during<T>(
    replies: MainHarnessOptions['replies'] & object,
    use: (harness: Awaited<ReturnType<typeof startMain>>) => Promise<T>,
  ): Promise<T> {
    const harness = await startMain({ replies, at: inFolder('home'), project: inFolder('project') });
    try {
      return await use(harness);
    } finally {
      await harness.close();
    }
  }
  const submitted = (node: object) => ({
    ...calls('submit_plan', planOf([node], '{{a.text}}')),
    usage: { inputTokens: 100, outputTokens: 10 },
  });
  const usage = { inputTokens: 40, outputTokens: 5 };

  it('[BUD-node-tokens] [USE-failed] a reply cut at the requested limit is the step’s error, and its tokens count', async () => {
    const cut = { text: 'hello to', finishReason: 'length', usage: { inputTokens: 40, outputTokens: 1_800 } };
    const short = { text: 'hello to', finishReason: 'length', usage };
    await during(
      [submitted(step({ budgets: { tokens: 2_000 } })), cut, short],
      async ({ say: line, model }) => {
        const { run } = await line('say hello in a short step', { runMode: 'agent' });
        expect(run?.error).toMatchObject({ ...overLimit, node: 'a' });
        // The plan, the step, and the re-planning call, which is cut off as well.
        expect(run?.usage).toEqual({ modelTurns: 3, inputTokens: 180, outputTokens: 1_815 });
        expect(Number(model.chats()[1]?.json?.['max_tokens'])).toBeLessThan(2_000);
      },
    );
  }, 60_000);

  it('[BUD-node-tokens] a reply that the model cuts at its own limit does not exceed the step’s', async () => {
    const short = { text: 'hello to', finishReason: 'length', usage };
    await during([submitted(step({ budgets: { tokens: 2_000 } })), short, short], async ({ say: line }) => {
      const { run } = await line('say hello to a model with little room', { runMode: 'agent' });
      expect(run?.nodes[0]?.error).toMatchObject({ kind: 'LLM', code: 'CONTEXT_LIMIT', node: 'a' });
    });
  }, 60_000);

  it('[USE-failed] a reply that is cut off counts what was sent and received, marked as estimated', async () => {
    const broken = { text: 'hello to all of you', fault: { type: 'drop' as const, after: 3 } };
    await during([submitted(step()), broken, broken], async ({ say: line }) => {
      const { run } = await line('say hello to all', { runMode: 'agent' });
      expect(run).toMatchObject({ status: 'failed', usage: { modelTurns: 3, estimated: true } });
      expect(run?.usage?.inputTokens).toBeGreaterThan(100 + 2 * 20);
      expect(run?.usage?.outputTokens).toBeGreaterThan(10);
    });
  }, 60_000);

  it('[USE-failed] a cancelled call counts what was sent and received until then', async () => {
    const endless = { fault: { type: 'endless-text' as const } };
    await during([submitted(step({ budgets: { tokens: 16_000 } })), endless], async (harness) => {
      const line = await harness.send('say hello without end', { runMode: 'agent' });
      await harness.model.chat(1);
      harness.app.conversation.stop(harness.sessionId, line.turn);
      await line.done;
      const { run } = harness.turn(line.turn);
      expect(run?.usage).toMatchObject({ modelTurns: 2, estimated: true });
      expect(run?.usage?.inputTokens).toBeGreaterThan(100);
    });
  }, 60_000);

  it('[RUN-one-model] a run keeps the model it began with', async () => {
    let change = (): void => undefined;
    const planned = { ...submitted(step()), match: () => (change(), true), times: 1 };
    await during([planned, { text: 'hello', usage }], async ({ say: line, model, app }) => {
      change = () => void app.settings.patch({ model: { providerId: 'environment', model: 'other' } });
      expect((await line('say hello with one model', { runMode: 'agent' })).run?.status).toBe('done');
      expect(model.chats().map(({ json }) => json?.['model'])).toEqual(['m', 'm']);
      expect(await app.chosenModel()).toMatchObject({ model: 'other' });
    });
  }, 60_000);

  it('[USE-failed] a request that reached no model costs nothing', async () => {
    const refused = { fault: { type: 'status' as const, status: 401, message: 'No.' } };
    await during([submitted(step()), refused], async ({ say: line }) => {
      const { run } = await line('say hello with the wrong key', { runMode: 'agent' });
      expect(run?.usage).toEqual({ modelTurns: 1, inputTokens: 100, outputTokens: 10 });
    });
  }, 60_000);

  it('[TEL-ask-call] [USE-failed] in Ask, a reply that is cut short is counted too', async () => {
    const cut = { text: 'hello to', finishReason: 'length', usage };
    const broken = { text: 'hello to all of you', fault: { type: 'drop' as const, after: 3 } };
    await during([cut, broken], async ({ say: line, app, sessionId }) => {
      expect((await line('hello')).reply).toMatchObject({
        status: 'failed',
        usage: { modelTurns: 1, ...usage },
      });
      const { reply } = await line('hello again');
      expect(reply).toMatchObject({ status: 'failed', usage: { modelTurns: 1, estimated: true } });
      expect(reply?.usage?.outputTokens).toBeGreaterThan(0);
      const called = must(app.log.events(sessionId)).filter(({ type }) => type === 'model-called');
      const call = { part: 'reply', model: { model: 'm' }, ms: expect.any(Number) as number };
      expect(called).toMatchObject([
        { ...call, usage, failure: 'LLM/CONTEXT_LIMIT' },
        { ...call, usage: { estimated: true }, failure: 'LLM/UNAVAILABLE' },
      ]);
    });
  }, 60_000);

  it('[TEL-ask-span] each model call in Ask is a span with tokens, times and cost, and none of the conversation', async () => {
    const prices = { m: { input: 1, output: 2 } };
    const counted = {
      text: 'The secret word is marzipan.',
      usage: { inputTokens: 1_000_000, outputTokens: 500_000 },
    };
    const refused = { fault: { type: 'status' as const, status: 401, message: 'No.' } };
    const busy = {
      fault: { type: 'status' as const, status: 503, message: 'Busy.', headers: { 'retry-after': '0' } },
    };
    const lister = calls('agent_list_modes', {});
    await during([lister, busy, counted, refused], async ({ say: line, app, model }) => {
      const provider = { id: 'acme', name: 'Acme', baseUrl: model.baseUrl, prices };
      must(app.providers.save({ provider, key: 'k' }));
      must(app.settings.patch({ model: { providerId: 'acme', model: 'm' } }));
      await line('hello, my secret word is marzipan');
      expect((await line('hello again')).reply?.status).toBe('failed');
    });
    const spans = readFileSync(inFolder('home/traces/runs.jsonl'), 'utf8').trim().split('\n');
    const rows = spans.map((row) => JSON.parse(row) as { attributes: Record<string, unknown> });
    expect(rows).toMatchObject([
      { name: 'model reply', attributes: { 'patina.turn': 0 } },
      {
        name: 'model reply',
        attributes: {
          'patina.part': 'reply',
          'gen_ai.request.model': 'm',
          'gen_ai.usage.input_tokens': 1_000_000,
          'gen_ai.usage.output_tokens': 500_000,
          'patina.cost_usd': expect.closeTo(2) as number,
          'patina.ms': expect.any(Number) as number,
          'patina.first_token_ms': expect.any(Number) as number,
          'patina.attempts': 2,
        },
        events: [{ name: 'attempt failed', attributes: { 'error.type': 'LLM/UNAVAILABLE' } }],
      },
      { attributes: { 'patina.turn': 1, 'error.type': expect.stringMatching(/^LLM\//) as string } },
    ]);
    expect(spans.join()).not.toContain('marzipan');
  }, 60_000);

  it('[BUD-named] a budget error of a script names the budget, its limit, the file and the field', async () => {
    writeFileSync(inFolder('project/.patina/budgets.json'), JSON.stringify({ node: { mem_mb: 16 } }));
    const code = 'const kept = []; for (;;) kept.push("x".repeat(1000) + kept.length);';
    const planned = calls('submit_plan', planOf([scriptNode('a', code)]));
    await during([planned, { text: 'no other plan' }], async ({ say: line }) => {
      const { run } = await line('fill the memory', { runMode: 'agent' });
      expect(run?.error).toMatchObject({ kind: 'BUDGET', code: 'MEMORY_LIMIT' });
      expect(run?.error?.hint).toContain(
        'The step may use mem_mb: 16. To allow more, set "node": {"mem_mb": …} in .patina/budgets.json (at most 256).',
      );
    });
  }, 60_000);
});
