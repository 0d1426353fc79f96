import type { NodeState, RunState } from '#shared/session-state';
import { isActive, isUnsure } from './run-facts';

/** What can be done with one node of a run that has ended. */
export interface NodeChances {
  /** The node and all that depends on it anew; its writes are asked for anew. */
  readonly fromHere: boolean;
  /** On from where the run stopped: what is done, writes too, stays done. */
  readonly tryAgain: boolean;
}

const none: NodeChances = { fromHere: false, tryAgain: false };

/** Nothing while the run is under way, had no plan, or has a write of unknown outcome: that is settled first. */
export function chancesOf(run: RunState, node: NodeState): NodeChances {
  // An approval node the host inserted begins and ends with the node it stands for.
  const stands = run.announces?.[node.id] !== undefined;
  if (isActive(run) || !run.plan || isUnsure(run) || stands) return none;
  // A no stays a no for a run that goes on; only from here the write is asked for again.
  const denied = node.error?.code === 'APPROVAL_DENIED';
  return { fromHere: true, tryAgain: node.status === 'failed' && !denied };
}
