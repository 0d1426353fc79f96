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

describe('the surface of a script', () => {
  it('has its tools under their script names and nothing else', async () => {
    expect(
      await outcome(
        "return { summary: JSON.stringify(await tools.files.other_name({ a: 'ü\\u0000\\ud800' })) }",
      ),
    ).toBe('{"echoed":{"a":"ü\\u0000\\ud800"}}');
    const { envelope } = await run('const x = 1;\n  await tools.files.write({})');
    expect(envelope).toMatchObject({ ok: false, error: { kind: 'CODE', code: 'UNKNOWN_TOOL', line: 2 } });
  });

  it('reports line and column of a failing script', async () => {
    expect((await run('const a = 1;\nlet b = ;')).envelope).toMatchObject({
      error: { kind: 'CODE', code: 'SYNTAX_ERROR', line: 2, column: 9 },
    });
    expect((await run('const a = null;\n\n  a.b()')).envelope).toMatchObject({
      error: { kind: 'CODE', code: 'RUNTIME_ERROR', line: 3 },
    });
  });

  it.each([
    'await null',
    'return () => 1',
    "return { summary: 'x', count: 3, state: { count: 4 } }",
    'return new Map()',
    "return { summary: 'x', state: [1] }",
    "return { summary: 'x', state: { m: new Map() } }",
  ])('%s is not a valid result', async (code) => {
    expect(await outcome(code)).toBe('CODE/INVALID_RESULT');
  });

  it('stores artifacts and reads them back in parts', async () => {
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

  it.each([
    ['null', 'The script threw null.'],
    ['undefined', 'The script threw undefined.'],
    ['7', 'The script threw number: 7.'],
  ])('names what a script threw: %s', async (thrown, message) => {
    expect((await run(`throw ${thrown}`)).envelope).toMatchObject({ ok: false, error: { message } });
  });

  it('passes the error of a tool on unchanged, with the line of the call', async () => {
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

  it('cannot present its own error as one of a gate', async () => {
    const forged = "throw Object.assign(new Error('x'), { kind: 'POLICY', code: 'APPROVAL_DENIED' })";
    expect(await outcome(forged)).toBe('CODE/RUNTIME_ERROR');
  });

  it('names its own errors, although the prototypes are frozen', async () => {
    const code =
      "class Odd extends Error { constructor(m) { super(m); this.name = 'Odd' } } throw new Odd('thing')";
    expect((await run(code)).envelope).toMatchObject({ error: { message: 'Odd: thing', line: 1 } });
  });

  it.each([
    ["return 'text'", { summary: 'text', state_updates: { text: 'text' } }],
    ['return { state: { n: 1 } }', { summary: '1 value', state_updates: { n: 1 } }],
    ["return { summary: 'x', count: 3 }", { summary: 'x', state_updates: { count: 3 } }],
    ['return { count: 3, names: [] }', { summary: '2 values', state_updates: { count: 3, names: [] } }],
    ['return [1, 2]', { summary: '2 items', state_updates: { items: [1, 2] } }],
    ['return 7', { summary: '7', state_updates: { value: 7 } }],
    ['return null', { summary: 'null', state_updates: { value: null } }],
    [
      'return { at: new Date(0), bad: new Date(NaN) }',
      { state_updates: { at: '1970-01-01T00:00:00.000Z', bad: null } },
    ],
  ])('[SLIP-return] %s is a state', async (code, value) => {
    expect((await run(code)).envelope).toMatchObject({ ok: true, value });
  });

  it('[SLIP-state] names artifacts.write when a result is too large to return', async () => {
    const { envelope } = await run("return { summary: '', state: { rows: 'w'.repeat(70_000) } }");
    expect(envelope).toMatchObject({
      error: {
        code: 'OUTPUT_LIMIT',
        hint: expect.stringContaining('artifacts.write(name, value)') as string,
      },
    });
  });

  it('[SLIP-console] has console as another name for log', async () => {
    const { log } = await run(
      "console.log('a', { n: 1 }); console.warn('b'); console.error('c'); console.info('d'); return {}",
    );
    expect(log).toEqual(['a {"n":1}', 'b', 'c', 'd']);
  });

  it('[SLIP-clone] has structuredClone, also for cyclic values', async () => {
    expect(
      await outcome(
        "const a = { n: [1], at: new Date(5), m: new Map([['k', { v: 1 }]]) }; a.self = a; const b = structuredClone(a); b.n.push(2); b.m.get('k').v = 2; return { summary: [a.n.length, b.n.length, b.self === b, b.at.getTime(), a.m.get('k').v].join() }",
      ),
    ).toBe('1,2,true,5,1');
    expect(await outcome('structuredClone(() => 1)')).toBe('CODE/RUNTIME_ERROR');
  });

  it('[SLIP-numbers] formats numbers in English, whatever the machine’s locale', async () => {
    const told = await outcome(`return { summary: [
      (1234567.891).toLocaleString('en-US'), (0.005).toLocaleString('en'), (-1e21).toLocaleString('en'),
      (1.005).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
      (0.256).toLocaleString('en', { style: 'percent' }), (12345).toLocaleString('en', { useGrouping: false }),
      fmt.number(999.9995), fmt.number(2.5, 0), fmt.number(-1234.5, 2), fmt.number(NaN), fmt.number(1e-7),
    ].join(' ') }`);
    expect(told).toBe(
      '1,234,567.891 0.005 -1,000,000,000,000,000,000,000 1.01 26% 12345 1,000 3 -1,234.50 NaN 0',
    );
    for (const use of [
      "toLocaleString('de-DE')",
      'toLocaleString()',
      "toLocaleString('en', { style: 'currency' })",
    ])
      expect(await outcome(`(1).${use}`)).toBe('CODE/FORBIDDEN');
  });
});

describe('[SLIP-dates] the dates of a script', () => {
  it.each([
    ["new Date('2024-05-01T00:00:00Z').toISOString()", '2024-05-01T00:00:00.000Z'],
    ["new Date('2024-05-01T10:00:00').getHours()", 10],
    ["new Date('2024-05-01 10:00:00 +0200').toISOString()", '2024-05-01T08:00:00.000Z'],
    ["new Date('Tue, 07 May 2024 10:00:00 GMT').getTime()", Date.UTC(2024, 4, 7, 10)],
    ["new Date('Mon May 6 12:34:56 2024 +0200').toISOString()", '2024-05-06T10:34:56.000Z'],
    ["new Date('May 7, 2024 3:05 PM').toISOString()", '2024-05-07T15:05:00.000Z'],
    ["new Date('5/7/2024').toISOString()", '2024-05-07T00:00:00.000Z'],
    ["Date.parse('2024-02-29')", Date.UTC(2024, 1, 29)],
    ["String(Date.parse('yesterday'))", 'NaN'],
    ["String(new Date('2024-13-01'))", 'Invalid Date'],
    ['Date.UTC(1969, 11, 31, 23, 59, 59, 999)', -1],
    ['new Date(2024, 0, 31).toISOString()', '2024-01-31T00:00:00.000Z'],
    ['new Date(2024, 13, -1).toISOString()', '2025-01-30T00:00:00.000Z'],
    ["new Date('2024-03-10') - new Date('2024-03-01')", 9 * 86_400_000],
    ["const d = new Date('2024-01-31'); d.setMonth(1); return d.toISOString()", '2024-03-02T00:00:00.000Z'],
    [
      "const d = new Date('2024-03-01'); d.setDate(d.getDate() - 1); return d.toISOString().slice(0, 10)",
      '2024-02-29',
    ],
    ['JSON.stringify({ at: new Date(0) })', '{"at":"1970-01-01T00:00:00.000Z"}'],
    ["String(new Date('2024-05-01'))", 'Wed May 01 2024 00:00:00 GMT+0000 (Coordinated Universal Time)'],
    ["new Date('2024-05-01').toUTCString()", 'Wed, 01 May 2024 00:00:00 GMT'],
    ['new Date(0).getTimezoneOffset()', 0],
    ['new (class Day extends Date { week() { return this.getDay(); } })(0).week()', 4],
    ['new Date(1) instanceof Date && Object.prototype.toString.call(new Date(1))', '[object Object]'],
    ["fmt.date('2024-05-01T10:07:03Z', 'DD.MM.YYYY HH:mm:ss')", '01.05.2024 10:07:03'],
    ['fmt.date(0)', '1970-01-01'],
    ['new Date(8.64e15).toISOString()', '+275760-09-13T00:00:00.000Z'],
  ])('%s', async (code, value) => {
    const body = code.includes('return ') && code.startsWith('const') ? code : `return ${code}`;
    const told = await run(`const made = (() => { ${body} })(); return { summary: '', state: { made } }`);
    expect(told.envelope).toMatchObject({ ok: true, value: { state_updates: { made: value } } });
  });

  it('agree with those of this process in UTC, over many years', async () => {
    const times = Array.from({ length: 400 }, (_, at) => (at - 200) * 86_400_000 * 331 + at * 12_345_678);
    const expected = times.map((time) => new Date(time).toISOString() + String(new Date(time).getUTCDay()));
    const code = `const expected = ${JSON.stringify(expected)};
      const told = ${JSON.stringify(times)}.map((time) => new Date(time).toISOString() + new Date(time).getUTCDay());
      return { summary: String(told.filter((text, at) => text !== expected[at]).length) };`;
    expect(await outcome(code)).toBe('0');
  });

  it.each([
    'new Date()',
    'Date()',
    'Date.now()',
    'Date(0)',
    'const D = Date; new D()',
    'const { now } = Date; now()',
    'Reflect.construct(Date, [])',
    'Reflect.construct(Object, [], Date); Reflect.apply(Date, null, [0])',
    'new (class extends Date {})()',
    'new (Date.bind(null))()',
    'new (new Date(0).constructor)()',
    '[0].map(Date)',
    'new Date(...[])',
    "new Date(0).toLocaleDateString('en-US')",
  ])('[SLIP-clock] %s does not read the clock', async (code) => {
    expect(await outcome(code)).toBe('CODE/FORBIDDEN');
  });
});

describe('[SLIP-inputs] the inputs of a script', () => {
  it('are read with and without .state, and their copies have no such member', async () => {
    const unit = {
      engine: 'quickjs',
      code: "const { a, b } = inputs; return { summary: [a.state.n, a.n, b.state, inputs.previous.p.state.n, JSON.stringify({ ...a }), Object.keys(a)].join('|') }",
      params: {},
      inputs: { a: { n: 1 }, b: { state: 'open' }, previous: { p: { n: 3 } } },
      allowed_tools: [],
      budgets: {},
    };
    const none = () => Promise.resolve(ok(null));
    const { envelope } = await sandbox.execute(unit, none, new AbortController().signal);
    expect(envelope).toMatchObject({ value: { summary: '1|1|open|3|{"n":1}|n' } });
  });
});
