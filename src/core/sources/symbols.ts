import type { Parser, SyntaxNode } from '@lezer/common';

/** A name that code defines, and where: `line` counts from 1. */
export interface SymbolHit {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

/** Shorter words match half of a project. */
const minLength = 3;
/** Lines of a symbol whose language has no grammar here. */
const linesWithoutGrammar = 40;

const keywords =
  'function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|module|namespace|record|object|protocol|macro_rules!|defmodule|sub';
const modifiers = '(?:[\\w*]+\\s+){0,2}';

/** Finds lines that define a name which begins like a typed word; null when no name can begin with the word. */
export function definitionPattern(query: string): string | null {
  if (query.length < minLength || !/^[A-Za-z_$][\w$]*$/.test(query)) return null;
  return `\\b(?:${keywords})\\b\\*?\\s+${modifiers}${query.replaceAll('$', '\\$')}[\\w$]*`;
}

/** The name that a found line defines; null when the match is something else. */
export function definedName(line: string, query: string): string | null {
  const pattern = definitionPattern(query);
  const [match] = (pattern && new RegExp(pattern, 'i').exec(line)) ?? [];
  return /[\w$]+$/.exec(match ?? '')?.[0] ?? null;
}

const dialects = [
  [/[.]tsx$/, 'ts jsx'],
  [/[.][cm]?ts$/, 'ts'],
  [/[.][cm]?jsx?$/, 'jsx'],
] as const;

/** The grammar of a file, loaded at its first use, because most lines need none; null for other languages. */
async function grammarOf(path: string): Promise<Parser | null> {
  if (/[.]pyi?$/.test(path)) return (await import('@lezer/python')).parser;
  const row = dialects.find(([fits]) => fits.test(path));
  return row ? (await import('@lezer/javascript')).parser.configure({ dialect: row[1] }) : null;
}

const nameNodes = /^(?:VariableDefinition|TypeDefinition|PropertyDefinition|VariableName)$/;
const definitions = /(?:Declaration|Definition)$/;
const wrappers = /^(?:ExportDeclaration|DecoratedStatement)$/;

/** The definition that a node names, with what exports or decorates it; null for any other node. */
function definitionOf({ name, parent }: SyntaxNode): SyntaxNode | null {
  if (!parent || !nameNodes.test(name) || !definitions.test(parent.name)) return null;
  return parent.parent && wrappers.test(parent.parent.name) ? parent.parent : parent;
}

const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;

/** Where the definition of a name is that is nearest to a line; null when the file has none. */
function rangeOf(
  grammar: Parser,
  text: string,
  { line, name }: SymbolHit,
): readonly [from: number, to: number] | null {
  const found: { readonly away: number; readonly range: readonly [number, number] }[] = [];
  grammar.parse(text).iterate({
    enter({ from, to, node }) {
      if (to - from !== name.length || text.slice(from, to) !== name) return;
      const definition = definitionOf(node);
      if (!definition) return;
      const away = Math.abs(lineAt(text, from) - line);
      found.push({ away, range: [definition.from, definition.to] });
    },
  });
  return found.sort((a, b) => a.away - b.away)[0]?.range ?? null;
}

/**
 * The source text of a symbol: its whole definition in JavaScript, TypeScript and Python, otherwise the lines
 * that begin with it. Null when the file does not define it any more.
 */
export async function symbolText(text: string, hit: SymbolHit): Promise<string | null> {
  const grammar = await grammarOf(hit.path);
  if (grammar) {
    const range = rangeOf(grammar, text, hit);
    return range && text.slice(...range);
  }
  const lines = text.split('\n');
  const named = lines[hit.line - 1]?.includes(hit.name) === true;
  return named ? lines.slice(hit.line - 1, hit.line - 1 + linesWithoutGrammar).join('\n') : null;
}
