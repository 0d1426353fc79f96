import { describe, expect, it } from 'vitest';
import { largestScript, readCode, withReturn } from './check-code';

/** The findings of a script as `line:column message`. */
const forbidden = (code: string, strict = true): readonly string[] =>
  readCode(code, strict).forbidden.map(({ line, column, message }) => `${line}:${column} ${message}`);
const undefinedIn = (code: string): readonly string[] =>
  readCode(code, true).undefinedNames.map(({ name }) => name);

describe('the tools that a script names', () => {
  it.each<[string, readonly string[], boolean]>([
    ['tools.box.get({});', ['box.get'], false],
    ["tools['box']['get']({});", ['box.get'], false],
    ['const get = tools.box.get;', ['box.get'], false],
    ['tools.box.get.name;', ['box.get'], false],
    ['tools?.box?.get({});', ['box.get'], false],
    ['const box = tools.box;', [], true],
    ['log(tools.box);', [], true],
    ['params[tools.box];', [], true],
    ['tools[params.server].get({});', [], true],
    ['tools.box[params.tool]({});', [], true],
    ['tools.box[0]({});', [], true],
    ['const all = tools;', [], true],
    ['params[tools];', [], false],
    ['params.tools.box.get({});', [], false],
    ['const o = { tools: 1 };', [], false],
    ['const o = { tools };', [], true],
  ])('are read from %s', (code, aliases, dynamicTools) => {
    const facts = readCode(code, true);
    expect(facts.tools.map(({ alias }) => alias)).toEqual(aliases);
    expect(facts.dynamicTools).toBe(dynamicTools);
  });

  it('have the place of their first character, from 1', () => {
    expect(readCode('tools.a.b();\n  tools.a.c();', true).tools).toEqual([
      { alias: 'a.b', line: 1, column: 1 },
      { alias: 'a.c', line: 2, column: 3 },
    ]);
  });
});

describe('the inputs that a script reads', () => {
  it.each([
    ['return inputs.list;', ['list']],
    ["return inputs['list'];", ['list']],
    ['return inputs[params.id];', []],
    ['return params.inputs.list;', []],
    ['const { list, other: { rows }, ["third"]: t } = inputs;', ['list', 'other', 'third']],
    ['const { [params.id]: any, 4: four, ...rest } = inputs;', []],
    ['const { list } = params;', []],
    ['const [list] = inputs;', []],
    ['let one;', []],
  ])('are read from %s', (code, nodes) => {
    expect(readCode(code, true).inputs.map(({ node }) => node)).toEqual(nodes);
  });

  it('have a place each', () => {
    expect(readCode('\nconst { a, b } = inputs;\nreturn inputs.c;', true).inputs).toEqual([
      { node: 'a', line: 2, column: 9 },
      { node: 'b', line: 2, column: 12 },
      { node: 'c', line: 3, column: 8 },
    ]);
  });
});

describe('names that nothing defines', () => {
  it.each([
    ['return one + two + one;', ['one', 'two']],
    ['params.one; ({ two: 1 });', []],
    ['one.two; three.four();', ['one', 'three']],
    ['class A { one = two; static three = four; }', ['two', 'four']],
    ['params[one]; ({ [two]: three });', ['one', 'two', 'three']],
    ['class A { one() {} [two]() {} three = 1; [four] = five }', ['two', 'four', 'five']],
    ['one: for (;;) { if (params) continue one; break one; }', []],
    ['typeof one; return one;', []],
    ['return -one;', ['one']],
    [
      'const [one, , { two, k: three = four }, ...five] = params; return [one, two, three, five, k];',
      ['four', 'k'],
    ],
    ['function one(two, { three }, ...four) { return two + three + four; } return one;', []],
    ['return ((one) => one + two)(1);', ['two']],
    ['try { one(); } catch (two) { log(two); }', ['one']],
    ['return [class One {}, function two() {}, One, two];', []],
    ['const [f] = [function one() {}]; return f(arguments);', []],
    ['eval(fetch(performance));', []],
  ])('are found in %s', (code, names) => {
    expect(undefinedIn(code)).toEqual(names);
  });

  it('are reported where they first occur', () => {
    expect(readCode('log(1);\n log(one, one);', true).undefinedNames).toEqual([
      { name: 'one', line: 2, column: 6 },
    ]);
  });

  it('can be defined at the top of another script, but not inside its functions', () => {
    const code = `const a = 1, { b, c: [d] } = params; let e; class F { g() {} }
      function h(i, { j }) { const k = 1; return k; } if (e) { const l = 1; }`;
    expect(readCode(code, true).defines).toEqual(expect.arrayContaining(['a', 'b', 'd', 'e', 'F', 'h']));
    for (const name of ['g', 'i', 'j', 'k', 'l']) expect(readCode(code, true).defines).not.toContain(name);
  });
});

describe('what a script cannot use', () => {
  it.each([
    ['eval("1");', '1:1 eval: code generation is disabled.'],
    ['fetch("x");', '1:1 fetch: there is no network in a script.'],
    ['log(new URL("x"));', '1:9 URL: it is not offered; split the text, or use encodeURIComponent.'],
    ['await import("fs");', '1:7 import: there are no modules.'],
    ['log(Math.random());', '1:5 Math.random: there is no randomness; the same plan gives the same result.'],
    [
      'log(Date.now());',
      '1:5 Date: there is no clock in a script; take the time from a tool, as in new Date(text).',
    ],
    [
      "log(new Date(0).toLocaleDateString('en'));",
      `1:5 toLocaleDateString: a script has no locales but "en" and "en-US" for numbers; use fmt.number(n, digits) or fmt.date(date, 'YYYY-MM-DD').`,
    ],
  ])('is refused with the reason and its place: %s', (code, finding) => {
    expect(forbidden(code)).toEqual([finding]);
    expect(readCode(code, true).forbidden[0]).toMatchObject({ kind: 'CODE', code: 'FORBIDDEN' });
  });

  it.each([
    'const Date = params.clock; return [Date.now(), new Date()];',
    'const { eval: run, fetch } = params; return [run, fetch()];',
    'return [Math.max(1, 2), params.random, params.Math.now, params.Date.now()];',
    "return [(1).toLocaleString('en'), (1).toLocaleString('en-US'), (1).toLocaleString(params.locale)];",
    'return [params.toLocale(), params.itoLocaleString(), params.toLocaleStringOf(), toLocaleString];',
    'const toLocaleString = () => 1; return toLocaleString();',
  ])('does not include %s', (code) => {
    expect(forbidden(code)).toEqual([]);
  });

  it.each(['(1).toLocaleString("fr")', 'd.toLocaleTimeString("en-US")', 'd.toLocaleDateString(params.l)'])(
    'includes %s',
    (use) => {
      expect(forbidden(`const d = params.date; return ${use};`)).toHaveLength(1);
    },
  );

  it('is only what no script survives when a script runs unplanned', () => {
    const code = 'fetch("x"); (1).toLocaleString("fr");';
    expect(forbidden(code, true)).toHaveLength(2);
    expect(forbidden(code, false)).toEqual([]);
    expect(forbidden('eval("1"); Date.now(); Math.random(); import("fs");', false)).toHaveLength(4);
  });

  it('is listed in the order of the script', () => {
    const code = 'fetch(Date.now()); eval("1");\nMath.random(); const log = 1;\neval("2"); fetch();';
    expect(forbidden(code).map((text) => text.split(' ')[0])).toEqual([
      '1:1',
      '1:7',
      '1:20',
      '2:1',
      '2:16',
      '3:1',
      '3:12',
    ]);
  });
});

describe('a script that cannot be read', () => {
  it.each([
    ['const a = 1;\nconst a = 2;', "2:7 Identifier 'a' has already been declared"],
    [`${'\n'.repeat(9)}             )`, '10:14 Unexpected token'],
    ['\nlet log = 1;', '2:1 "log" is already passed to the script; do not declare it again.'],
    ['const { tools } = params;', '1:1 "tools" is already passed to the script; do not declare it again.'],
    ['class params {}', '1:1 "params" is already passed to the script; do not declare it again.'],
  ])('is refused for %j', (code, finding) => {
    expect(forbidden(code)).toEqual([finding]);
    expect(readCode(code, true).forbidden[0]).toMatchObject({ kind: 'CODE', code: 'SYNTAX_ERROR' });
  });

  it.each(['[', '{', '(', '!'])('is refused without a place when %s nests too deeply', (open) => {
    expect(readCode(open.repeat(16_000), true).forbidden).toEqual([
      expect.objectContaining({ code: 'SYNTAX_ERROR', message: 'The script is nested too deeply.' }),
    ]);
    expect(readCode(open.repeat(16_000), true).forbidden[0]).not.toHaveProperty('line');
  });

  it.each(['var log = 1;', 'function log() {}', 'const own = 1;', 'class Own {}', '{ const log = 1; }'])(
    'does not include %s',
    (code) => {
      expect(forbidden(code)).toEqual([]);
    },
  );

  it.each([
    ['a', 1],
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\uffff', 3],
    ['\u{10000}', 4],
  ])('may have %j as often as its UTF-8 bytes fit', (character, bytes) => {
    const filler = largestScript - 5 - bytes;
    const code = (length: number) => `//${character}${' '.repeat(length)}`;
    expect(readCode(code(filler + 3), true).forbidden).toEqual([]);
    expect(readCode(code(filler + 4), true)).toMatchObject({
      forbidden: [
        { kind: 'CODE', code: 'FORBIDDEN', message: 'The script is longer than 32768 bytes of UTF-8.' },
      ],
      tools: [],
      inputs: [],
      dynamicTools: false,
      defines: [],
      undefinedNames: [],
    });
  });
});

describe('[SLIP-return] a script that leaves its return out', () => {
  it.each([
    ['log(1); main();', 'log(1); return main();'],
    ['await main();', 'return await main();'],
    ['[1, 2];', 'return [1, 2];'],
    ['({ n: 1 });', 'return ({ n: 1 });'],
    ['() => 1', 'return (() => 1)();'],
    ['(log) => [1, 2]', 'return (() => [1, 2])();'],
    ['(log ,) => log(1, 2)', 'return (() => log(1, 2))();'],
    ['(log, { tools, inputs }) => { log(tools); }', 'return (() => { log(tools); })();'],
    ['async log => { log(1); }', 'return (async () => { log(1); })();'],
    ['(function ( params ) { return params; })', 'return (function (  ) { return params; })();'],
    ['(\n  tools,\n  log,\n) => log(1)', 'return ((\n  \n) => log(1))();'],
    ['function main() { return 1; }', 'function main() { return 1; }\nreturn main();'],
    [
      'const n = 1; function main(tools) { return n; }',
      'const n = 1; function main() { return n; }\nreturn main();',
    ],
  ])('returns its last expression: %s', (code, returned) => {
    expect(withReturn(code).code).toBe(returned);
  });

  it.each([
    'main(); return 1;',
    'if (params.a) { return 1; } main();',
    'const n = 1;',
    'n;',
    'n = 1;',
    'n + 1;',
    '(n) => n',
    '({ n }) => n',
    '({ log: n }) => n',
    '({ ...tools }) => n',
    '({ n: tools }) => tools',
    '({ tools, n }) => n',
    '(tools, n) => n',
    '([log]) => n',
    'log(1); (() => 1);',
    'function one() {} function two() {}',
    'function one(n) {}',
    'log(1); function one() {}',
    'if (params) log(1); function one() {}',
    'for (const n of params) log(n); function one() {}',
    'while (params.n) log(1); function one() {}',
    'try { log(1); } catch {} function one() {}',
    '',
  ])('stays as it is when it has a return or no clear result: %s', (code) => {
    expect(withReturn(code).code).toBe(code);
  });

  it('does not mistake the returns of its functions for its own', () => {
    for (const inner of [
      'function f() { return 1; }',
      'const f = () => { return 1; };',
      'class F { m() { return 1; } }',
      'const o = { f() { return 1; } };',
    ])
      expect(withReturn(`${inner} main();`).code).toBe(`${inner} return main();`);
  });
});
