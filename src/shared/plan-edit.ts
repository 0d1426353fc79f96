import type { Json } from './json';
import type { Plan, PlanNode } from './plan';

/** A step and the steps that need it, directly or through others, in plan order. Pure. */
export function withDependants({ nodes }: Plan, id: string): readonly PlanNode[] {
  const reached = new Set([id]);
  for (let grew = true; grew;) {
    const next = nodes.filter((node) => !reached.has(node.id) && node.deps.some((dep) => reached.has(dep)));
    for (const node of next) reached.add(node.id);
    grew = next.length > 0;
  }
  return nodes.filter((node) => reached.has(node.id));
}

/** Swaps a step with its neighbour; null when there is none or one of the two needs the other. Pure. */
export function movedPlan(plan: Plan, id: string, by: -1 | 1): Plan | null {
  const at = plan.nodes.findIndex((node) => node.id === id);
  const [one, other] = [plan.nodes[at], plan.nodes[at + by]];
  if (!one || !other || one.deps.includes(other.id) || other.deps.includes(one.id)) return null;
  const nodes = plan.nodes.map((node) => (node === one ? other : node === other ? one : node));
  return { ...plan, nodes };
}

/** The plan with other values in the fields of one step. Pure. */
export const withNode = (plan: Plan, id: string, patch: Partial<PlanNode>): Plan => ({
  ...plan,
  nodes: plan.nodes.map((node) => (node.id === id ? { ...node, ...patch } : node)),
});

/** The plan with another value for one parameter of one step. Pure. */
export const withStepParam = (plan: Plan, id: string, name: string, value: Json): Plan => ({
  ...plan,
  nodes: plan.nodes.map((node) =>
    node.id === id ? { ...node, params: { ...node.params, [name]: value } } : node,
  ),
});
