import { parse } from 'acorn';
import { appError, type AppError } from '#shared/app-error';

/** Maximum size of a node's script, in UTF-8 bytes. */
export const largestScript = 32_768;

/** Names found in a script without running it: the aliases after `tools.`, the nodes after `inputs.`. */
export interface CodeFacts {
  readonly tools: readonly { readonly alias: string; readonly line: number; readonly column: number }[];
  readonly inputs: readonly { readonly node: string; readonly line: number; readonly column: number }[];
  /** The script accesses tools in a way that is known only at run time (`tools[name]`). */
  readonly dynamicTools: boolean;
  readonly forbidden: readonly AppError[];
}

export interface SyntaxNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } } | null;
  readonly [key: string]: unknown;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

const codeMakers = new Set(['eval', 'Function', 'AsyncFunction', 'GeneratorFunction']);
const absent = new Map([
  ['Date', 'there is no clock'],
  ['performance', 'there is no clock'],
  ['setTimeout', 'there are no timers'],
  ['setInterval', 'there are no timers'],
  ['fetch', 'there is no network'],
  ['XMLHttpRequest', 'there is no network'],
  ['WebSocket', 'there is no network'],
  ['require', 'there are no modules'],
  ['process', 'there is no host process'],
]);

interface Walk {
  readonly tools: { alias: string; line: number; column: number }[];
  readonly inputs: { node: string; line: number; column: number }[];
  readonly forbidden: AppError[];
  readonly declared: Set<string>;
  readonly used: { readonly name: string; readonly node: SyntaxNode }[];
  dynamicTools: boolean;
}

const place = (node: SyntaxNode) => ({
  line: node.loc?.start.line ?? 1,
  column: (node.loc?.start.column ?? 0) + 1,
});

function forbid(node: SyntaxNode, message: string): AppError {
  return appError('CODE', 'FORBIDDEN', message, place(node));
}

/** The name that `key` of a node denotes, if the source text determines it. */
export function fixedName(node: SyntaxNode, key: unknown): string | undefined {
  if (!isNode(key)) return undefined;
  if (key.type === 'Literal') return typeof key['value'] === 'string' ? key['value'] : undefined;
  return node['computed'] !== true && typeof key['name'] === 'string' ? key['name'] : undefined;
}

const memberName = (node: SyntaxNode): string | undefined => fixedName(node, node['property']);

function isIdentifier(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node['name'] === name;
}

/** `tools.server.tool`: the inner member is `tools.server`. */
function seeToolMember(walk: Walk, node: SyntaxNode, parent: SyntaxNode | null): void {
  const server = memberName(node);
  const tool =
    parent?.type === 'MemberExpression' && parent['object'] === node ? memberName(parent) : undefined;
  if (server === undefined || tool === undefined) walk.dynamicTools = true;
  else walk.tools.push({ alias: `${server}.${tool}`, ...place(node) });
}

function seeMember(walk: Walk, node: SyntaxNode, parent: SyntaxNode | null): void {
  const object = node['object'];
  const name = memberName(node);
  if (isIdentifier(object, 'inputs') && name !== undefined) walk.inputs.push({ node: name, ...place(node) });
  if (isIdentifier(object, 'Math') && name === 'random') {
    walk.forbidden.push(
      forbid(node, 'Math.random: there is no randomness; the same plan gives the same result.'),
    );
  }
  if (isIdentifier(object, 'tools')) seeToolMember(walk, node, parent);
}

/** The parts of a pattern that bind names: neither keys nor defaults. */
function boundParts(pattern: SyntaxNode): readonly unknown[] {
  if (pattern.type === 'Property') return [pattern['value']];
  if (pattern.type === 'AssignmentPattern') return [pattern['left']];
  if (pattern.type === 'RestElement') return [pattern['argument']];
  if (pattern.type === 'ArrayPattern') return pattern['elements'] as unknown[];
  return pattern.type === 'ObjectPattern' ? (pattern['properties'] as unknown[]) : [];
}

function declareNames(walk: Walk, pattern: unknown): void {
  if (!isNode(pattern)) return;
  if (pattern.type === 'Identifier' && typeof pattern['name'] === 'string')
    walk.declared.add(pattern['name']);
  for (const part of boundParts(pattern)) declareNames(walk, part);
}

/** `const { a } = inputs` counts as reading `inputs.a`. */
function seeTakenApart(walk: Walk, { id, init }: SyntaxNode): void {
  if (!isNode(id) || id.type !== 'ObjectPattern' || !isIdentifier(init, 'inputs')) return;
  for (const property of id['properties'] as unknown[]) {
    if (!isNode(property) || property.type !== 'Property') continue;
    const name = fixedName(property, property['key']);
    if (name !== undefined) walk.inputs.push({ node: name, ...place(property) });
  }
}

function seeDeclaration(walk: Walk, node: SyntaxNode): void {
  if (node.type === 'VariableDeclarator') {
    declareNames(walk, node['id']);
    seeTakenApart(walk, node);
  }
  if (node.type === 'CatchClause') declareNames(walk, node['param']);
  if (Array.isArray(node['params']))
    for (const param of node['params'] as unknown[]) declareNames(walk, param);
  if (/^(Function|Class)Declaration$/.test(node.type)) declareNames(walk, node['id']);
}

/** Whether an identifier is read as a variable, and not used as a property name, key or `typeof` operand. */
function readsVariable(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  if (parent === null) return true;
  const fixedName = parent['computed'] !== true;
  if (parent.type === 'MemberExpression') return parent['object'] === node || !fixedName;
  if (parent.type === 'Property' || parent.type === 'MethodDefinition')
    return parent['value'] === node || !fixedName;
  return !(parent.type === 'UnaryExpression' && parent['operator'] === 'typeof');
}

function seeIdentifier(walk: Walk, node: SyntaxNode, parent: SyntaxNode | null): void {
  const name = node['name'];
  if (typeof name !== 'string' || !readsVariable(node, parent)) return;
  walk.used.push({ name, node });
  if (name === 'tools' && parent?.type !== 'MemberExpression') walk.dynamicTools = true;
}

function see(walk: Walk, node: SyntaxNode, parent: SyntaxNode | null): void {
  seeDeclaration(walk, node);
  if (node.type === 'ImportExpression') walk.forbidden.push(forbid(node, 'import: there are no modules.'));
  if (node.type === 'MemberExpression') seeMember(walk, node, parent);
  if (node.type === 'Identifier') seeIdentifier(walk, node, parent);
}

/** Walks with an explicit stack, so deep nesting in a script cannot overflow the call stack. */
function walkAll(walk: Walk, root: SyntaxNode): void {
  const stack: { readonly node: SyntaxNode; readonly parent: SyntaxNode | null }[] = [
    { node: root, parent: null },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    see(walk, next.node, next.parent);
    const children: SyntaxNode[] = Object.values(next.node).flatMap((value) =>
      (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isNode),
    );
    for (const child of children.reverse()) stack.push({ node: child, parent: next.node });
  }
}

function forbiddenNames(walk: Walk, strict: boolean): readonly AppError[] {
  return walk.used.flatMap(({ name, node }) => {
    if (walk.declared.has(name)) return [];
    if (codeMakers.has(name)) return [forbid(node, `${name}: code generation is disabled.`)];
    const reason = strict ? absent.get(name) : undefined;
    return reason ? [forbid(node, `${name}: ${reason} in a script.`)] : [];
  });
}

export function parseBody(code: string): SyntaxNode | AppError {
  try {
    const options = { ecmaVersion: 2023, sourceType: 'script', locations: true } as const;
    const asBody = {
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowHashBang: false,
    };
    return parse(code, { ...options, ...asBody }) as unknown as SyntaxNode;
  } catch (cause) {
    if (cause instanceof RangeError)
      return appError('CODE', 'SYNTAX_ERROR', 'The script is nested too deeply.');
    const { message, loc } = cause as { message: string; loc?: { line: number; column: number } };
    const at = loc ? { line: loc.line, column: loc.column + 1 } : {};
    return appError('CODE', 'SYNTAX_ERROR', message.replace(/ \(\d+:\d+\)$/, ''), at);
  }
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** The script's parameters; redeclaring one with `let`, `const` or `class` is a syntax error. */
const handed = new Set(['tools', 'params', 'inputs', 'artifacts', 'log']);

function redeclared(root: SyntaxNode): readonly AppError[] {
  return (root['body'] as unknown[]).filter(isNode).flatMap((statement) => {
    if (statement.type !== 'ClassDeclaration' && !/^(let|const)$/.test(String(statement['kind']))) return [];
    const own = emptyWalk();
    seeDeclaration(own, statement);
    for (const one of (statement['declarations'] as unknown[] | undefined) ?? [])
      if (isNode(one)) seeDeclaration(own, one);
    const taken = [...own.declared].filter((name) => handed.has(name));
    return taken.map((name) =>
      appError(
        'CODE',
        'SYNTAX_ERROR',
        `"${name}" is already passed to the script; do not declare it again.`,
        place(statement),
      ),
    );
  });
}

const emptyWalk = (): Walk => ({
  tools: [],
  inputs: [],
  forbidden: [],
  declared: new Set<string>(),
  used: [],
  dynamicTools: false,
});

const nothing: CodeFacts = { tools: [], inputs: [], dynamicTools: false, forbidden: [] };

/**
 * Analyses a script (an async function body) without running it. `strict` also reports uses that can only
 * fail: clocks, timers, network, modules. Lines and columns count from 1. The sandbox enforces all of this
 * again.
 */
export function readCode(code: string, strict: boolean): CodeFacts {
  if (utf8Bytes(code) > largestScript) {
    const message = `The script is longer than ${largestScript} bytes of UTF-8.`;
    return { ...nothing, forbidden: [appError('CODE', 'FORBIDDEN', message)] };
  }
  const root = parseBody(code);
  if ('kind' in root) return { ...nothing, forbidden: [root as AppError] };
  const walk = emptyWalk();
  walkAll(walk, root);
  const forbidden = [...redeclared(root), ...walk.forbidden, ...forbiddenNames(walk, strict)].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
  return { tools: walk.tools, inputs: walk.inputs, dynamicTools: walk.dynamicTools, forbidden };
}
