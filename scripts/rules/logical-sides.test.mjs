import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { fromRoot } from '../lib/paths.mjs';

// The window also begins at the right: its classes and styles name the start and the end of a line, not a side.
const WINDOW = fromRoot('src/renderer');
const side = String.raw`(?:m[lr]|p[lr]|left|right|border-[lr]|rounded-(?:[lr]|[tb][lr])|scroll-[mp][lr])-\S`;
const physicalClass = new RegExp(
  String.raw`^(?:\S+:)?!?-?(?:${side}.*|(?:text|float|clear)-(?:left|right)|border-[lr]|rounded-(?:[lr]|[tb][lr]))!?$`,
);
const physicalStyle =
  /(?:^|[\s{;])((?:scroll-)?(?:margin|padding|border)-(?:left|right)[a-z-]*|left|right|border-(?:top|bottom)-(?:left|right)-radius)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)/u;
const physicalName =
  /^(?:left|right|(?:margin|padding|border)(?:Left|Right)\w*|border(?:Top|Bottom)(?:Left|Right)Radius)$/u;

/** The classes of a text that name a side of the screen. @param {string} text */
const sidesIn = (text) => text.split(/\s+/u).filter((word) => physicalClass.test(word));

/** The properties of an inline style that name one. @param {ts.JsxAttribute} style */
function styleSides(style) {
  const value = style.initializer && ts.isJsxExpression(style.initializer) && style.initializer.expression;
  if (!value || !ts.isObjectLiteralExpression(value)) return [];
  return value.properties.flatMap(({ name }) =>
    name && physicalName.test(name.getText()) ? [name.getText()] : [],
  );
}

/** @param {string} name @param {string} code @returns {string[]} */
function findSides(name, code) {
  if (name.endsWith('.css')) return code.split('\n').filter((line) => physicalStyle.test(line));
  /** @type {string[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(...sidesIn(node.text));
    if (ts.isJsxAttribute(node) && node.name.getText() === 'style') found.push(...styleSides(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

describe('[RTL-logical] the sides of the window', () => {
  it('are the start and the end of a line, never left or right', () => {
    const names = fs.readdirSync(WINDOW, { recursive: true, encoding: 'utf8' });
    const sources = names.filter((name) => /\.(?:tsx?|css)$/u.test(name) && !name.includes('.test.'));
    const found = sources.flatMap((name) =>
      findSides(name, fs.readFileSync(path.join(WINDOW, name), 'utf8')).map(
        (what) => `${name}: ${what.trim()}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['a.tsx', 'const a = <p className="ml-2 flex" />;', ['ml-2']],
    ['a.tsx', 'const a = `hover:-left-1 ${b} md:rounded-tl-lg`;', ['hover:-left-1', 'md:rounded-tl-lg']],
    ['a.tsx', "const a = classNames('text-left border-l');", ['text-left', 'border-l']],
    ['a.tsx', 'const a = <p style={{ left: 3, paddingRight: 2, top: 1 }} />;', ['left', 'paddingRight']],
    ['a.css', '.a { margin-left: 1px; }', ['.a { margin-left: 1px; }']],
    ['a.css', '.a {\n  text-align: right;\n}', ['  text-align: right;']],
    ['a.tsx', 'const a = <p className="ms-2 start-0 text-start placeholder-x" title="left over" />;', []],
    ['a.css', '.a { margin-inline-start: 1px; }', []],
  ])('are found in %s: %s', (name, code, wanted) => {
    expect(findSides(name, code)).toEqual(wanted);
  });
});
