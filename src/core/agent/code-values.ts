import { parse } from 'acorn';

/** A range in a script that can be rewritten; offsets are in UTF-16 code units. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** A string or number literal in a script. `key`: the property whose value it is. */
export interface CodeValue extends SourceRange {
  readonly value: string | number;
  readonly key?: string;
}

/** The parts of a script that a parameter can replace: its literals, and its reads of `params.<name>`. */
export interface CodeValues {
  readonly values: readonly CodeValue[];
  readonly reads: readonly (SourceRange & { readonly name: string })[];
}

interface SyntaxNode extends SourceRange {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

const nameOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'Identifier' && typeof value['name'] === 'string'
    ? value['name']
    : undefined;

/** Whether a literal is a value, and not a property name or a directive. */
function isValue(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  if (parent?.type === 'ExpressionStatement') return false;
  if (parent?.type === 'MemberExpression') return false;
  return !(parent?.type === 'Property' && parent['key'] === node);
}

interface Found {
  readonly values: CodeValue[];
  readonly reads: (SourceRange & { readonly name: string })[];
}

function seeLiteral(node: SyntaxNode, parent: SyntaxNode | null, { values }: Found): void {
  const { start, end, value } = node;
  if (typeof value !== 'string' && typeof value !== 'number') return;
  if (!isValue(node, parent)) return;
  const key = parent?.type === 'Property' ? nameOf(parent['key']) : undefined;
  values.push({ start, end, value, ...(key !== undefined && { key }) });
}

function seeMember({ start, end, ...node }: SyntaxNode, { reads }: Found): void {
  const name = nameOf(node['property']);
  if (node['computed'] === true || nameOf(node['object']) !== 'params' || name === undefined) return;
  reads.push({ start, end, name });
}

const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] => Object.values(node).flat().filter(isNode);

function visit(node: SyntaxNode, parent: SyntaxNode | null, found: Found): void {
  if (node.type === 'Literal') seeLiteral(node, parent, found);
  if (node.type === 'MemberExpression') seeMember(node, found);
  for (const child of childrenOf(node)) visit(child, node, found);
}

/** Reads a checked script; returns nothing for a script that cannot be parsed. */
export function valuesIn(code: string): CodeValues {
  const found: Found = { values: [], reads: [] };
  try {
    const options = {
      ecmaVersion: 2023,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    } as const;
    visit(parse(code, options) as unknown as SyntaxNode, null, found);
  } catch {
    return { values: [], reads: [] };
  }
  return found;
}

/** The script with the given ranges replaced. */
export function rewritten(code: string, changes: readonly (SourceRange & { readonly by: string })[]): string {
  return [...changes]
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, by }) => text.slice(0, start) + by + text.slice(end), code);
}
