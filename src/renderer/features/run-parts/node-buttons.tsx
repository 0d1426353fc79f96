import { Play, RotateCcw } from 'lucide-react';
import type { NodeState, RunState } from '#shared/session-state';
import { Button } from '../../ui/button';
import { isActive, hasUnknownOutcome, titleOf } from './run-facts';
import { Tooltip } from '../../ui/tooltip';

export interface NodeButtonsProps {
  readonly run: RunState;
  readonly node: NodeState;
  /** Has the run go on where it stopped, or anew from the node named. */
  readonly onRerun: (from?: string) => void;
}

const words = {
  again:
    'Goes on with the nodes that are not done. What is done stays as it is, and no write is made a second time.',
  from: 'Runs this node and every node that depends on it anew. Their writes are asked for again.',
};

/** A node's own ways on, once its run has ended and can go on. */
export function NodeButtons({ run, node, onRerun }: NodeButtonsProps) {
  const { fromHere, tryAgain } = chancesOf(run, node);
  if (!fromHere) return null;
  const title = titleOf(run, node.id);
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {tryAgain && (
        <Tooltip text={words.again}>
          <Button className="h-7 px-2" aria-label={`Try again: ${title}`} onClick={() => onRerun()}>
            <RotateCcw aria-hidden="true" className="size-3" />
            Try again
          </Button>
        </Tooltip>
      )}
      <Tooltip text={words.from}>
        <Button className="h-7 px-2" aria-label={`Run from here: ${title}`} onClick={() => onRerun(node.id)}>
          <Play aria-hidden="true" className="size-3 fill-current rtl:-scale-x-100" />
          Run from here
        </Button>
      </Tooltip>
    </div>
  );
}

/** What can be done with one node of a run that has ended. */
interface NodeChances {
  /** The node and all that depends on it anew; its writes are asked for anew. */
  readonly fromHere: boolean;
  /** On from where the run stopped: what is done, writes too, stays done. */
  readonly tryAgain: boolean;
}
const none: NodeChances = { fromHere: false, tryAgain: false };

/** Nothing while the run is under way, had no plan, or has a write of unknown outcome: that is settled first. */
function chancesOf(run: RunState, node: NodeState): NodeChances {
  // An approval node the host inserted begins and ends with the node it stands for.
  const stands = run.announces?.[node.id] !== undefined;
  if (isActive(run) || !run.plan || hasUnknownOutcome(run) || stands) return none;
  // A no stays a no for a run that goes on; only from here the write is asked for again.
  const denied = node.error?.code === 'APPROVAL_DENIED';
  return { fromHere: true, tryAgain: node.status === 'failed' && !denied };
}
