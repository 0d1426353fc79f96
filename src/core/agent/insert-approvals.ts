import type { Capabilities } from '#shared/capabilities';
import type { Plan, PlanNode } from '#shared/plan';
import type { ToolListing } from '../tools/call-scope';
import { mayWrite } from '../tools/gate';
import type { CheckedPlan } from './check-plan';

function freeId(nodeId: string, taken: ReadonlySet<string>): string {
  const base = `approve_${nodeId}`.slice(0, 60);
  let id = base;
  for (let count = 2; taken.has(id); count += 1) id = `${base}_${count}`;
  return id;
}

function createApprovalNode(id: string, node: PlanNode, tools: readonly string[]): PlanNode {
  const title = `Approve: ${node.title}`.slice(0, 200);
  const prompt = `Shows each call of ${tools.join(', ')} with its exact arguments before it is made.`;
  return { id, title, kind: 'approval', deps: node.deps, prompt };
}

/**
 * Inserts an approval node before every node that may write (agent-mode §13). The approval
 * node announces the writes and shows their single card once the script requests them with resolved
 * arguments. Pure; the same plan, tools and manifest give the same nodes.
 */
export function insertApprovals(
  checked: CheckedPlan,
  listing: ToolListing,
  capabilities: Capabilities,
  /** Ids of earlier stages, which the inserted nodes must not take. */
  earlier: Iterable<string> = [],
): CheckedPlan {
  const approvalNodes = new Map<string, PlanNode>();
  const rules = { tools: new Map(listing.tools.map((tool) => [tool.uri, tool])), capabilities };
  const taken = new Set([...earlier, ...checked.plan.nodes.map(({ id }) => id)]);
  for (const node of checked.plan.nodes) {
    const writes = (checked.toolsOf.get(node.id) ?? []).filter((uri) => mayWrite(uri, rules));
    if (writes.length === 0) continue;
    const id = freeId(node.id, taken);
    taken.add(id);
    approvalNodes.set(node.id, createApprovalNode(id, node, writes));
  }
  if (approvalNodes.size === 0) return checked;
  const withApprovalNode = (node: PlanNode): readonly PlanNode[] => {
    const approvalNode = approvalNodes.get(node.id);
    return approvalNode ? [approvalNode, { ...node, deps: [...node.deps, approvalNode.id] }] : [node];
  };
  return {
    ...checked,
    plan: { ...checked.plan, nodes: checked.plan.nodes.flatMap(withApprovalNode) },
    approvalNodeOf: new Map([...approvalNodes].map(([nodeId, { id }]) => [nodeId, id])),
  };
}

/** The plan without the inserted approval nodes. */
export function withoutApprovals(plan: Plan, announces: Readonly<Record<string, string>>): Plan {
  const inserted = new Set(Object.keys(announces));
  const nodes = plan.nodes
    .filter(({ id }) => !inserted.has(id))
    .map((node) => ({ ...node, deps: node.deps.filter((dep) => !inserted.has(dep)) }));
  return { ...plan, nodes };
}
