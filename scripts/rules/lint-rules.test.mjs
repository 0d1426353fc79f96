import fs from 'node:fs';
import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../lib/paths.mjs';

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
const untyped = new ESLint({ cwd: ROOT, overrideConfig: [tseslint.configs.disableTypeChecked] });

/** @param {string} text @param {string} filePath @param {ESLint} [linter] @returns {Promise<string[]>} `rule: message` */
async function lint(text, filePath, linter = eslint) {
  const [result] = await linter.lintText(`${text}\n`, { filePath });
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
  [/no-floating-promises:/, 'shared', 'export function f() { Promise.resolve(1); }'],
  [/no-misused-promises:/, 'shared', '[1].forEach(async () => { await Promise.resolve(); });'],
  [
    /consistent-type-imports:/,
    'shared',
    "import { AppError } from './app-error';\nexport type E = AppError;",
  ],
  [
    /switch-exhaustiveness-check:/,
    'shared',
    "export function f(a: 'x' | 'y') { switch (a) { case 'x': return 1; } return 2; }",
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
    const messages = await lint('export const a = 1;', path.join(ROOT, 'src/shared/BadName.ts'), untyped);
    expect(messages.join('\n')).toMatch(/house\/kebab-file/);
  });

  it('a valid file passes', { timeout: 90_000 }, async () => {
    expect(await lint('/** One. */\nexport const one = 1;', PLACES.core)).toEqual([]);
  });
});
