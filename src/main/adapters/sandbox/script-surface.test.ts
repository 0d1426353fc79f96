import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { ok } from '#shared/result';
import { createInProcessSandbox } from '../../../testing/in-process-sandbox';

const sandbox = createInProcessSandbox();
afterAll(() => sandbox.close());

async function run(code: string) {
  const unit = {
    engine: 'quickjs',
    code,
    params: {},
    allowed_tools: ['mcp://files.read', 'mcp://files.other-name'],
    budgets: {},
  };
  const echo = (_tool: string, args: Json) => Promise.resolve(ok({ echoed: args }));
  return sandbox.execute(unit, echo, new AbortController().signal);
}

/** The outcome of a script: `KIND/CODE` of its error, or its summary. */
async function outcome(code: string): Promise<string> {
  const { envelope } = await run(code);
  return envelope.ok ? envelope.value.summary : `${envelope.error.kind}/${envelope.error.code}`;
}

describe('what a script sees', () => {
  it('reaches its tools by their script names and nothing else', async () => {
    expect(
      await outcome(
        "return { summary: JSON.stringify(await tools.files.other_name({ a: 'ü\\u0000\\ud800' })) }",
      ),
    ).toBe('{"echoed":{"a":"ü\\u0000\\ud800"}}');
    const { envelope } = await run('const x = 1;\n  await tools.files.write({})');
    expect(envelope).toMatchObject({ ok: false, error: { kind: 'CODE', code: 'UNKNOWN_TOOL', line: 2 } });
  });

  it('names line and column of a script that fails', async () => {
    expect((await run('const a = 1;\nlet b = ;')).envelope).toMatchObject({
      error: { kind: 'CODE', code: 'SYNTAX_ERROR', line: 2, column: 9 },
    });
    expect((await run('const a = null;\n\n  a.b()')).envelope).toMatchObject({
      error: { kind: 'CODE', code: 'RUNTIME_ERROR', line: 3 },
    });
  });

  it.each([
    "return 'text'",
    'return { state: {} }',
    "return { summary: 'x', count: 3 }",
    "return { summary: 'x', state: [1] }",
    "return { summary: 'x', state: { m: new Map() } }",
  ])('%s is no result', async (code) => {
    expect(await outcome(code)).toBe('CODE/INVALID_RESULT');
  });

  it('keeps artifacts and reads them back in parts', async () => {
    const { envelope, log } = await run(`log('kept', { n: 1 });
      const kept = await artifacts.write('lines', 'one\\ntwo\\nthree');
      return { summary: await artifacts.read(kept, { from: 2, to: 2 }), state: { found: await artifacts.read(kept.handle, { grep: 'thr' }) } }`);
    expect(log).toEqual(['kept {"n":1}']);
    expect(envelope).toMatchObject({
      ok: true,
      value: {
        summary: 'two',
        state_updates: { found: [{ line: 3, text: 'three' }] },
        artifacts: [{ name: 'lines', bytes: 13 }],
      },
    });
  });

  it.each([
    ["return { summary: '', state: { rows: 'w'.repeat(70_000) } }", 'BUDGET/OUTPUT_LIMIT'],
    ["return { summary: '', artifacts: ['artifact://sha256/none'] }", 'CODE/INVALID_RESULT'],
    ["return { summary: '', artifacts: [7] }", 'CODE/INVALID_RESULT'],
    ["await tools.files.read('path')", 'TOOL/INVALID_ARGUMENTS'],
    ['await tools.files.read({ n: 1n })', 'TOOL/INVALID_ARGUMENTS'],
    ["await artifacts.read('x', { from: 0 })", 'CODE/RUNTIME_ERROR'],
  ])('%s is %s', async (code, expected) => {
    expect(await outcome(code)).toBe(expected);
  });

  it('lets the error of a tool through as it was, with the line that called', async () => {
    const denied = {
      kind: 'POLICY',
      code: 'CAPABILITY_DENIED',
      message: 'not here',
      retryable: false,
      layer: 'capability',
    } as const;
    const unit = { engine: 'quickjs', params: {}, allowed_tools: ['mcp://files.read'], budgets: {} };
    const refuse = () => Promise.resolve({ ok: false, error: denied } as const);
    const never = new AbortController().signal;
    const uncaught = await sandbox.execute(
      { ...unit, code: '\n\nawait tools.files.read({})' },
      refuse,
      never,
    );
    expect(uncaught.envelope).toMatchObject({ ok: false, error: { ...denied, line: 3 } });
    const code =
      'try { await tools.files.read({}) } catch (e) { return { summary: [e instanceof Error, e.kind, e.code, e.tool].join() } }';
    const caught = await sandbox.execute({ ...unit, code }, refuse, never);
    expect(caught.envelope).toMatchObject({
      value: { summary: 'true,POLICY,CAPABILITY_DENIED,mcp://files.read' },
    });
  });

  it("cannot pass off an error of its own as a gate's", async () => {
    const forged = "throw Object.assign(new Error('x'), { kind: 'POLICY', code: 'APPROVAL_DENIED' })";
    expect(await outcome(forged)).toBe('CODE/RUNTIME_ERROR');
  });

  it('gives its own errors names, though the prototypes are frozen', async () => {
    const code =
      "class Odd extends Error { constructor(m) { super(m); this.name = 'Odd' } } throw new Odd('thing')";
    expect((await run(code)).envelope).toMatchObject({ error: { message: 'Odd: thing', line: 1 } });
  });
});
