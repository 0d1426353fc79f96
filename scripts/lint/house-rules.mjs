import path from 'node:path';

/** Words that name no responsibility: a file or symbol that needs one has no clear job yet. */
const EMPTY_WORDS = new Set(['manager', 'helper', 'helpers', 'util', 'utils', 'service', 'services']);

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** @param {string} name @returns {string[]} the lower-case words of a camelCase, PascalCase, SNAKE or kebab name */
function wordsOf(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** @param {string} name */
function hasEmptyWord(name) {
  return wordsOf(name).some((word) => EMPTY_WORDS.has(word));
}

/**
 * Requires kebab-case file names (dots separate kinds, as in `x.test.ts`).
 * @type {import('eslint').Rule.RuleModule}
 */
const kebabFile = {
  meta: { type: 'problem', schema: [], messages: { name: 'File name "{{name}}" is not kebab-case.' } },
  create(context) {
    return {
      Program(node) {
        const name = path.basename(context.filename);
        const parts = name.replace(/^\.+/, '').split('.').slice(0, -1);
        if (!parts.every((part) => KEBAB_CASE.test(part))) {
          context.report({ node, messageId: 'name', data: { name } });
        }
      },
    };
  },
};

/** Forbids empty words in file names and declared symbols. @type {import('eslint').Rule.RuleModule} */
const noEmptyWords = {
  meta: { type: 'problem', schema: [], messages: { word: '"{{name}}" says nothing: name what it does.' } },
  create(context) {
    /** @param {import('eslint').AST.Program | import('eslint').Rule.Node} node @param {string} name */
    const check = (node, name) => {
      if (hasEmptyWord(name)) context.report({ node, messageId: 'word', data: { name } });
    };
    /** @param {any} node a declaration with an `id` */
    const declared = (node) => {
      if (node.id?.type === 'Identifier') check(node.id, node.id.name);
    };
    return {
      Program: (node) => check(node, path.basename(context.filename)),
      FunctionDeclaration: declared,
      VariableDeclarator: declared,
      TSTypeAliasDeclaration: declared,
      TSInterfaceDeclaration: declared,
    };
  },
};

/** Attributes and props whose value a user reads or hears. */
const TEXT_ATTRIBUTES = new Set([
  'title',
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'placeholder',
  'label',
  'alt',
  'hint',
  'caption',
  'empty',
  'note',
  'text',
  'noun',
]);

const LETTERS = /\p{L}/u;

/** @param {any} node a literal or a template @returns {boolean} */
function hasWords({ type, value, quasis }) {
  if (type === 'TemplateLiteral')
    return quasis.some((/** @type {any} */ part) => LETTERS.test(part.value.raw));
  return typeof value === 'string' && LETTERS.test(value);
}

/**
 * The pieces of an expression that are literal text, as in `open ? 'Close' : text('open')`. @param {any} node
 * @returns {any[]}
 */
function literalTexts(node) {
  switch (node?.type) {
    case 'Literal':
    case 'TemplateLiteral':
      return hasWords(node) ? [node] : [];
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap(literalTexts);
    case 'LogicalExpression':
      return (node.operator === '&&' ? [node.right] : [node.left, node.right]).flatMap(literalTexts);
    case 'BinaryExpression':
      return node.operator === '+' ? [node.left, node.right].flatMap(literalTexts) : [];
    case 'JSXExpressionContainer':
      return literalTexts(node.expression);
    default:
      return [];
  }
}

/** Forbids words in the window's elements: they come from `locales/en.json`. @type {import('eslint').Rule.RuleModule} */
const noLiteralText = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      text: 'A text of the window: put it into src/renderer/locales/en.json and read it with text().',
    },
  },
  create(context) {
    /** @param {any} container an element's child, or the value of an attribute */
    const check = (container) => {
      for (const node of literalTexts(container)) context.report({ node, messageId: 'text' });
    };
    return {
      /** @param {any} node */
      JSXText: (node) => {
        if (LETTERS.test(node.value)) context.report({ node, messageId: 'text' });
      },
      /** @param {any} node */
      JSXExpressionContainer: (node) => {
        if (node.parent.type !== 'JSXAttribute') check(node);
      },
      /** @param {any} node */
      JSXAttribute: (node) => {
        if (TEXT_ATTRIBUTES.has(String(node.name.name))) check(node.value);
      },
    };
  },
};

/** The house rules that no published plugin provides. */
export const housePlugin = {
  rules: { 'kebab-file': kebabFile, 'no-empty-words': noEmptyWords, 'no-literal-text': noLiteralText },
};
