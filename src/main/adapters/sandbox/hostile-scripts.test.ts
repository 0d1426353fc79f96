import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { ExecutionUnit } from '#shared/execution';
import type { Json } from '#shared/json';
import { createMemoryArtifacts } from '../../../testing/in-process-sandbox';
import { buildSandboxWorker } from '../../../testing/sandbox-worker-bundle';
import { ALLOWED_GLOBALS } from '#shared/script-globals';
import { createSystemClock } from '../system/system-clock';
import { createChildSandboxProcess } from './child-sandbox-process';
import { createQuickJsSandbox } from './quickjs-sandbox';
import type { QuickJsSandbox } from './quickjs-sandbox';

let sandbox: QuickJsSandbox;
const calls: { tool: string; args: Json }[] = [];

beforeAll(async () => {
  sandbox = createQuickJsSandbox({
    startProcess: createChildSandboxProcess(await buildSandboxWorker()),
    clock: createSystemClock(),
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve((text) => text.length / 4),
    startMs: 60_000,
    maxWorkers: 1,
  });
}, 60_000);
afterAll(() => sandbox.close());

async function run(code: string, more: Partial<ExecutionUnit> = {}) {
  const unit = {
    engine: 'quickjs',
    code,
    params: {},
    allowed_tools: ['mcp://files.read', 'mcp://files.other-name'],
    budgets: { cpu_ms: 250, mem_mb: 32 },
    ...more,
  };
  const callTool = (tool: string, args: Json) => {
    calls.push({ tool, args });
    return Promise.resolve(ok({ echoed: args }));
  };
  return sandbox.execute(unit, callTool, new AbortController().signal);
}

/** The outcome of a script: `KIND/CODE` of its error, or its summary. */
async function outcome(code: string, more: Partial<ExecutionUnit> = {}): Promise<string> {
  const { envelope } = await run(code, more);
  return envelope.ok ? envelope.value.summary : `${envelope.error.kind}/${envelope.error.code}`;
}

describe('escape attempts', () => {
  it.each([
    ['tools.files.read', 'code generation is disabled'],
    ['artifacts.write', 'code generation is disabled'],
    ['artifacts.read', 'code generation is disabled'],
    ['log', 'code generation is disabled'],
    ['params', 'code generation is disabled'],
    ['tools.files', 'tools.files.constructor is not among the tools of this step (other_name, read)'],
  ])('[H1] %s reaches no host object', async (host, refusal) => {
    const code = `try { (${host}).constructor.constructor('return 1') } catch (error) { return { summary: error.message } }
      return { summary: 'made' }`;
    expect(await outcome(code)).toBe(refusal);
  });

  it.each([
    "eval('1')",
    "(0, eval)('1')",
    "Function('return 1')()",
    "new Function('return 1')",
    "(async () => {}).constructor('return 1')",
    "(function* () {}).constructor('return 1')",
    "(async function* () {}).constructor('return 1')",
    "Reflect.construct((() => {}).constructor, ['return 1'])",
  ])('[H2] %s creates no code', async (attempt) => {
    const code = `try { ${attempt} } catch (error) { return { summary: error.message } } return { summary: 'ran' }`;
    expect(await outcome(code)).toBe('code generation is disabled');
  });

  it('[H3] import nothing', async () => {
    expect(await outcome("await import('node:fs'); return { summary: 'in' }")).toBe('CODE/RUNTIME_ERROR');
    expect(await outcome("await import('./x.js'); return { summary: 'in' }")).toBe('CODE/RUNTIME_ERROR');
    expect(await outcome('return { summary: String(import.meta) }')).toBe('CODE/SYNTAX_ERROR');
  });

  it('[H4] see exactly the globals of the list, all frozen', async () => {
    const listed = "Reflect.ownKeys(globalThis).filter((k) => typeof k === 'string').sort()";
    const { envelope } = await run(
      `return { summary: 'x', state: { names: ${listed}.join(), n: Reflect.ownKeys(Math).includes('random') } }`,
    );
    expect(envelope).toMatchObject({ ok: true, value: { state_updates: { n: false } } });
    const names = [...ALLOWED_GLOBALS].sort().join();
    expect(envelope.ok && envelope.value.state_updates['names']).toBe(names);
    const frozen =
      '[Object.prototype, Array.prototype, Promise, JSON, globalThis, (async () => {}).constructor].every(Object.isFrozen)';
    expect(await outcome(`return { summary: String(${frozen}) }`)).toBe('true');
  });

  it('[H5] find no Proxy, which the ownKeys attack needs', async () => {
    const code = "new Proxy({}, { ownKeys: () => ({ length: 0x20000001 }) }); return { summary: 'made' }";
    expect(await outcome(code)).toBe('CODE/RUNTIME_ERROR');
  });

  it('[H6] sort arrays that shrink during comparison without reading past the end', async () => {
    const code = `const buffer = new ArrayBuffer(800, { maxByteLength: 800 }); const list = new Float64Array(buffer);
      try { list.sort(() => { buffer.resize?.(8); return 1 }) } catch {}
      return { summary: String(list.length <= 100 && list.every((n) => n === 0)) }`;
    expect(['true', 'SANDBOX/PROC_CRASH']).toContain(await outcome(code));
  });

  it('[H7] change prototypes in the guest only', async () => {
    const code = `Object.prototype.polluted = 1;
      const state = JSON.parse('{"__proto__": {"polluted": 2}, "constructor": 3, "kept": 4}');
      return { summary: String(({}).polluted), state }`;
    const { envelope } = await run(code);
    expect(envelope).toMatchObject({ ok: true, value: { summary: 'undefined' } });
    expect(envelope.ok && envelope.value.state_updates).toStrictEqual({ kept: 4 });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('[H8] send arguments unchanged', async () => {
    calls.length = 0;
    const code = `Array.prototype.toJSON = () => 'forged'; JSON.stringify = () => 'forged'; globalThis.Promise = null;
      const list = [1]; list.toJSON = () => 'forged';
      await tools.files.read({ list, toJSON: () => 'forged' }); return { summary: 'sent' }`;
    expect(await outcome(code)).toBe('sent');
    expect(calls).toEqual([{ tool: 'mcp://files.read', args: { list: [1] } }]);
  });

  it.each([
    ["throw Symbol('x')", 'CODE/RUNTIME_ERROR'],
    ['throw { get message() { for (;;); } }', 'BUDGET/CPU_LIMIT'],
    ["const a = new Error('x'); a.cause = a; throw a", 'CODE/RUNTIME_ERROR'],
    ["throw new Error('x'.repeat(1e7))", 'CODE/RUNTIME_ERROR'],
    ['throw null', 'CODE/RUNTIME_ERROR'],
  ])('[H9] report %s in at most 500 characters', async (code, expected) => {
    // Only the endless script tests time: the time to create ten million letters depends on the machine.
    const enough = { budgets: { cpu_ms: 5_000, mem_mb: 32 } };
    const { envelope } = await run(code, expected === 'BUDGET/CPU_LIMIT' ? {} : enough);
    expect(envelope.ok).toBe(false);
    if (envelope.ok) return;
    expect(`${envelope.error.kind}/${envelope.error.code}`).toBe(expected);
    expect(envelope.error.message.length).toBeLessThanOrEqual(500);
  });

  it('cannot close the function and continue outside', async () => {
    expect(await outcome("}); log('out'); (async function () {")).toBe('CODE/SYNTAX_ERROR');
  });
});

describe('budgets', () => {
  it.each([
    ['while (true) {}', '[H10]'],
    ['for (;;) { try { for (;;) {} } catch {} finally { continue } }', '[H10]'],
    ['function* g() { for (;;) yield 1 } for (const x of g()) ;', '[H10]'],
    ["/(a+)+$/.test('a'.repeat(40) + 'b')", '[H11]'],
    ["/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60))", '[H11]'],
    ['const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})', '[H18]'],
    [
      'const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); await new Promise(() => {})',
      '[H18]',
    ],
    ['for (;;) await null', '[H18]'],
    ["new Array(1e9) + ''", '[H13]'],
    ['Array.prototype.reverse.call({ length: 2 ** 53 - 1 })', '[H13]'],
  ])('%s is stopped at its compute time %s', async (code) => {
    expect(['BUDGET/CPU_LIMIT', 'BUDGET/MEMORY_LIMIT']).toContain(await outcome(code));
    expect(await outcome("return { summary: 'next' }")).toBe('next');
  });

  it('[GRD-max-ops] limit operations apart from time', async () => {
    const budgets = { cpu_ms: 5_000, mem_mb: 32, max_ops: 50 };
    expect(await outcome('while (true) {}', { budgets })).toBe('BUDGET/OPS_LIMIT');
  });

  it.each([
    ["'a'.repeat(1e9)", 'BUDGET/MEMORY_LIMIT', '[H14]'],
    ["let s = 'x'; for (;;) s += s", 'BUDGET/MEMORY_LIMIT', '[H14]'],
    ['const kept = []; for (;;) kept.push(new Uint8Array(1e6))', 'BUDGET/MEMORY_LIMIT', '[H15]'],
    ['10n ** 10n ** 8n', 'CODE/RUNTIME_ERROR', '[H16]'],
    ['const f = () => f() + 1; f()', 'BUDGET/STACK_LIMIT', '[H17]'],
    ["JSON.parse('['.repeat(1e6))", 'BUDGET/STACK_LIMIT', '[H17]'],
    ["return { summary: 'a'.repeat(3e6) }", 'BUDGET/OUTPUT_LIMIT', '[H20]'],
    [
      'return { summary: "", state: Object.fromEntries(Array.from({ length: 2e5 }, (_, i) => [i, i])) }',
      'BUDGET/OUTPUT_LIMIT',
      '[H20]',
    ],
    ['const a = {}; a.a = a; return { summary: "", state: a }', 'CODE/INVALID_RESULT', '[H20]'],
    [
      'let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return { summary: "", state: a }',
      'CODE/INVALID_RESULT',
      '[H20]',
    ],
    ['const a = []; a.length = 4e9; return { summary: "", state: { a } }', 'BUDGET/OUTPUT_LIMIT', '[H20]'],
    [
      'let a = ["lol"]; for (let i = 0; i < 30; i++) a = [a, a, a, a]; return { summary: "", state: { a } }',
      'BUDGET/OUTPUT_LIMIT',
      '[H19]',
    ],
    ['await new Promise(() => {})', 'BUDGET/WALL_CLOCK', '[H22]'],
  ])('%s is %s %s', async (code, expected) => {
    const budgets = { cpu_ms: 3_000, mem_mb: 64 };
    expect(await outcome(code, { budgets })).toBe(expected);
  });

  it('[H18] report the memory limit, not a wait, for a flood of promises that fills the memory', async () => {
    const budgets = { cpu_ms: 10_000, mem_mb: 32 };
    const storm = 'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})';
    // The engine either drops the job that no longer fits or frees one and continues: that depends on the
    // last free bytes of its heap.
    expect(['BUDGET/MEMORY_LIMIT', 'BUDGET/CPU_LIMIT']).toContain(await outcome(storm, { budgets }));
  });

  it('[H21] limit the tool calls of the unit, sequential and parallel', async () => {
    const budgets = { cpu_ms: 3_000, mem_mb: 32, tool_calls: 100 };
    calls.length = 0;
    expect(await outcome('for (;;) await tools.files.read({})', { budgets })).toBe('BUDGET/TOOL_CALLS');
    expect(calls.length).toBe(100);
    const flood = 'await Promise.all(Array.from({ length: 1e4 }, () => tools.files.read({})))';
    expect(await outcome(flood, { budgets })).toBe('BUDGET/TOOL_CALLS');
  });
});
