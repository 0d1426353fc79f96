import { parse } from 'acorn';
import { appError, type AppError } from '#shared/app-error';
import { ALLOWED_GLOBALS } from '#shared/script-globals';

/** Maximum size of a node's script, in UTF-8 bytes. */
export const largestScript = 32_768;

/** Names found in a script without running it: the aliases after `tools.`, the nodes after `inputs.`. */
export interface CodeFacts {
  readonly tools: readonly { readonly alias: string; readonly line: number; readonly column: number }[];
  readonly inputs: readonly { readonly node: string; readonly line: number; readonly column: number }[];
  /** The script accesses tools in a way that is known only at run time (`tools[name]`). */
  readonly dynamicTools: boolean;
  readonly forbidden: readonly AppError[];
  /** Names that the script declares at its top, which no other script sees. */
  readonly defines: readonly string[];
  /** Names that the script reads and nothing defines, each where it first occurs. */
  readonly undefinedNames: readonly {
    readonly name: string;
    readonly line: number;
    readonly column: number;
  }[];
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
  ['performance', 'there is no clock'],
  ['setTimeout', 'there are no timers'],
  ['setInterval', 'there are no timers'],
  ['fetch', 'there is no network'],
  ['XMLHttpRequest', 'there is no network'],
  ['WebSocket', 'there is no network'],
  ['require', 'there are no modules'],
  ['process', 'there is no host process'],
  ['Intl', 'there are no locales; use fmt.number(n, digits) or fmt.date(date, pattern)'],
  ['URL', 'it is not offered; split the text, or use encodeURIComponent'],
  ['URLSearchParams', 'it is not offered; use encodeURIComponent'],
  ['TextEncoder', 'it is not offered; a text has a length, and fmt.tokens(text) its tokens'],
  ['TextDecoder', 'it is not offered; tools return text'],
  ['btoa', 'it is not offered; tools take and return text'],
  ['atob', 'it is not offered; tools take and return text'],
  ['Buffer', 'it is not offered; tools take and return text'],
]);

interface Walk {
  readonly tools: { alias: string; line: number; column: number }[];
  readonly inputs: { node: string; line: number; column: number }[];
  readonly forbidden: AppError[];
  readonly declared: Set<string>;
  readonly used: { readonly name: string; readonly node: SyntaxNode }[];
  /** Names after `typeof`, which the script asks about before it uses them. */
  readonly probed: Set<string>;
  /** Uses of `Date` that would read the clock. */
  readonly clocks: SyntaxNode[];
  /** Uses of locales that a script does not have. */
  readonly locales: { readonly node: SyntaxNode; readonly name: string }[];
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
  if (isIdentifier(object, 'Date') && name === 'now') walk.clocks.push(node);
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
function seeDestructuring(walk: Walk, { id, init }: SyntaxNode): void {
  if (!isNode(id) || id.type !== 'ObjectPattern' || !isIdentifier(init, 'inputs')) return;
  for (const property of id['properties'] as SyntaxNode[]) {
    const name = fixedName(property, property['key']);
    if (name !== undefined) walk.inputs.push({ node: name, ...place(property) });
  }
}

/** Only variables, functions, classes and `catch` have these fields. */
function seeDeclaration(walk: Walk, node: SyntaxNode): void {
  declareNames(walk, node['id']);
  declareNames(walk, node['param']);
  for (const param of (node['params'] as SyntaxNode[] | undefined) ?? []) declareNames(walk, param);
  seeDestructuring(walk, node);
}

const isTypeof = (node: SyntaxNode | null): boolean =>
  node?.type === 'UnaryExpression' && node['operator'] === 'typeof';

/** Whether an identifier is read as a variable, and not used as a property name, key or `typeof` operand. */
function readsVariable(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  if (parent === null) return true;
  const fixedName = parent['computed'] !== true;
  if (parent.type === 'MemberExpression') return parent['object'] === node || !fixedName;
  if (/^(Property|MethodDefinition|PropertyDefinition)$/.test(parent.type))
    return parent['value'] === node || !fixedName;
  if (/^(MetaProperty|LabeledStatement|BreakStatement|ContinueStatement)$/.test(parent.type)) return false;
  return !isTypeof(parent);
}

function seeIdentifier(walk: Walk, node: SyntaxNode, parent: SyntaxNode | null): void {
  const name = node['name'];
  if (typeof name === 'string' && isTypeof(parent)) walk.probed.add(name);
  if (typeof name !== 'string' || !readsVariable(node, parent)) return;
  walk.used.push({ name, node });
  if (name === 'tools' && parent?.type !== 'MemberExpression') walk.dynamicTools = true;
}

/** `new Date()` and `Date(…)` read the clock; `new Date(text)` does not. */
function seeCall(walk: Walk, node: SyntaxNode): void {
  const { callee } = node;
  const args = node['arguments'] as readonly unknown[];
  const bare = node.type === 'CallExpression' || args.length === 0;
  if (isIdentifier(callee, 'Date') && bare) walk.clocks.push(node);
  const name = isNode(callee) && callee.type === 'MemberExpression' ? memberName(callee) : undefined;
  if (name === undefined || !/^toLocale(Date|Time)?String$/.test(name)) return;
  if (name !== 'toLocaleString' || !mayBeEnglish(args[0])) walk.locales.push({ node, name });
}

/** Whether an argument is English, or is known only when the script runs. */
function mayBeEnglish(locale: unknown): boolean {
  if (!isNode(locale)) return false;
  return locale.type !== 'Literal' || locale['value'] === 'en' || locale['value'] === 'en-US';
}

function see(walk: Walk, node: SyntaxNode, parent: SyntaxNode | null): void {
  seeDeclaration(walk, node);
  if (node.type === 'NewExpression' || node.type === 'CallExpression') seeCall(walk, node);
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

/** Uses of the clock and of locales, except those that a script's own `Date` explains. */
function forbiddenUses({ clocks, locales, declared }: Walk, strict: boolean): readonly AppError[] {
  const dated = declared.has('Date') ? [] : clocks;
  return [
    ...dated.map((node) =>
      forbid(node, 'Date: there is no clock in a script; take the time from a tool, as in new Date(text).'),
    ),
    ...(strict ? locales : []).map(({ node, name }) =>
      forbid(
        node,
        `${name}: a script has no locales but "en" and "en-US" for numbers; use fmt.number(n, digits) or fmt.date(date, 'YYYY-MM-DD').`,
      ),
    ),
  ];
}

const globals = new Set([...ALLOWED_GLOBALS, 'arguments']);

/** Names that are neither declared nor global, without those that another finding explains. */
function undefinedNames({ used, declared, probed }: Walk): CodeFacts['undefinedNames'] {
  const known = (name: string): boolean =>
    declared.has(name) || probed.has(name) || globals.has(name) || scriptGlobals.has(name);
  const first = new Map<string, SyntaxNode>();
  for (const { name, node } of used) {
    if (known(name) || absent.has(name) || codeMakers.has(name) || first.has(name)) continue;
    first.set(name, node);
  }
  return [...first].map(([name, node]) => ({ name, ...place(node) }));
}

/** The statements of a script, at its top. */
const statementsOf = (root: SyntaxNode) => root['body'] as readonly SyntaxNode[];

/** The names of the function, class or variables that a statement declares where it stands. */
function namesIn(statement: SyntaxNode): readonly string[] {
  const own = emptyWalk();
  declareNames(own, statement['id']);
  for (const { id } of (statement['declarations'] as SyntaxNode[] | undefined) ?? []) declareNames(own, id);
  return [...own.declared];
}

/** The `return` statements of the script itself, without those of nested functions. */
export function returnsOf(root: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === 'ReturnStatement') found.push(node);
    if (/Function|Class|Method/.test(node.type)) continue;
    for (const value of Object.values(node))
      stack.push(...(Array.isArray(value) ? (value as unknown[]) : [value]).filter(isNode));
  }
  return found;
}

/** Whether a parameter repeats what every script has: `tools`, or `{ tools, log }`. */
function isScriptGlobal(param: unknown): boolean {
  if (!isNode(param)) return false;
  if (param.type === 'Identifier') return scriptGlobals.has(String(param['name']));
  if (param.type !== 'ObjectPattern') return false;
  return (param['properties'] as unknown[]).every(
    (property) => isNode(property) && property['shorthand'] === true && isScriptGlobal(property['value']),
  );
}

/** A part of a script that stays, from one offset to another, or a text that Patina adds to it. */
type Piece = string | readonly [from: number, to: number];

/** A function that takes only what every script has, without its parameters; else null. */
function withoutParams(code: string, { start, end, params }: SyntaxNode): readonly Piece[] | null {
  const [from, to] = [Number(start), Number(end)];
  const paramNodes = params as readonly SyntaxNode[];
  if (!paramNodes.every(isScriptGlobal)) return null;
  const [first, last] = [paramNodes[0], paramNodes.at(-1)];
  if (!first || !last) return [[from, to]];
  const [before, after] = [Number(first['start']), Number(last['end'])];
  const none = /\(\s*$/.test(code.slice(from, before)) ? '' : '()';
  const comma = /^\s*,/.exec(code.slice(after, to))?.[0].length ?? 0;
  return [[from, before], none, [after + comma, to]];
}

const returnable = /^(Call|Await|Object|Array)Expression$/;

/** The script with its added `return` in pieces; null: it stays as it is. */
function returningPieces(code: string): readonly Piece[] | null {
  const root = parseBody(code);
  if (!isNode(root) || returnsOf(root).length > 0) return null;
  const body = statementsOf(root);
  const last = body.at(-1);
  if (last?.type === 'FunctionDeclaration') return withCall(code, body, last);
  const expression = last?.['expression'];
  if (last?.type !== 'ExpressionStatement' || !isNode(expression)) return null;
  if (body.length === 1 && /^(ArrowFunction|Function)Expression$/.test(expression.type))
    return calledWhole(code, expression);
  if (!returnable.test(expression.type)) return null;
  const from = Number(last['start']);
  return [[0, from], 'return ', [from, code.length]];
}

/** A script that is one function, with a call of it. */
function calledWhole(code: string, expression: SyntaxNode): readonly Piece[] | null {
  const pieces = withoutParams(code, expression);
  return pieces && ['return (', ...pieces, ')();'];
}

/** The script with a call of its last statement, if that is the one function and nothing else is done. */
function withCall(code: string, body: readonly SyntaxNode[], last: SyntaxNode): readonly Piece[] | null {
  const { id } = last;
  const pieces = withoutParams(code, last);
  const isAlone = body.every(({ type }) => !/^(Expression|If|For|While|Try)/.test(type));
  const functions = body.filter(({ type }) => type === 'FunctionDeclaration');
  if (!isNode(id) || !isAlone || functions.length !== 1 || !pieces) return null;
  return [[0, Number(last['start'])], ...pieces, `\nreturn ${String(id['name'])}();`];
}

/** A place in a script; lines and columns count from 1. */
interface CodeLocation {
  readonly line: number;
  readonly column: number;
}

function offsetOf(text: string, { line, column }: CodeLocation): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, column - 1);
}

function placeAt(text: string, offset: number): CodeLocation {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The place in the script as it was written of a place in the script that consists of these pieces. */
function writtenPlace(code: string, pieces: readonly Piece[], offset: number): CodeLocation {
  let left = offset;
  let end = 0;
  for (const piece of pieces) {
    const length = typeof piece === 'string' ? piece.length : piece[1] - piece[0];
    if (typeof piece !== 'string') {
      if (left < length) return placeAt(code, piece[0] + left);
      end = piece[1];
    }
    left -= length;
  }
  return placeAt(code, end);
}

type Written = ReturningScript['written'];

/** A finding or an error with its place in the script as it was written. */
export function placedBy<
  T extends { readonly line?: number | undefined; readonly column?: number | undefined },
>(written: Written, found: T): T {
  const { line, column } = found;
  return line === undefined || column === undefined ? found : { ...found, ...written({ line, column }) };
}

interface ReturningScript {
  readonly code: string;
  /** Where a place in the code is in the script as it was written. */
  readonly written: (place: CodeLocation) => CodeLocation;
}

/**
 * The script with the `return` that it leaves to its last expression: `main()` at its end, a function that is
 * the whole script, or one function that nothing calls. Any other script stays as it is. Pure.
 */
export function withReturn(code: string): ReturningScript {
  const pieces = returningPieces(code);
  if (!pieces) return { code, written: (same) => same };
  const returning = pieces.map((one) => (typeof one === 'string' ? one : code.slice(...one))).join('');
  return { code: returning, written: (at) => writtenPlace(code, pieces, offsetOf(returning, at)) };
}

function forbiddenNames(walk: Walk, strict: boolean): readonly AppError[] {
  return walk.used.flatMap(({ name, node }) => {
    if (walk.declared.has(name)) return [];
    if (codeMakers.has(name)) return [forbid(node, `${name}: code generation is disabled.`)];
    const reason = strict ? absent.get(name) : undefined;
    return reason
      ? [forbid(node, `${name}: ${reason}${reason.startsWith('there') ? ' in a script' : ''}.`)]
      : [];
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
    const { message, loc } = cause as { message: string; loc?: { line: number; column: number } };
    // The place where the stack ends differs from call to call.
    if (message.startsWith('Not enough stack space'))
      return appError('CODE', 'SYNTAX_ERROR', 'The script is nested too deeply.');
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
const scriptGlobals = new Set(['tools', 'params', 'inputs', 'artifacts', 'log']);

function redeclared(root: SyntaxNode): readonly AppError[] {
  return statementsOf(root).flatMap((statement) => {
    if (statement.type !== 'ClassDeclaration' && !/^(let|const)$/.test(String(statement['kind']))) return [];
    const taken = namesIn(statement).filter((name) => scriptGlobals.has(name));
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
  probed: new Set<string>(),
  clocks: [],
  locales: [],
  dynamicTools: false,
});

const nothing: CodeFacts = {
  tools: [],
  inputs: [],
  dynamicTools: false,
  forbidden: [],
  defines: [],
  undefinedNames: [],
};

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
  const forbidden = [
    ...redeclared(root),
    ...walk.forbidden,
    ...forbiddenUses(walk, strict),
    ...forbiddenNames(walk, strict),
  ].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return {
    tools: walk.tools,
    inputs: walk.inputs,
    dynamicTools: walk.dynamicTools,
    forbidden,
    defines: statementsOf(root).flatMap(namesIn),
    undefinedNames: undefinedNames(walk),
  };
}
