import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './paths.mjs';

/**
 * @typedef {object} SourceFile
 * @property {string} path relative to the root, with forward slashes
 * @property {number} lines
 * @property {'product' | 'test' | 'testing'} kind `testing` is the test doubles in `src/testing`
 * @property {string[]} imports files of the project that it imports, for types too
 * @property {string[]} identifiers one entry per use
 * @property {string[]} members the identifiers that name a property, one entry per use
 * @property {string[]} texts string literals and window text of four words or more
 * @property {number} groupings objects written as `...{ a, b }`
 * @property {number} restTuples parameters written as `...[a, b]`
 */

/**
 * @param {import('typescript').Node} node
 * @returns {node is import('typescript').StringLiteralLike | import('typescript').JsxText | import('typescript').TemplateHead | import('typescript').TemplateTail}
 */
const isText = (node) =>
  ts.isStringLiteralLike(node) || ts.isJsxText(node) || ts.isTemplateHead(node) || ts.isTemplateTail(node);

/** @param {import('typescript').Identifier} node */
function isMember(node) {
  const { parent } = node;
  if (ts.isBindingElement(parent)) return ts.isObjectBindingPattern(parent.parent);
  const named =
    ts.isPropertyAccessExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent);
  return ts.isShorthandPropertyAssignment(parent) || (named && parent.name === node);
}

/** @param {string} folder @returns {string[]} */
const filesIn = (folder) =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => /[.]tsx?$/.test(name))
    .sort();

/** @param {string} file @returns {SourceFile['kind']} */
export function kindOf(file) {
  if (/[.]test[.]tsx?$/.test(file)) return 'test';
  return file.startsWith('src/testing/') ? 'testing' : 'product';
}

/**
 * @param {string} from the importing file
 * @param {string} specifier
 * @param {ReadonlySet<string>} known every file of the project
 */
export function resolveImport(from, specifier, known) {
  const name = specifier.replace(/[?].*$/, '');
  const base = name.startsWith('#shared/')
    ? `src/shared/${name.slice('#shared/'.length)}`
    : path.posix.join(path.posix.dirname(from), name);
  if (!name.startsWith('#shared/') && !name.startsWith('.')) return undefined;
  return [base, `${base}.ts`, `${base}.tsx`].find((candidate) => known.has(candidate));
}

/** Whether the name is an HTML element, such as `<mark>`. @param {import('typescript').Identifier} node */
const isElementName = ({ text, parent }) =>
  /^[a-z]/.test(text) &&
  (ts.isJsxOpeningElement(parent) || ts.isJsxClosingElement(parent) || ts.isJsxSelfClosingElement(parent));

/**
 * Parses one file without resolving types, so that the whole repository takes seconds.
 * @param {string} file
 * @param {string} text
 */
export function readSyntax(file, text) {
  const identifiers = /** @type {string[]} */ ([]);
  const members = /** @type {string[]} */ ([]);
  const texts = /** @type {string[]} */ ([]);
  let groupings = 0;
  let restTuples = 0;
  /** @param {import('typescript').Node} node */
  const visit = (node) => {
    if (ts.isIdentifier(node) && !isElementName(node)) {
      identifiers.push(node.text);
      if (isMember(node)) members.push(node.text);
    }
    if (isText(node) && node.text.trim().split(/\s+/).length >= 4) texts.push(node.text);
    if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) groupings += 1;
    if (ts.isParameter(node) && node.dotDotDotToken && ts.isArrayBindingPattern(node.name)) restTuples += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return { identifiers, members, texts, groupings, restTuples };
}

/** @param {string} file @param {string} text @param {ReadonlySet<string>} known @returns {string[]} */
function importsOf(file, text, known) {
  const found = ts.preProcessFile(text, true, true).importedFiles;
  const imports = found.map(({ fileName }) => resolveImport(file, fileName, known));
  return [...new Set(imports.filter((name) => name !== undefined))];
}

/** @param {string} file */
const readText = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** @returns {SourceFile[]} every TypeScript file below `src` */
export function readSources() {
  const names = filesIn('src');
  const known = new Set(names);
  return names.map((file) => {
    const text = readText(file);
    return {
      path: file,
      lines: text.split('\n').length - 1,
      kind: kindOf(file),
      imports: importsOf(file, text, known),
      ...readSyntax(file, text),
    };
  });
}

/** @returns {Map<string, string[]>} the imports of every product file; faster than `readSources` */
export function readProductImports() {
  const names = filesIn('src').filter((file) => kindOf(file) === 'product');
  const known = new Set(names);
  return new Map(names.map((file) => [file, importsOf(file, readText(file), known)]));
}

/** @param {readonly SourceFile[]} files @returns {Map<string, number>} how many of these files import each one */
export function countImporters(files) {
  const counts = new Map(files.map((file) => [file.path, 0]));
  for (const { imports } of files) for (const name of imports) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
