import { CPU, CRASH, MEMORY, RESULT, rows, STACK, SYNTAX, THROWN } from './hostile-script';

const roomy = { cpu_ms: 1_500, mem_mb: 64 };

/** Scripts that demand more memory, more stack or larger numbers than are available. */
export const memory = [
  ...rows(
    'H14',
    [MEMORY, CPU, THROWN],
    [
      "'a'.repeat(1e9)",
      "let s = 'x'; for (;;) s += s",
      "'a'.padEnd(2 ** 30)",
      "new Array(1e8).fill('x').join('y'.repeat(100))",
      "'x'.repeat(1e6).replaceAll('x', 'y'.repeat(1e4))",
    ],
    roomy,
  ),
  // With too little memory even for the error, one build of the engine throws null.
  ...rows(
    'H15',
    [MEMORY, CPU, THROWN],
    [
      'const kept = []; for (;;) kept.push(new Uint8Array(1e6))',
      'const kept = []; for (;;) kept.push(new Array(1e5).fill({}))',
      "const kept = new Map(); for (let i = 0; ; i += 1) kept.set(i, 'x'.repeat(1e5) + i)",
      'const kept = []; for (;;) { try { for (;;) kept.push(new Uint8Array(1e6)) } catch { kept.length = 0 } }',
      "const o = {}; for (let i = 0; ; i += 1) o['k' + i] = i",
      'let chain = null; for (;;) chain = { chain }',
      'const kept = []; for (;;) kept.push(() => kept)',
      'const kept = []; for (let i = 0; ; i += 1) kept.push(Symbol(String(i)))',
    ],
    roomy,
  ),
  ...rows(
    'H15',
    [THROWN, MEMORY],
    [
      'new ArrayBuffer(2 ** 33)',
      'new Uint8Array(2 ** 31)',
      'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 32 }); b.resize(2 ** 31)',
    ],
    roomy,
  ),
  ...rows(
    'H16',
    [THROWN, MEMORY, CPU],
    [
      '10n ** 10n ** 8n',
      'let n = 2n; for (;;) n *= n',
      '1n << 10n ** 12n',
      '(1n << 1_000_000n).toString()',
      "BigInt('9'.repeat(1e6)) ** 2n",
    ],
    roomy,
  ),
  ...rows(
    'H17',
    [STACK, THROWN, MEMORY, RESULT],
    [
      'const f = () => f() + 1; f()',
      'const f = (...all) => f(...all, 1); f()',
      'class A { constructor() { new A() } } new A()',
      'const o = { get a() { return this.a } }; o.a',
      'const o = { toString() { return String(o) } }; String(o)',
      "JSON.parse('['.repeat(1e6))",
      '[1].map(function f() { return [1].map(f) })',
      'const f = async () => { f() }; f()',
    ],
    roomy,
  ),
  ...rows(
    'H17',
    [STACK, SYNTAX, THROWN],
    ["new RegExp('('.repeat(1e6))", "new RegExp('(?='.repeat(1e4) + ')'.repeat(1e4))"],
    roomy,
  ),
  ...rows(
    'H17',
    [SYNTAX, STACK],
    [
      `return { summary: ${'('.repeat(12_000)}1${')'.repeat(12_000)} }`,
      `return ${'['.repeat(15_000)}${']'.repeat(15_000)}`,
    ],
    roomy,
  ),
  ...rows(
    'H6',
    ['true', THROWN, CRASH, MEMORY],
    [
      `const buffer = new ArrayBuffer(800, { maxByteLength: 800 }); const list = new Float64Array(buffer);
      try { list.sort(() => { buffer.resize?.(8); return 1 }) } catch {}
      return { summary: String(list.length <= 100 && list.every((n) => n === 0)) }`,
      `const buffer = new ArrayBuffer(64, { maxByteLength: 64 }); const list = new Uint8Array(buffer);
      list.fill({ valueOf() { buffer.resize?.(0); return 1 } }); return { summary: String(list.length === 0 || list.every((n) => n <= 1)) }`,
      `const buffer = new ArrayBuffer(64, { maxByteLength: 64 }); const view = new DataView(buffer);
      view.setUint8({ valueOf() { buffer.resize?.(0); return 60 } }, 1); return { summary: 'true' }`,
      `const list = [1, 2, 3]; list.sort(() => { list.length = 0; return 1 }); return { summary: String(list.length <= 3) }`,
      `const source = new ArrayBuffer(64, { maxByteLength: 64 }); const list = new Uint8Array(source);
      list.copyWithin(0, { valueOf() { source.resize?.(1); return 32 } }); return { summary: 'true' }`,
      `class Odd extends Uint8Array { static get [Symbol.species]() { return function () { return new Uint8Array(1) } } }
      new Odd(8).map((n) => n + 1); return { summary: 'true' }`,
    ],
    roomy,
  ),
];
