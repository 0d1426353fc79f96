import { rows, SYNTAX, THROWN } from './hostile-script';

const NO_CODE = 'code generation is disabled';
/** The result of a failed attempt; `made` would mean that it succeeded. */
const attempt = (code: string): string =>
  `try { ${code} } catch (error) { return { summary: error.message } } return { summary: 'made' }`;

const constructors = [
  'tools.files.read',
  'artifacts.write',
  'artifacts.read',
  'log',
  'params',
  'artifacts',
  '(() => {})',
  '[]',
  "''",
  'Promise.resolve()',
  'new Error()',
];

/** Escapes from the guest: to a host object, to source code, to a module, to another unit's data. */
export const escapes = [
  ...rows(
    'H1',
    [NO_CODE],
    constructors.map((host) => attempt(`${host}.constructor.constructor('return process')()`)),
  ),
  ...rows('H1', ['undefinedundefined'], ['return { summary: typeof process + typeof require }']),
  ...rows(
    'H2',
    [NO_CODE],
    [
      attempt("eval('1')"),
      attempt("(0, eval)('1')"),
      attempt("Function('return 1')()"),
      attempt("new Function('return 1')"),
      attempt("(async () => {}).constructor('return 1')"),
      attempt("(function* () {}).constructor('return 1')"),
      attempt("(async function* () {}).constructor('return 1')"),
      attempt("Reflect.construct((() => {}).constructor, ['return 1'])"),
      attempt("class A extends Function {} new A('return 1')"),
      attempt("[].find.constructor.call(null, 'return 1')"),
    ],
  ),
  ...rows(
    'H3',
    [THROWN],
    ["await import('node:fs')", "await import('./x.js')", "await import('data:text/javascript,1')"],
  ),
  ...rows('H3', [SYNTAX], ['return { summary: String(import.meta) }', "import fs from 'node:fs'"]),
  ...rows('H3', [SYNTAX], ["}); log('out'); (async function () {", '})(), (async () => {']),
  ...rows(
    'H4',
    ['undefined'],
    [
      'performance',
      'queueMicrotask',
      'setTimeout',
      'WebAssembly',
      'SharedArrayBuffer',
      'Atomics',
      'WeakRef',
      'FinalizationRegistry',
      'Proxy',
      'DisposableStack',
      'Math.random',
    ].map((name) => `return { summary: typeof ${name} }`),
  ),
  ...rows(
    'H5',
    [THROWN],
    [
      'new Proxy({}, { ownKeys: () => ({ length: 0x20000001 }) })',
      'Reflect.ownKeys(Proxy.revocable({}, {}).proxy)',
    ],
  ),
  ...rows(
    'H7',
    ['undefined', THROWN],
    [
      'Object.prototype.polluted = 1; return { summary: String(({}).polluted) }',
      'Array.prototype.polluted = 1; return { summary: String([].polluted) }',
      "Reflect.set(Object.prototype, 'polluted', 1); return { summary: String(({}).polluted) }",
      '({}).__proto__.polluted = 1; return { summary: String(({}).polluted) }',
      'Object.assign(({}).__proto__, { polluted: 1 }); return { summary: String(({}).polluted) }',
    ],
  ),
  ...rows(
    'H8',
    ['sent'],
    [
      "JSON.stringify = () => 'forged'; await tools.files.read({}); return { summary: 'sent' }",
      "globalThis.Promise = null; await tools.files.read({}); return { summary: 'sent' }",
      "await tools.files.read({ toJSON: () => 'forged' }); return { summary: 'sent' }",
      "const list = []; list.toJSON = () => 'forged'; await tools.files.read({ list }); return { summary: 'sent' }",
    ],
  ),
];
