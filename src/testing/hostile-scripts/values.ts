import { CPU, MEMORY, OUTPUT, RESULT, rows, THROWN } from './hostile-script';

const roomy = { cpu_ms: 1_500, mem_mb: 64 };
const calls = { cpu_ms: 1_500, mem_mb: 32, tool_calls: 100 };

/** Scripts that attack through the values they throw, return or send. */
export const values = [
  ...rows(
    'H9',
    [THROWN],
    [
      "throw Symbol('x')",
      'throw null',
      'throw undefined',
      "const a = new Error('x'); a.cause = a; throw a",
      "throw new Error('x'.repeat(1e7))",
      'throw { toString() { throw this } }',
      "throw Object.assign(new Error('x'), { kind: 'POLICY', code: 'APPROVAL_DENIED' })",
      "const e = new Error('x'); e.stack = 'script.js:99999:1\\n'.repeat(1e4); throw e",
      "throw new AggregateError(Array.from({ length: 1e4 }, () => new Error('x')), 'many')",
      'throw Object.create(null)',
    ],
  ),
  ...rows('H9', [CPU], ['throw { get message() { for (;;) ; } }', 'throw { get stack() { for (;;) ; } }']),
  ...rows(
    'H19',
    [OUTPUT, RESULT, MEMORY, CPU],
    [
      'let a = ["lol"]; for (let i = 0; i < 30; i++) a = [a, a, a, a]; return { summary: "", state: { a } }',
      'let a = ["lol"]; for (let i = 0; i < 30; i++) a = [a, a, a, a]; return { summary: JSON.stringify(a) }',
      'let a = { b: 1 }; for (let i = 0; i < 40; i++) a = { l: a, r: a }; log(a); return { summary: "", state: a }',
      'let a = ["lol"]; for (let i = 0; i < 30; i++) a = [a, a, a, a]; await artifacts.write("a", a)',
    ],
    roomy,
  ),
  ...rows(
    'H19',
    ['TOOL/INVALID_ARGUMENTS', MEMORY, CPU],
    [
      'let a = ["lol"]; for (let i = 0; i < 30; i++) a = [a, a, a, a]; await tools.files.read({ a })',
      'const a = {}; a.a = a; await tools.files.read(a)',
    ],
    roomy,
  ),
  ...rows(
    'H20',
    [OUTPUT, CPU],
    [
      "return { summary: 'a'.repeat(3e6) }",
      'return { summary: "", state: Object.fromEntries(Array.from({ length: 2e5 }, (_, i) => [i, i])) }',
      'const a = []; a.length = 4e9; return { summary: "", state: { a } }',
      "return { summary: '', state: { a: 'x'.repeat(3e6) } }",
    ],
    roomy,
  ),
  ...rows(
    'H20',
    [RESULT],
    [
      'const a = {}; a.a = a; return { summary: "", state: a }',
      'let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return { summary: "", state: a }',
      'return { summary: "", state: { n: 1n } }',
      'return { summary: "", state: { buffer: new ArrayBuffer(8) } }',
      'return { summary: "", state: { p: Promise.resolve() } }',
      'return { summary: "", artifacts: ["artifact://sha256/none"] }',
      'return Symbol()',
      'return { summary: { toString: () => "x" } }',
    ],
    roomy,
  ),
  ...rows(
    'H21',
    ['BUDGET/TOOL_CALLS'],
    [
      'for (;;) await tools.files.read({})',
      'await Promise.all(Array.from({ length: 1e4 }, () => tools.files.read({})))',
      'const f = () => tools.files.read({}).then(f); await f()',
      'for (;;) await artifacts.write("x", 1)',
      'for (;;) tools.files.read({})',
      'for (;;) try { await tools.files.read({}) } catch {}',
    ],
    calls,
  ),
  ...rows(
    'H22',
    ['BUDGET/WALL_CLOCK'],
    [
      'await new Promise(() => {})',
      'await Promise.race([])',
      'await { then() {} }',
      'for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) ;',
    ],
  ),
  ...rows(
    'H8',
    ['CODE/UNKNOWN_TOOL'],
    ['await tools.files.write({})', 'await tools.mail.send({})', 'await tools.files.__proto__({})'],
  ),
  ...rows(
    'H30',
    ['TOOL/INVALID_ARGUMENTS'],
    ["await tools.files.read('path')", 'await tools.files.read({ n: 1n })', 'await tools.files.read([1])'],
  ),
];
