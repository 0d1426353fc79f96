import { appError, type AppError } from '#shared/app-error';
import type { Plan, PlanNode } from '#shared/plan';
import { fixedName, isNode, parseBody, returnsOf, withReturn, type SyntaxNode } from './check-code';
import { parseTemplate } from './template';

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
  const others = [...members.keys()].filter((name) => !['summary', 'state', 'artifacts'].includes(name));
  if (!members.has('state')) return others;
  const state = membersOf(members.get('state'));
  return state && [...state.keys(), ...others];
}

/** The names that a node's state can have; null when they are not certain before it runs. */
export function stateNamesOf(node: PlanNode | undefined): readonly string[] | null {
  if (!node) return null;
  const { kind, code = '', outputSchema, each } = node;
  if (kind === 'approval') return ['approved'];
  if (kind === 'llm' && each !== undefined) return ['items', 'failed'];
  if (kind === 'llm') return outputSchema ? null : ['text'];
  const root = parseBody(withReturn(code).code);
  if (!isNode(root)) return null;
  const all = returnsOf(root).map(stateNames);
  return all.length === 0 || all.includes(null) ? null : all.flatMap((names) => names ?? []);
}

function slipOf(nodes: readonly PlanNode[], path: readonly string[]): AppError | null {
  const [id = '', ...rest] = path;
  const node = nodes.find((one) => one.id === id);
  const names = rest.length > 0 ? stateNamesOf(node) : null;
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
