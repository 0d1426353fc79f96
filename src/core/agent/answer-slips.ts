import { appError, type AppError } from '#shared/app-error';
import type { Plan, PlanNode } from '#shared/plan';
import { fixedName, isNode, parseBody, type SyntaxNode } from './check-code';
import { parseTemplate } from './template';

/** The `return` statements of a script itself, not those of functions in it. */
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

/** The members of an object as it is written; null when some of them only running it can tell. */
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

/** What one `return` puts into the state; null when its text does not tell. */
function stateNames(returned: SyntaxNode): readonly string[] | null {
  const members = membersOf(returned['argument']);
  if (!members) return null;
  if (!members.has('state')) return [];
  const state = membersOf(members.get('state'));
  return state && [...state.keys()];
}

/** The names a node's state can have; null when that is not certain before it runs. */
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
  const message = `The answer names {{${path.join('.')}}}, and the state of "${id}" has ${has}.`;
  return appError('CODE', 'INVALID_PLAN', message, { node: id });
}

/**
 * What an answer's template names that no result will have, as far as the scripts' own text tells for certain. A plan with
 * such a slip can run all the same: it is worth a correction before, and no failure. Pure.
 */
export function answerSlips({ answer, nodes }: Plan): readonly AppError[] {
  const parts = typeof answer === 'string' ? parseTemplate(answer) : null;
  if (parts?.ok !== true) return [];
  return parts.value.flatMap((part) => (part.type === 'value' ? (slipOf(nodes, part.path) ?? []) : []));
}
