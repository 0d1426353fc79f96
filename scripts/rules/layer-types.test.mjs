import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../lib/paths.mjs';

/**
 * Compiles a text as a file of a layer, with that layer's own configuration.
 * @param {string} layer
 * @param {string} text
 * @returns {string[]} messages
 */
function compile(layer, text) {
  const file = path.join(ROOT, `tsconfig.${layer}.json`);
  const read = ts.readConfigFile(file, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...read.config, include: [], files: [] }, ts.sys, ROOT);
  const subject = path.join(ROOT, 'src', `subject-of-${layer}.ts`);
  const ambient = ['core', 'shared'].includes(layer) ? [path.join(ROOT, 'src/core/ports/ambient.d.ts')] : [];
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === subject
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023)
      : getSourceFile.call(host, name, ...rest);
  host.fileExists = (name) => name === subject || fileExists.call(host, name);
  host.readFile = (name) => (name === subject ? text : readFile.call(host, name));
  const program = ts.createProgram([subject, ...ambient], options, host);
  const messages = ts.getPreEmitDiagnostics(program, program.getSourceFile(subject));
  return messages.map((message) => ts.flattenDiagnosticMessageText(message.messageText, '\n'));
}

/** @type {[layer: string, text: string, message: RegExp][]} */
const REFUSED = [
  ['shared', 'export const a = document;', /Cannot find name 'document'/],
  ['shared', 'export const a = process;', /Cannot find name 'process'/],
  ['core', 'export const a = window;', /Cannot find name 'window'/],
  ['core', 'export const a = Buffer;', /Cannot find name 'Buffer'/],
  ['core', 'export const a = setTimeout;', /Cannot find name 'setTimeout'/],
  ['core', 'export const a = fetch;', /Cannot find name 'fetch'/],
  ['main', 'export const a = document;', /Cannot find name 'document'/],
  ['worker', 'export const a = document;', /Cannot find name 'document'/],
  ['project-server', 'export const a = document;', /Cannot find name 'document'/],
  ['preload', 'export const a = Buffer;', /Cannot find name 'Buffer'/],
  ['renderer', 'export const a = Buffer;', /Cannot find name 'Buffer'/],
  ['core', 'export const f = (a: number[]): number => a[0];', /undefined/],
  ['core', 'export const a: { b?: 1 } = { b: undefined };', /exactOptionalPropertyTypes/],
  ['core', 'export function f(a: boolean) { if (a) return 1; }', /Not all code paths/],
  ['core', 'export enum A { B }', /erasableSyntaxOnly/],
];

/** @type {[layer: string, text: string][]} */
const ALLOWED = [
  [
    'core',
    'export const f = (s: AbortSignal) => [s.aborted, new TextEncoder().encode("x"), new URL("a:b").href];',
  ],
  ['main', 'export const a = process.versions.node;'],
  ['renderer', 'export const a = document.title;'],
];

describe('[HOUSE-rules] a layer has only its allowed globals', () => {
  it.each(REFUSED)('%s refuses: %s', { timeout: 60_000 }, (layer, text, message) => {
    expect(compile(layer, text).join('\n')).toMatch(message);
  });

  it.each(ALLOWED)('%s allows: %s', { timeout: 60_000 }, (layer, text) => {
    expect(compile(layer, text)).toEqual([]);
  });
});
