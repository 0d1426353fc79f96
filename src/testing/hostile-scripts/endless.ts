import { CPU, CRASH, MEMORY, RESULT, rows, THROWN, SYNTAX, STACK } from './hostile-script';

/** Scripts that never end, or only after a very long time. */
export const endless = [
  ...rows(
    'H10',
    [CPU],
    [
      'while (true) {}',
      'for (;;) { try { for (;;) {} } catch {} finally { continue } }',
      'function* g() { for (;;) yield 1 } for (const x of g()) ;',
      'const it = { next: () => ({ done: false }), [Symbol.iterator]() { return this } }; for (const x of it) ;',
      'label: for (;;) continue label',
      'const f = () => { for (;;) try { f() } catch {} }; f()',
      'try { for (;;) ; } finally { for (;;) ; }',
      'do { [1, 2, 3].map((n) => n * 2) } while (true)',
      'let n = 0n; for (;;) n += 1n',
      "const o = { get a() { for (;;) ; } }; return { summary: '', state: o }",
      'return { get summary() { for (;;) ; } }',
      'const o = { valueOf() { for (;;) ; } }; return { summary: String(o + 1) }',
    ],
  ),
  ...rows(
    'H11',
    [CPU],
    [
      "/(a+)+$/.test('a'.repeat(40) + 'b')",
      "/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60))",
      "/(x+x+)+y/.test('x'.repeat(60))",
      "/^(a|aa)+$/.test('a'.repeat(80) + 'b')",
      "'a'.repeat(50).replace(/(a*)*b/g, '')",
    ],
  ),
  ...rows(
    'H12',
    [CPU, MEMORY, STACK, RESULT, SYNTAX, THROWN, CRASH],
    [
      "new RegExp(Array.from({ length: 500_000 }, (_, i) => i).join('|')).test('x')",
      "new RegExp('(?:a|'.repeat(50_000)).test('x')",
      "new RegExp('[' + '\\\\u{10000}-\\\\u{10ffff}'.repeat(20_000) + ']', 'u').test('x')",
    ],
  ),
  ...rows(
    'H13',
    [CPU, MEMORY],
    [
      "new Array(1e9) + ''",
      "new Array(1e9).join('x')",
      'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
      'Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1)',
      'Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0)',
      'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
      'Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)',
      'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
      "Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 'x')",
      'Array.prototype.splice.call({ length: 2 ** 53 - 1 }, 0, 1)',
    ],
  ),
  ...rows(
    'H13',
    [CPU, MEMORY, 'sorted'],
    [
      "const a = Array.from({ length: 1e6 }, (_, i) => String(i * 7919 % 1e6)); a.sort(); return { summary: 'sorted' }",
      "const a = Array.from({ length: 1e5 }, () => ({ toString: () => 'x'.repeat(100) })); a.sort(); return { summary: 'sorted' }",
    ],
  ),
  ...rows(
    'H18',
    [CPU, MEMORY],
    [
      'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})',
      'for (;;) await null',
      'const f = async () => { await null; return f() }; await f()',
      'async function* g() { for (;;) yield 1 } for await (const x of g()) ;',
      "const t = { then(r) { r(t) } }; await t; return { summary: 'x' }",
    ],
  ),
  ...rows(
    'H18',
    [CPU, MEMORY],
    [
      'const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); await new Promise(() => {})',
      'const all = []; for (;;) all.push(Promise.resolve().then(() => all.length))',
    ],
  ),
];
