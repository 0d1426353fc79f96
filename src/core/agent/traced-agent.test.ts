import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
import { boxTools, planOf, scriptNode, twoSteps } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createRunSpans } from '../../main/adapters/telemetry/run-spans';
import { tracedAgent, type TracingDeps } from './traced-agent';

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'patina-traces-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Row {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly start: number;
  readonly end: number;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

const linesOf = (): readonly string[] =>
  readdirSync(join(home, 'traces')).flatMap((file) =>
    readFileSync(join(home, 'traces', file), 'utf8')
      .split('\n')
      .filter(Boolean),
  );
const rows = (): readonly Row[] => linesOf().map((line) => JSON.parse(line) as Row);
const named = (name: string): Row | undefined => rows().find((row) => row.name === name);

const secret = 'sk-live-9f8e7d6c5b4a';
const plain = 'correct horse battery';
const mail = 'ada@example.com';

const submit = (plan: unknown) => [
  {
    type: 'tool-call' as const,
    call: { id: 'plan', name: 'submit_plan', argumentsJson: JSON.stringify(plan) },
  },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];

interface Options {
  readonly oneIn?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly harness?: Partial<Parameters<typeof createAgentHarness>[0]>;
  readonly priceOf?: TracingDeps['priceOf'];
}

function start({ oneIn = 1, env = {}, harness = {}, priceOf }: Options = {}) {
  const made = createAgentHarness({
    tools: createInMemoryTools({
      ...boxTools,
      'mcp://box.leak': {
        call: () => err(appError('TOOL', 'FAILED', `401 for ${secret} of ${mail}: ${plain}`)),
      },
      'mcp://box.tell': { call: () => ok({ key: secret, big: 'x'.repeat(100_000) }) },
    }),
    ...harness,
  });
  const traces = createRunSpans({ home, version: '1.0.0', env });
  const { clock } = made.time;
  const agent = tracedAgent(made.agent, { clock, traces, secrets: () => [plain], oneIn, priceOf });
  const run = (more: Parameters<typeof made.request>[0]) =>
    agent.run(made.request(more), (facts) => made.record(facts), new AbortController().signal);
  return { ...made, run, traces };
}

describe('the trace of a run', () => {
  it('[TEL-span-per-node] [TEL-run-summary] has one span for each node within the span of the run', async () => {
    const { run } = start();
    const report = await run({ provided: { plan: twoSteps } });
    const root = named('run');
    expect(rows().map(({ name }) => name)).toEqual(['node first', 'node second', 'run']);
    expect(
      rows()
        .slice(0, 2)
        .map(({ parentSpanId }) => parentSpanId),
    ).toEqual([root?.spanId, root?.spanId]);
    expect(named('node first')).toMatchObject({
      attributes: {
        'patina.node.status': 'done',
        'patina.node.kind': 'script',
        'patina.tool_calls': 1,
        'gen_ai.usage.input_tokens': 0,
        'patina.cpu_ms': expect.any(Number) as number,
        'patina.mem_mb': expect.any(Number) as number,
      },
      events: [
        { name: 'tool call', attributes: { 'patina.tool': 'mcp://box.get', 'patina.outcome': 'done' } },
      ],
    });
    expect(root).toMatchObject({
      status: { code: 1 },
      attributes: {
        'patina.goal': 'Do it',
        'patina.run.outcome': 'done',
        'patina.plan.hash': report.planHash,
        'patina.summary.hash': report.summaryHash,
        'patina.nodes': 2,
        'patina.tool_calls': 1,
      },
    });
  });

  it('[TEL-attempts] has one span over all attempts of a step, with each failed one', async () => {
    let left = 1;
    const busy = appError('TOOL', 'UNAVAILABLE', 'Busy.', { retryable: true });
    const tools = createInMemoryTools({ 'mcp://box.get': { call: () => (left-- > 0 ? err(busy) : ok(1)) } });
    const { run } = start({ harness: { tools } });
    await run({
      provided: { plan: planOf([scriptNode('a', 'await tools.box.get({}); return { summary: "" };')]) },
    });
    expect(rows().map(({ name }) => name)).toEqual(['node a', 'run']);
    const node = named('node a');
    expect(node?.attributes).toMatchObject({ 'patina.attempts': 2, 'patina.tool_calls': 2 });
    expect(node?.events.map(({ name }) => name)).toEqual(['tool call', 'attempt failed', 'tool call']);
    expect(node?.events[1]?.attributes).toMatchObject({
      'error.type': 'TOOL/UNAVAILABLE',
      'patina.wait_ms': 0,
    });
    expect(named('run')?.attributes).toMatchObject({ 'patina.tool_calls': 2 });
  });

  it('[TEL-model-span] has a span for each model call: its purpose, the model, its tokens and its times', async () => {
    const submit = {
      type: 'tool-call' as const,
      call: {
        id: 'c',
        name: 'submit_plan',
        argumentsJson: JSON.stringify(
          planOf([{ id: 'think', title: 'Think', kind: 'llm', prompt: 'Which colour?' }], { llm: true }),
        ),
      },
    };
    const broken = appError('LLM', 'UNAVAILABLE', 'Broke off.', { retryable: true });
    const words = { type: 'text' as const, text: 'Blue.' };
    const replies = [
      [submit, { type: 'end' as const, inputTokens: 900, outputTokens: 80, cachedTokens: 500 }],
      [words, { type: 'error' as const, error: broken }],
      [words, { type: 'end' as const, inputTokens: 120, outputTokens: 7 }],
      [words, { type: 'end' as const, inputTokens: 200, outputTokens: 9 }],
    ];
    const { run } = start({ harness: { replies } });
    const report = await run({});
    expect(report.outcome).toBe('done');
    const calls = rows().filter(({ name }) => name.startsWith('model '));
    expect(calls.map(({ name }) => name)).toEqual(['model plan', 'model node', 'model node', 'model answer']);
    expect(calls.map(({ parentSpanId }) => parentSpanId)).toEqual(calls.map(() => named('run')?.spanId));
    const times = { 'patina.ms': 0, 'patina.first_token_ms': 0 };
    const local = { 'gen_ai.request.model': 'small', 'gen_ai.provider.name': 'local', ...times };
    expect(calls[0]?.attributes).toMatchObject({
      ...local,
      'patina.part': 'plan',
      'gen_ai.usage.input_tokens': 900,
      'gen_ai.usage.output_tokens': 80,
      'gen_ai.usage.cache_read.input_tokens': 500,
    });
    const failed = { ...local, 'patina.node.id': 'think', 'error.type': 'LLM/UNAVAILABLE' };
    expect(calls[1]?.attributes).toMatchObject({ ...failed, 'patina.usage.estimated': true });
    expect(calls[2]?.attributes).toMatchObject({
      'patina.node.id': 'think',
      'gen_ai.usage.input_tokens': 120,
    });
  });

  it('[TEL-cost] has the cost of a call and of the run if a price is known, otherwise none', async () => {
    const words = { type: 'text' as const, text: 'Blue.' };
    const replies = [
      [words, { type: 'end' as const, inputTokens: 1_000_000, outputTokens: 100_000, cachedTokens: 400_000 }],
    ];
    const plan = planOf([{ id: 'think', title: 'Think', kind: 'llm', prompt: 'Which colour?' }]);
    const budgets = { node: { tokens: 2_000_000 }, run: { tokens: 4_000_000 } };
    const priced = start({
      harness: { replies, budgets },
      priceOf: () => ({ input: 2, cachedInput: 0.5, output: 8 }),
    });
    await priced.run({ provided: { plan } });
    // 0.6 uncached at 2, 0.4 cached at 0.5, 0.1 output at 8.
    expect(named('model node')?.attributes['patina.cost_usd']).toBeCloseTo(1.2 + 0.2 + 0.8);
    expect(named('run')?.attributes['patina.cost_usd']).toBeCloseTo(2.2);
    rmSync(join(home, 'traces'), { recursive: true });
    await start({ harness: { replies, budgets }, priceOf: () => null }).run({ provided: { plan } });
    expect(named('model node')?.attributes).not.toHaveProperty('patina.cost_usd');
    expect(named('run')?.attributes).not.toHaveProperty('patina.cost_usd');
  });

  it('[TEL-span-per-node] counts the tokens of a node that asks a model', async () => {
    const reply = [
      { type: 'text' as const, text: 'Blue.' },
      { type: 'end' as const, inputTokens: 120, outputTokens: 7 },
    ];
    const { run } = start({ harness: { replies: [reply] } });
    const node = { id: 'think', title: 'Think', kind: 'llm', prompt: 'Which colour?' };
    await run({ provided: { plan: planOf([node], '{{think.text}}') } });
    const tokens = { 'gen_ai.usage.input_tokens': 120, 'gen_ai.usage.output_tokens': 7 };
    expect(named('node think')).toMatchObject({ attributes: tokens });
    expect(named('run')).toMatchObject({ attributes: { ...tokens, 'patina.model_turns': 1 } });
  });

  it('[TEL-run-summary] counts replans after failures, and no looks', async () => {
    const missing = scriptNode('work', 'await tools.box.leak({ n: 1 }); return { summary: "" };');
    const other = scriptNode('other', 'return { summary: "found" };');
    const looking = { ...planOf([scriptNode('first', 'return { summary: "seen" };')]), then: 'look' };
    const replies = [submit(looking), submit(planOf([missing])), submit(planOf([other]))];
    const { run } = start({ harness: { replies, budgets: { run: { replans: 1 } } } });
    expect(await run({})).toMatchObject({ outcome: 'done' });
    expect(named('run')?.attributes['patina.replans']).toBe(1);
  });

  it('[TEL-decisions] records the decisions of the gate and the user', async () => {
    const { run } = start({ harness: { capabilities: { allow: ['mcp://box.put'] } } });
    const code = `await tools.box.put({}).catch(() => 0); await tools.box.get({ n: 1 }); return { summary: "" };`;
    await run({ approve: 'none', provided: { plan: planOf([scriptNode('both', code)]) } });
    const values = named('run')?.attributes ?? {};
    expect(values['patina.policy.refused']).toContain('mcp://box.get: capability POLICY/CAPABILITY_DENIED');
    expect(values['patina.approvals.denied']).toBe(1);
  });
});

describe('the stored part of a trace', () => {
  it('[TEL-sampling] is its summary after success, and everything otherwise', async () => {
    const { run } = start({ oneIn: 1_000_000_007 });
    await run({ provided: { plan: twoSteps } });
    expect(rows().map(({ name }) => name)).toEqual(['run']);
    const bad = scriptNode('bad', 'await tools.box.fail({}); return { summary: "" };');
    await run({ provided: { plan: planOf([bad]) } });
    expect(rows().map(({ name }) => name)).toEqual(['run', 'node bad', 'run']);
    expect(named('node bad')).toMatchObject({
      status: { code: 2, message: 'The box is shut.' },
      attributes: { 'error.type': 'TOOL/FAILED' },
    });
  });

  it('[TEL-redaction] contains no secret from the goal, parameters, arguments, results, errors or summaries', async () => {
    const { run } = start();
    const code = `
      const told = await tools.box.tell({ token: params.key, note: "${mail}" });
      log(told.key);
      try { await tools.box.leak({ password: params.key }); }
      finally { return { summary: told.key + told.big, state: { key: told.key } }; }`;
    const quiet = planOf([scriptNode('quiet', code, { params: { key: secret } })], `{{quiet.key}} ${plain}`);
    await run({ goal: `Log in with ${secret} as ${mail} (${plain})`, provided: { plan: quiet } });
    const loud = `await tools.box.leak({ password: params.key }); return { summary: "" };`;
    await run({ provided: { plan: planOf([scriptNode('loud', loud, { params: { key: secret } })]) } });
    const written = linesOf().join('\n');
    expect(written).toContain('node loud');
    for (const canary of [secret, plain, mail]) expect(written).not.toContain(canary);
    // No large content either: a line contains a few numbers.
    expect(Math.max(...linesOf().map(({ length }) => length))).toBeLessThan(4_000);
  });

  it('[TEL-bounded] never exceeds the size limit of its files', async () => {
    const { createTraceFile } = await import('../../main/adapters/telemetry/run-spans');
    const { BasicTracerProvider, SimpleSpanProcessor } = await import('@opentelemetry/sdk-trace-base');
    const exporter = createTraceFile(join(home, 'traces'), { bytesEach: 4_000, files: 3 });
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const tracer = provider.getTracer('test');
    for (let count = 0; count < 200; count += 1) tracer.startSpan(`span ${count}`).end();
    const files = readdirSync(join(home, 'traces'));
    expect([...files].sort()).toEqual(['runs-1.jsonl', 'runs-2.jsonl', 'runs.jsonl']);
    for (const file of files) expect(statSync(join(home, 'traces', file)).size).toBeLessThanOrEqual(4_000);
    expect(readFileSync(join(home, 'traces', 'runs.jsonl'), 'utf8')).toContain('span 199');
  });
});

describe('a trace collector', () => {
  const listen = async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      request.resume();
      response.end('{}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return { asked, url: `http://127.0.0.1:${port}`, close: () => server.close() };
  };

  it('[TEL-otlp] [H69] is contacted only when it is configured', async () => {
    const collector = await listen();
    const silent = start();
    await silent.run({ provided: { plan: twoSteps } });
    await silent.traces.close();
    expect(collector.asked).toEqual([]);
    const telling = start({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    await telling.run({ provided: { plan: twoSteps } });
    await telling.traces.close();
    expect(collector.asked).toEqual(['/v1/traces']);
    collector.close();
  });

  it('[TEL-otlp] that does not answer does not delay any run', async () => {
    const { run, traces } = start({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } });
    expect(await run({ provided: { plan: twoSteps } })).toMatchObject({ outcome: 'done' });
    await traces.close();
    expect(rows()).toHaveLength(3);
  });
});
