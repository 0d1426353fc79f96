import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createInProcessSandbox } from '../../testing/in-process-sandbox';
import { createArtifactFolder } from '../../main/adapters/artifacts/artifact-folder';
import { readArtifact } from '../../main/artifacts/read-artifact';

let folder = '';
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'patina-kept-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function harness(more: Partial<AgentHarnessOptions> = {}) {
  const artifacts = createArtifactFolder(path.join(folder, 'artifacts'));
  const tools = createInMemoryTools({
    'mcp://net.get': { trusted: false, call: () => ok('a page') },
    'mcp://box.put': { readOnly: false, call: () => ok('stored') },
  });
  const sandbox = createInProcessSandbox({ artifacts });
  return { ...createAgentHarness({ artifacts, tools, sandbox, ...more }), artifacts };
}

const list =
  'return { summary: "listed", state: { rows: Array.from({ length: 150 }, (_, i) => ({ path: "src/" + i, size: i })) } };';

describe('a result too large for its envelope', () => {
  it('[AGL-whole] [AGL-limit] a model that writes the answer reads a long summary in full, or is not asked', async () => {
    const summary = `${'A long summary. '.repeat(400)}And its end.`;
    const long = scriptNode('read', 'return { summary: params.summary, state: {} };', {
      params: { summary },
    });
    const plan = planOf([long], { llm: true });
    const said = [
      { type: 'text' as const, text: 'The answer.' },
      { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
    ];
    const whole = harness({ replies: [said], budgets: { run: { tokens: 90_000 } } });
    const report = await whole.run({ provided: { plan } });
    expect(report).toMatchObject({
      outcome: 'done',
      answer: 'The answer.',
      artifacts: [{ name: 'summary.json' }],
    });
    expect(report.nodes[0]?.summary).toBe(`${summary.slice(0, 400)}…`);
    expect(whole.requests[0]?.messages.at(-1)?.content).toContain(JSON.stringify(summary));
    const small = harness({ budgets: { run: { tokens: 1_000 } } });
    const ended = await small.run({ provided: { plan } });
    expect(ended.error).toMatchObject({ kind: 'BUDGET', code: 'TOKEN_LIMIT' });
    expect(small.requests).toEqual([]);
  });

  it('[ART-whole] reaches the next script, a model step and the answer in full, and its record stays small', async () => {
    const plan = planOf(
      [
        scriptNode('list', list),
        scriptNode('add', 'return { summary: "added", state: { n: inputs.list.rows.at(-1).size } };', {
          deps: ['list'],
        }),
        { id: 'say', title: 'Say', kind: 'llm', prompt: 'Say it', deps: ['list'] },
      ],
      'Last: {{add.n}}\n\n{{list.rows}}',
    );
    const said = [
      { type: 'text' as const, text: 'said' },
      { type: 'end' as const, inputTokens: 1, outputTokens: 1 },
    ];
    const { run, facts, requests, artifacts } = harness({
      replies: [said],
      budgets: { node: { tokens: 16_000 } },
    });
    const report = await run({ provided: { plan } });
    expect(report).toMatchObject({ outcome: 'done', artifacts: [{ name: 'rows.json' }] });
    expect(report.answer).toContain('Last: 149');
    expect(report.answer).toContain('src/100');
    const ended = facts.find((fact) => fact.type === 'node-ended' && fact.nodeId === 'list');
    expect(JSON.stringify(ended).length).toBeLessThan(1_500);
    const asked = requests[0]?.messages.at(-1)?.content ?? '';
    expect(asked).not.toContain('artifact://sha256/');
    expect(asked).toContain('src/100');
    const { handle } = report.artifacts[0] ?? { handle: '' };
    expect(readArtifact(artifacts, handle, { grep: 'src/100' })).toMatchObject({
      ok: true,
      value: { lines: 1, cut: false },
    });
    const again = await harness().run({ provided: { plan: planOf([scriptNode('list', list)]) } });
    expect(again.artifacts).toEqual(report.artifacts);
  });

  it('[ART-label] carries its origins to every reader, also in a later run', async () => {
    const keep = planOf([
      scriptNode(
        'keep',
        'return { summary: "kept", artifacts: [await artifacts.write("page", await tools.net.get({}))] };',
      ),
    ]);
    const kept = await harness().run({ provided: { plan: keep } });
    const { handle } = kept.artifacts[0] ?? { handle: '' };
    const code = `const [row] = await artifacts.read(params.handle, { grep: 'page' }); await tools.box.put({ text: row.text }); return { summary: 'put' };`;
    const use = planOf([scriptNode('use', code, { params: { handle } })]);
    const { run, facts } = harness();
    await run({ provided: { plan: use }, approve: 'ask' }, (recorded) => {
      facts.push(...recorded);
      return recorded.every(({ type }) => type !== 'approval-requested');
    });
    const asked = facts.find((fact) => fact.type === 'approval-requested');
    expect(asked).toMatchObject({
      arguments: { text: 'a page' },
      origins: [{ source: 'mcp://net.get', nodeId: 'keep', trusted: false }],
    });
  });

  it('[ART-label] is untrusted without a label', async () => {
    const { run, facts, artifacts } = harness();
    const put = artifacts.put('x', 'text/plain', 'found');
    const handle = put.ok ? put.value.handle : '';
    const code = `return { summary: String(await artifacts.read(params.handle)) };`;
    expect(artifacts.list()).toMatchObject({ ok: true, value: [{ handle, bytes: 5 }] });
    await run({ provided: { plan: planOf([scriptNode('use', code, { params: { handle } })]) } });
    const ended = facts.find((fact) => fact.type === 'node-ended');
    expect(ended).toMatchObject({ summary: 'found', origins: [{ source: 'artifact', trusted: false }] });
  });
});
