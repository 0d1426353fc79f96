import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode, test } from '../fixtures/command-line';

const unit = (code: string, more: object = {}) =>
  JSON.stringify({ engine: 'quickjs', code, params: {}, allowed_tools: [], budgets: {}, ...more });

const endless = unit('while(true){}', { budgets: { cpu_ms: 200, mem_mb: 32 } });

test('[CLI-json] every command prints one document and returns its exit code', async ({ patina }) => {
  const asked = await patina(['ask', 'What can you do?', '--json']);
  expect(asked.code).toBe(0);
  const { sessionId, text, usage } = asked.json();
  expect(text).toContain('No model is connected');
  const unknown = { cachedTokens: null, reasoningTokens: null };
  expect(usage).toEqual({ modelTurns: 1, inputTokens: 0, outputTokens: 0, ...unknown });
  const id = String(sessionId);

  const again = await patina(['ask', 'What else?', '--session', id, '--json']);
  expect(again.json()).toMatchObject({ sessionId: id });
  const list = await patina(['session', 'list', '--json']);
  expect(list.json()).toMatchObject([{ id, title: 'What can you do?', turnCount: 2 }]);
  const shown = await patina(['session', 'show', id, '--json']);
  expect(shown.json()).toMatchObject({ id, turnCount: 2 });
  const events = (await patina(['session', 'events', id, '--json'])).json() as unknown as { seq: number }[];
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const replay = (await patina(['session', 'replay', id, '--json'])).json();
  expect(replay).toEqual({
    events: events.length,
    stateHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    equal: true,
    damaged: 0,
  });
  const exported = await patina(['session', 'export', id, '--format', 'json']);
  expect(exported.json()).toMatchObject({
    id,
    turns: [{ text: 'What can you do?' }, { text: 'What else?' }],
  });
  const markdown = await patina(['session', 'export', id, '--format', 'md']);
  expect(markdown.stdout).toContain('What else?');

  const prompt = (await patina(['prompt', '--run-mode', 'ask', '--json'])).json();
  expect(prompt).toMatchObject({
    tools: [
      'agent_list_modes',
      'agent_change_mode',
      'agent_run_command',
      'agent_workflow_registry',
      'agent_start_workflow',
      'request_user_approval',
    ].map((name) => ({ name })),
    blocks: ['workspace: default', 'mode catalog', 'mode: general', 'workflows'].map((source) => ({
      source,
    })),
  });
  const recipes = await patina(['--json', 'recipe', 'list']);
  expect(recipes.json()).toMatchObject([
    { id: 'count_todos' },
    { id: 'find_duplicates' },
    { id: 'folder_summary' },
  ]);
  const missing = await patina(['session', 'show', 'ses_none', '--json']);
  expect([missing.code, missing.json()]).toMatchObject([1, { kind: 'HOST', code: 'NOT_FOUND' }]);
});

test('[CLI-json] doctor and tools report the current state', async ({ patina, project }) => {
  const doctor = await patina(['doctor', '--json', '--project', project]);
  expect(doctor.stderr).toBe('');
  expect(doctor.json()).toMatchObject({ ok: true });
  const names = (doctor.json()['checks'] as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'sessions',
      'budgets',
      'server project',
      'server filesystem',
      'sandbox lockdown',
    ]),
  );
  expect(doctor.code).toBe(0);
  const found = (await patina(['tools', '--search', 'write file', '--json'])).json();
  expect(found).toMatchObject([{ uri: 'mcp://filesystem.write_file', access: 'write' }]);
  const signatures = await patina(['tools', '--signatures', '--search', 'hash']);
  expect(signatures.stdout).toMatch(/tools\.project\.hash_files\(/);
});

test('[CLI-json] wrong usage exits with 2, at every level, and a named folder is used or refused', async ({
  patina,
}) => {
  const wrong = [
    [],
    ['nosuch'],
    ['ask'],
    ['ask', 'one', 'two'],
    ['session'],
    ['session', 'nosuch'],
    ['recipe', 'run'],
    ['session', 'export', 'x', '--format', 'pdf'],
    ['agent', 'x', '--approve', 'maybe'],
    ['ask', 'x', '--project'],
    ['ask', 'x', '--project', '/no/such/folder'],
  ];
  const ended = await Promise.all(wrong.map((args) => patina(args)));
  for (const [index, plain] of ended.entries()) {
    const line = wrong[index]?.join(' ');
    expect([plain.code, plain.stdout], line).toEqual([2, '']);
    expect(plain.stderr, line).not.toBe('');
  }
  const documented = await patina(['recipe', 'run', '--json']);
  expect([documented.code, documented.json()]).toMatchObject([2, { kind: 'HOST', code: 'INVALID_INPUT' }]);
  expect((await patina(['session', 'list', '--json'])).json()).toEqual([]);
  const help = await patina(['session', 'export', '--help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toContain('--format');
});

test('[CLI-exec] [BOX-cpu] exec returns the envelope of a unit or its typed error', async ({
  patina,
  project,
}) => {
  const looped = await patina(['exec', '--json'], { input: endless });
  expect(looped.json()).toMatchObject({ kind: 'BUDGET', code: 'CPU_LIMIT' });
  expect(looped.code).toBe(1);

  const file = join(project, 'unit.json');
  const code =
    'log("x"); return { summary: `sum ${params.a + params.b}`, state: { sum: params.a + params.b } };';
  await writeFile(file, unit(code, { params: { a: 2, b: 40 } }));
  const good = await patina(['exec', '--unit', file]);
  expect(good.json()).toMatchObject({
    summary: 'sum 42',
    state_updates: { sum: 42 },
    metrics: { tool_calls: 0 },
  });
  expect(good.code).toBe(0);

  const reads = unit(
    "const page = await tools.project.list_files({ path: 'docs' }); return { summary: `${page.files.length} files` };",
    { allowed_tools: ['mcp://project.list_files'] },
  );
  expect((await patina(['exec'], { input: reads })).json()).toMatchObject({ summary: '5 files' });

  const bad: readonly (readonly [string, object])[] = [
    ['{"engine":', { kind: 'HOST', code: 'INVALID_INPUT' }],
    ['', { kind: 'HOST', code: 'INVALID_INPUT' }],
    [
      '{"code":"return 1"}',
      { kind: 'HOST', code: 'INVALID_INPUT', message: expect.stringContaining('engine') },
    ],
    [unit('1', { engine: 'rhai' }), { kind: 'SANDBOX', code: 'UNSUPPORTED' }],
    [unit('return {'), { kind: 'CODE', code: 'SYNTAX_ERROR' }],
    [unit('eval("1")'), { kind: 'CODE', code: 'FORBIDDEN' }],
    [unit('const x = 1;'), { kind: 'CODE', code: 'INVALID_RESULT' }],
  ];
  const ended = await Promise.all(bad.map(([input]) => patina(['exec', '--json'], { input })));
  for (const [index, refused] of ended.entries()) {
    const [input, error] = bad[index] ?? [];
    expect([refused.code, refused.json()], input).toMatchObject([1, error]);
  }
});

test('[AGENT-plan-file] a plan from a file runs without a model, is checked, and writes only when approved', async ({
  patina,
  project,
}) => {
  const file = join(project, 'plan.json');
  const write =
    "await tools.filesystem.write_file({ path: 'made.txt', content: 'made' }); return { summary: 'w' };";
  const plan = planOf([scriptNode('make', write, ['mcp://filesystem.write_file'])], 'Written.');
  await writeFile(file, JSON.stringify(plan));
  const denied = await patina(['agent', 'make it', '--plan', file, '--json']);
  expect([denied.code, denied.json()]).toMatchObject([
    1,
    {
      outcome: 'failed',
      nodes: [{ id: 'approve_make' }, { id: 'make', error: { kind: 'POLICY', code: 'APPROVAL_DENIED' } }],
    },
  ]);
  expect(existsSync(join(project, 'made.txt'))).toBe(false);
  const asked = await patina(['agent', 'make it', '--plan', file, '--approve', 'ask'], { input: 'y\n' });
  expect([asked.code, asked.stdout]).toEqual([0, 'Written.\n']);
  expect(asked.stderr).toContain('1 + made');
  expect(await readFile(join(project, 'made.txt'), 'utf8')).toBe('made');
  const unanswered = await patina(['agent', 'make it', '--plan', file, '--approve', 'ask', '--json']);
  expect(unanswered.json()).toMatchObject({ nodes: [{}, { error: { code: 'APPROVAL_DENIED' } }] });
  const approved = await patina(['agent', 'make it', '--plan', file, '--approve', 'all', '--json']);
  expect([approved.code, approved.json()]).toMatchObject([
    0,
    {
      outcome: 'done',
      answer: 'Written.',
      usage: { modelTurns: 0 },
      planHash: denied.json()['planHash'],
      nodes: [
        { id: 'approve_make', status: 'done' },
        { id: 'make', status: 'done', metrics: { tool_calls: 1 } },
      ],
    },
  ]);

  await writeFile(file, JSON.stringify(planOf([scriptNode('a', 'return fetch("x")', ['mcp://no.tool'])])));
  const invalid = await patina(['agent', 'x', '--plan', file, '--json']);
  expect([invalid.code, invalid.json()]).toMatchObject([1, { outcome: 'failed', error: { kind: 'CODE' } }]);
  await writeFile(file, JSON.stringify({ goal: 1, nodes: [scriptNode('a', 'return eval("1")', [])] }));
  const shapeless = await patina(['agent', 'x', '--plan', file, '--json']);
  const problems = ['goal', 'answer', 'eval'].map((what) => ({ reason: expect.stringContaining(what) }));
  const error = { kind: 'CODE', code: 'INVALID_PLAN', problems };
  expect([shapeless.code, shapeless.json()]).toMatchObject([1, { outcome: 'failed', error }]);
});

test('[BOX-swap] [CLI-json] invalid configuration exits with 3; another engine and Agent Mode off are reported', async ({
  patina,
  project,
}) => {
  const swapped = { env: { SANDBOX_ENGINE: 'null' }, input: unit('let x = 1;', { engine: 'rhai' }) };
  const nothing = await patina(['exec'], swapped);
  expect([nothing.code, nothing.json()]).toMatchObject([
    0,
    { summary: expect.stringContaining('Nothing was run') },
  ]);
  const recipe = ['recipe', 'run', 'folder_summary', '--json'];
  const unrun = await patina(recipe, { env: { SANDBOX_ENGINE: 'null' } });
  expect(unrun.json()).toMatchObject({ nodes: [{ summary: expect.stringContaining('Nothing was run') }] });
  const unknown = await patina(['exec'], { env: { SANDBOX_ENGINE: 'rhai' }, input: endless });
  expect([unknown.code, unknown.json()]).toMatchObject([3, { kind: 'CONFIG', code: 'INVALID' }]);

  const off = await patina(recipe, { env: { PATINA_AGENT_MODE: 'off' } });
  expect([off.code, off.json()]).toMatchObject([
    1,
    { kind: 'HOST', code: 'STATE', message: expect.stringContaining('PATINA_AGENT_MODE=off') },
  ]);

  await mkdir(join(project, '.patina'));
  await writeFile(join(project, '.patina/budgets.json'), '{"node":{"cpu_ms":"many"}}');
  const broken = await patina(['exec'], { input: endless });
  expect([broken.code, broken.json()]).toMatchObject([
    3,
    { kind: 'CONFIG', problems: [{ file: expect.stringContaining('budgets.json'), field: 'node.cpu_ms' }] },
  ]);
  const stopped = await patina(recipe);
  expect([stopped.code, stopped.json()]).toMatchObject([3, { outcome: 'failed', error: { kind: 'CONFIG' } }]);
  const doctor = await patina(['doctor', '--json', '--project', project]);
  expect([doctor.code, doctor.json()]).toMatchObject([3, { ok: false }]);
  expect((await patina(['ask', 'hi'])).code).toBe(0);
});

test('[MCP-not-allowed] a server added by a file is named by tools, doctor and tool, and one command allows it', async ({
  patina,
  home,
  project,
}) => {
  const peer = resolve('src/testing/mcp-peers/stateless-server.mjs');
  const byHand = { command: process.execPath, args: [peer], trusted: true };
  await mkdir(join(home, 'mcp'), { recursive: true });
  await writeFile(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers: { byhand: byHand } }));
  const run = (...args: readonly string[]) => patina([...args, '--json', '--project', project]);

  const tools = await run('tools');
  expect(tools.json()).toContainEqual(expect.objectContaining({ uri: 'mcp://byhand.add', allowed: false }));
  expect(tools.stderr).toContain('Server "byhand" is not allowed in this project yet');
  expect(tools.stderr).toContain('patina tools --allow byhand');
  const doctor = await run('doctor');
  expect(doctor.stdout).toContain('none of its 7 tools can be called');
  const add = () => run('tool', 'mcp://byhand.add', '{"a":2,"b":3}');
  expect((await add()).json()).toMatchObject({ code: 'CAPABILITY_DENIED', layer: 'capability' });

  expect((await run('tools', '--allow', 'nobody')).json()).toMatchObject({ kind: 'HOST', code: 'NOT_FOUND' });
  expect((await run('tools', '--allow', 'byhand')).json()).toEqual({ server: 'byhand', allowed: true });
  expect((await add()).json()).toEqual({ sum: 5 });
  expect((await run('tools')).stderr).toBe('');
});
