import type { NodeState, RunState } from './session-state';

/** A run with one of its nodes changed. */
export function changeNode(run: RunState, nodeId: string, change: (node: NodeState) => NodeState): RunState {
  return { ...run, nodes: run.nodes.map((node) => (node.id === nodeId ? change(node) : node)) };
}
