import { appError, type AppError } from '#shared/app-error';
import type { Plan, PlanNode } from '#shared/plan';
import { fixedName, isNode, parseBody, type SyntaxNode } from './check-code';
import { parseTemplate } from './template';

/** The `return` statements of the script itself, without those of nested functions. */
function returnsOf(root: SyntaxNode): readonly SyntaxNode[] {
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

/** The members of an object literal; null when some of them are known only at run time. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (!isNode(value) || value.type !== 'ObjectExpression') return null;
  const members = new Map<string, unknown>();
  for (const property of value['properties'] as unknown[]) {
    const name =
      isNode(property) && property.type === 'Property' ? fixedName(property, property['key']) : undefined;
    if (name === undefined || !isNode(property)) return null;
    members.set(name, property['value']);
  }
  return members;
}

/** The state names that one `return` sets; null when the source text does not show them. */
function stateNames(returned: SyntaxNode): readonly string[] | null {
  const members = membersOf(returned['argument']);
  if (!members) return null;
  if (!members.has('state')) return [];
  const state = membersOf(members.get('state'));
  return state && [...state.keys()];
}

/** The names that a node's state can have; null when they are not certain before it runs. */
function knownNames({ kind, code = '', outputSchema }: PlanNode): readonly string[] | null {
  if (kind === 'approval') return ['approved'];
  if (kind === 'llm') return outputSchema ? null : ['text'];
  const root = parseBody(code);
  if (!isNode(root)) return null;
  const all = returnsOf(root).map(stateNames);
  return all.length === 0 || all.includes(null) ? null : all.flatMap((names) => names ?? []);
}

function slipOf(nodes: readonly PlanNode[], path: readonly string[]): AppError | null {
  const [id = '', ...rest] = path;
  const node = nodes.find((one) => one.id === id);
  const names = node && rest.length > 0 ? knownNames(node) : null;
  if (!names) return null;
  const [name = ''] = rest[0] === 'state' && !names.includes('state') ? rest.slice(1) : rest;
  if (name === '' || names.includes(name)) return null;
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  const message = `The answer refers to {{${path.join('.')}}}, but the state of "${id}" has ${has}.`;
  return appError('CODE', 'INVALID_PLAN', message, { node: id });
}

/**
 * Finds references in an answer's template that no result can satisfy, as far as the scripts' source text
 * proves it. A plan with such a slip can still run, so a slip is worth one correction and is not a failure.
 * Pure.
 */
export function answerSlips({ answer, nodes }: Plan): readonly AppError[] {
  const parts = typeof answer === 'string' ? parseTemplate(answer) : null;
  if (parts?.ok !== true) return [];
  return parts.value.flatMap((part) => (part.type === 'value' ? (slipOf(nodes, part.path) ?? []) : []));
}
