import { IntlMessageFormat } from 'intl-messageformat';
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { fromRoot } from '../lib/paths.mjs';

// Every key of the window's texts is used, and every use gives the values that its message needs.
const WINDOW = fromRoot('src/renderer');
const FILE = fromRoot('src/renderer/locales/en.json');

/** @typedef {{ file: string, keys: string[], values: Set<string> | null }} Use a call of `text` or `richText` */

/** @param {object} section @param {string} [prefix] @returns {[key: string, message: string][]} */
function messagesIn(section, prefix = '') {
  return Object.entries(section).flatMap(([name, value]) =>
    typeof value === 'string' ? [[`${prefix}${name}`, value]] : messagesIn(value, `${prefix}${name}.`),
  );
}

const messages = new Map(messagesIn(JSON.parse(fs.readFileSync(FILE, 'utf8'))));
const { mentioned, uses } = readWindow();

/** What the source of the window mentions: string literals, templates as patterns, and calls with their values. */
function readWindow() {
  /** @type {Set<string>} */
  const named = new Set();
  /** @type {Use[]} */
  const calls = [];
  const names = fs.readdirSync(WINDOW, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => /\.tsx?$/.test(one) && !one.includes('.test.'))) {
    const code = fs.readFileSync(path.join(WINDOW, name), 'utf8');
    if (code.includes('locales/text')) readFile(name, code, named, calls);
  }
  return { mentioned: named, uses: calls };
}

/** @param {string} file @param {string} code @param {Set<string>} named @param {Use[]} calls */
function readFile(file, code, named, calls) {
  /** @param {ts.Node} node */
  const visit = (node) => {
    for (const key of keysOf(node)) named.add(key);
    if (ts.isCallExpression(node) && /^(text|richText)$/.test(node.expression.getText())) {
      const [key, values] = node.arguments;
      if (key) calls.push({ file, keys: keysIn(key), values: namesIn(values) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
}

/** The keys that one literal or template can stand for. @param {ts.Node} node @returns {string[]} */
function keysOf(node) {
  if (ts.isStringLiteralLike(node)) return messages.has(node.text) ? [node.text] : [];
  if (!ts.isTemplateExpression(node)) return [];
  const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  const literals = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${literals.join('[^.]+')}$`);
  return parts.join('').includes('.') ? [...messages.keys()].filter((key) => pattern.test(key)) : [];
}

/** The keys that an argument can be. @param {ts.Node} argument @returns {string[]} */
function keysIn(argument) {
  const keys = keysOf(argument);
  if (keys.length > 0) return keys;
  /** @type {string[]} */
  const found = [];
  ts.forEachChild(argument, (child) => void found.push(...keysIn(child)));
  return found;
}

/**
 * The names of the values given in a call; null when they are not written there.
 * @param {ts.Expression | undefined} values @returns {Set<string> | null}
 */
function namesIn(values) {
  if (!values) return new Set();
  if (!ts.isObjectLiteralExpression(values) || values.properties.some(ts.isSpreadAssignment)) return null;
  return new Set(values.properties.map((property) => property.name?.getText() ?? ''));
}

/** The placeholders and tags of a message. @param {string} message @returns {Set<string>} */
function placeholders(message) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @param {unknown} part */
  const collect = (part) => {
    if (typeof part !== 'object' || part === null) return;
    const { type, value } = /** @type {{type?: unknown, value?: unknown}} */ (part);
    if (typeof type === 'number' && type > 0 && type !== 7 && typeof value === 'string') names.add(value);
    for (const inner of Object.values(part)) collect(inner);
  };
  collect(new IntlMessageFormat(message, 'en').getAst());
  return names;
}

/**
 * What a message needs and what its plurals choose between: the name, the kind and the options of each
 * placeholder. The plural forms of a language are its own.
 * @param {string} message @returns {string[]}
 */
function argumentsOf(message) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {unknown} part */
  const collect = (part) => {
    if (typeof part !== 'object' || part === null) return;
    const { type, value, options, pluralType } = /** @type {Record<string, unknown>} */ (part);
    if (typeof type === 'number' && type > 0 && type !== 7 && typeof value === 'string') {
      const choices = type === 5 ? Object.keys(/** @type {object} */ (options)).toSorted() : [];
      found.add([value, type, pluralType, ...choices].filter(Boolean).join(' '));
    }
    for (const inner of Object.values(part)) collect(inner);
  };
  collect(new IntlMessageFormat(message, 'en').getAst());
  return [...found].toSorted();
}

describe('[I18N-equal] every catalog', () => {
  const german = new Map(
    messagesIn(JSON.parse(fs.readFileSync(fromRoot('src/renderer/locales/de.json'), 'utf8'))),
  );

  it('has the keys of the English one, in the same order', () => {
    expect([...german.keys()]).toEqual([...messages.keys()]);
  });

  it('gives each message the same arguments', () => {
    const differing = [...messages].flatMap(([key, english]) => {
      const [wanted, given] = [argumentsOf(english), argumentsOf(german.get(key) ?? '')];
      return wanted.join() === given.join() ? [] : [`${key}: ${wanted.join()} but ${given.join()}`];
    });
    expect(differing).toEqual([]);
  });

  it('keeps the spaces around a message, and addresses the user in one form', () => {
    const spaces = (/** @type {string} */ one) => [/^\s*/u.exec(one)?.[0], /\s*$/u.exec(one)?.[0]].join('|');
    const wrong = [...german].filter(
      ([key, one]) =>
        spaces(one) !== spaces(messages.get(key) ?? '') || /\b(du|dir|dich|dein\w*)\b/iu.test(one),
    );
    expect(wrong).toEqual([]);
  });
});

describe('[WIN-texts] the texts of the window', () => {
  it('are all used', () => {
    expect([...messages.keys()].filter((key) => !mentioned.has(key))).toEqual([]);
  });

  it('get the values that they need', () => {
    const wrong = uses.flatMap(({ file, keys, values }) =>
      keys.flatMap((key) => {
        const missing = [...placeholders(messages.get(key) ?? '')].filter(
          (name) => values && !values.has(name),
        );
        return missing.length === 0 ? [] : [`${file}: ${key} needs ${missing.join(', ')}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});
