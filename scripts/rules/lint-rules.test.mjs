import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ESLint } from 'eslint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../lib/paths.mjs';
import { runCommand } from '../lib/run-command.mjs';

// Shows that each house rule fires: real configuration, bad text, at the path of a real file of that layer.
const PLACES = {
  shared: firstFile('src/shared', '.ts'),
  core: firstFile('src/core/agent', '.ts'),
  adapter: firstFile('src/main/adapters/llm', '.ts'),
  window: firstFile('src/renderer', '.tsx'),
  element: firstFile('src/renderer/features/find', '.tsx'),
  test: path.join(ROOT, 'scripts/rules/lint-rules.test.mjs'),
};

/** @param {string} folder @param {string} ending @returns {string} */
function firstFile(folder, ending) {
  const names = fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).sort();
  const name = names.find((file) => file.endsWith(ending) && !file.includes('.test.'));
  if (!name) throw new Error(`no ${ending} file in ${folder}`);
  return path.join(ROOT, folder, name);
}

const eslint = new ESLint({ cwd: ROOT });

/** @param {string} text @param {string} filePath @returns {Promise<string[]>} `rule: message` */
async function lint(text, filePath) {
  const [result] = await eslint.lintText(`${text}\n`, { filePath });
  return (result?.messages ?? []).map((message) => `${message.ruleId}: ${message.message}`);
}

/** @param {number} depth @returns {string} */
const nested = (depth) => (depth === 0 ? 'f();' : `if (a) { ${nested(depth - 1)} }`);

/** @type {[rule: RegExp, place: keyof typeof PLACES, text: string][]} */
const CASES = [
  [/^max-depth:/, 'shared', `export function f(a: boolean) { ${nested(5)} }`],
  [/^complexity:/, 'shared', `export const f = (a: number) => ${'a === 1 ? 1 : '.repeat(12)}0;`],
  [/No classes/, 'shared', 'export class Counter {}'],
  [/No enums/, 'shared', 'export enum Colour { Red }'],
  [/No default exports/, 'shared', 'export default 1;'],
  [/No barrels/, 'shared', "export * from './result';"],
  [/No re-exports/, 'shared', "export { ok } from './result';"],
  [/No decorators/, 'shared', 'declare const d: any; export const a = @d class {};'],
  [/^house\/no-empty-words:/, 'shared', 'export const fileHelper = 1;'],
  [/no-explicit-any:/, 'shared', 'export const f = (a: any) => String(a);'],
  [/ban-ts-comment:/, 'shared', '// @ts-ignore\nexport const a: string = 1;'],
  [
    /consistent-type-imports:/,
    'shared',
    "import { AppError } from './app-error';\nexport type E = AppError;",
  ],
  [/no-non-null-assertion:/, 'shared', 'export const f = (a: string | null) => a!.length;'],
  [/no-restricted-imports:.*shared knows zod/, 'shared', "import fs from 'node:fs';\nexport const a = fs;"],
  [/no-restricted-imports:.*the core imports/, 'core', "import fs from 'node:fs';\nexport const a = fs;"],
  [
    /no-restricted-imports:.*adapters\/electron/,
    'adapter',
    "import { app } from 'electron';\nexport const a = app;",
  ],
  [/The clock is a port/, 'core', 'export const now = () => new Date();'],
  [/no-restricted-properties:/, 'core', 'export const now = () => Date.now();'],
  [/no-restricted-properties:/, 'core', 'export const any = () => Math.random();'],
  [/no-restricted-globals:/, 'core', 'export const home = () => process.env;'],
  [
    /Text never becomes HTML/,
    'window',
    'export const A = () => <p dangerouslySetInnerHTML={{ __html: "x" }} />;',
  ],
  [
    /^react-hooks\/rules-of-hooks:/,
    'window',
    "import { useState } from 'react';\nexport const A = (p: { a: boolean }) => { if (p.a) useState(1); return null; };",
  ],
  [/^house\/no-literal-text:/, 'element', 'export const A = () => <p>Not saved</p>;'],
  [
    /^house\/no-literal-text:/,
    'element',
    "export const A = (p: { a: boolean }) => <p>{p.a ? 'Saved' : ''}</p>;",
  ],
  [/^house\/no-literal-text:/, 'element', 'export const A = () => <button aria-label="Close" />;'],
  [
    /^house\/no-literal-text:/,
    'element',
    'export const A = (p: { a: string }) => <img alt={`Image ${p.a}`} />;',
  ],
  [/switched off/, 'test', "import { it } from 'vitest';\nit.only('x', () => undefined);"],
  [/switched off/, 'test', "import { it } from 'vitest';\nit.skip('x', () => undefined);"],
  [/switched off/, 'test', "import { test } from '@playwright/test';\ntest.skip();"],
  [/never sleeps/, 'test', 'setTimeout(() => undefined, 5);'],
  [/^no-warning-comments:/, 'shared', '// oxlint-disable-next-line\nexport const a = 1;'],
  [/matches anything/, 'test', 'expect({ a: "b" }).toMatchObject({ a: /c/ });'],
];

describe('[HOUSE-rules] each lint rule reports its violation', () => {
  it.each(CASES)('%s in %s', { timeout: 90_000 }, async (rule, place, text) => {
    const messages = await lint(text, PLACES[place]);
    expect(messages.filter((message) => rule.test(message))).not.toEqual([]);
  });

  it('an eslint-disable comment has no effect', { timeout: 90_000 }, async () => {
    const text = '/* eslint-disable */\nexport class Counter {}';
    expect((await lint(text, PLACES.shared)).join('\n')).toMatch(/No classes/);
  });

  it('a file name that is not kebab-case', { timeout: 90_000 }, async () => {
    const messages = await lint('export const a = 1;', path.join(ROOT, 'src/shared/BadName.ts'));
    expect(messages.join('\n')).toMatch(/house\/kebab-file/);
  });

  it('a valid file passes', { timeout: 90_000 }, async () => {
    expect(await lint('/** One. */\nexport const one = 1;', PLACES.core)).toEqual([]);
  });
});

/** Text that breaks a rule which needs types, by the name of the rule. @type {[rule: string, text: string][]} */
const TYPED_CASES = [
  ['await-thenable', 'export const f = async () => { await 1; };'],
  ['no-array-delete', 'export const f = (a: number[]) => { delete a[0]; };'],
  ['no-base-to-string', 'export const f = (a: { b: number }) => `${a}`;'],
  ['no-floating-promises', 'export function f() { Promise.resolve(1); }'],
  ['no-for-in-array', 'export const f = (a: number[]) => { for (const b in a) return b; return 1; };'],
  ['no-misused-promises', '[1].forEach(async () => { await Promise.resolve(); });'],
  ['no-redundant-type-constituents', 'export type A = unknown | string;'],
  ['no-unnecessary-type-assertion', 'export const f = (a: string) => a as string;'],
  ['no-unsafe-argument', 'export const f = (a: any, g: (b: string) => void) => g(a);'],
  ['no-unsafe-assignment', 'export const f = (a: any) => { const b: string = a; return b; };'],
  ['no-unsafe-call', 'export const f = (a: any) => { a(); };'],
  ['no-unsafe-member-access', 'export const f = (a: any) => { void a.b; };'],
  ['no-unsafe-return', 'export const f = (a: any): string => a;'],
  ['only-throw-error', "export const f = () => { throw 'a'; };"],
  ['prefer-promise-reject-errors', "export const f = () => Promise.reject('a');"],
  ['restrict-plus-operands', 'export const f = (a: number, b: bigint) => a + b;'],
  ['restrict-template-expressions', 'export const f = (a: object) => `${a}`;'],
  [
    'switch-exhaustiveness-check',
    "export function f(a: 'x' | 'y') { switch (a) { case 'x': return 1; } return 2; }",
  ],
];

describe('[HOUSE-rules] each lint rule that needs types reports its violation', () => {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'patina-typed-rules-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  /** @type {{filename: string, code: string}[]} */
  let reports = [];

  beforeAll(async () => {
    const base = { extends: path.join(ROOT, 'tsconfig.base.json'), include: ['*.ts'] };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(base));
    const texts = [
      ...TYPED_CASES,
      ['valid', 'export const one = 1;'],
      ['hidden', `/* eslint-disable */\n${TYPED_CASES[3]?.[1]}`],
    ];
    for (const [name, text] of texts) fs.writeFileSync(path.join(folder, `${name}.ts`), `${text}\n`);
    const oxlint = path.join(ROOT, 'node_modules/oxlint/bin/oxlint');
    const args = [oxlint, '--config', path.join(ROOT, '.oxlintrc.json'), '--format', 'json', folder];
    const { output } = await runCommand(process.execPath, args, { cwd: ROOT, keep: Infinity });
    reports = JSON.parse(output).diagnostics;
  });

  /** The rules that one text breaks. @param {string} name */
  const broken = (name) =>
    reports.filter(({ filename }) => path.basename(filename) === `${name}.ts`).map(({ code }) => code);

  it.each(TYPED_CASES)('%s', (rule) => {
    expect(broken(rule)).toContain(`typescript(${rule})`);
  });

  it('an eslint-disable comment has no effect', () => {
    expect(broken('hidden')).toContain('typescript(no-floating-promises)');
  });

  it('a valid file passes', () => {
    expect(broken('valid')).toEqual([]);
  });
});
