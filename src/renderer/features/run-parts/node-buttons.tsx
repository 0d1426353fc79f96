import { Play, RotateCcw } from 'lucide-react';
import type { NodeState, RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { hasUnknownOutcome } from '../../store/session-view';
import { isActive, titleOf } from './run-facts';
import { Tooltip } from '../../ui/tooltip';

export interface NodeButtonsProps {
  readonly run: RunState;
  readonly node: NodeState;
  /** Resumes the run where it stopped, or reruns it from the given node. */
  readonly onRerun: (from?: string) => void;
}

const about = {
  tryAgain: text('runParts.step.tryAgainAbout'),
  from: text('runParts.step.runFromHereAbout'),
};

/** The actions of a node, once its run has ended and can resume. */
export function NodeButtons({ run, node, onRerun }: NodeButtonsProps) {
  const { fromHere, tryAgain } = chancesOf(run, node);
  if (!fromHere) return null;
  const title = titleOf(run, node.id);
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {tryAgain && (
        <Tooltip text={about.tryAgain}>
          <Button
            className="h-7 px-2"
            aria-label={text('runParts.step.tryAgainName', { title })}
            onClick={() => onRerun()}
          >
            <RotateCcw aria-hidden="true" className="size-3" />
            {text('runParts.step.tryAgain')}
          </Button>
        </Tooltip>
      )}
      <Tooltip text={about.from}>
        <Button
          className="h-7 px-2"
          aria-label={text('runParts.step.runFromHereName', { title })}
          onClick={() => onRerun(node.id)}
        >
          <Play aria-hidden="true" className="size-3 fill-current" />
          {text('runParts.step.runFromHere')}
        </Button>
      </Tooltip>
    </div>
  );
}

/** The possible actions for one node of an ended run. */
interface NodeChances {
  /** Reruns the node and everything that depends on it; its writes need approval again. */
  readonly fromHere: boolean;
  /** Resumes where the run stopped: completed steps and writes stay done. */
  readonly tryAgain: boolean;
}
const none: NodeChances = { fromHere: false, tryAgain: false };

/** None while the run is in progress, without a plan, or until every unknown write outcome is resolved. */
function chancesOf(run: RunState, node: NodeState): NodeChances {
  // An approval node that the host inserted starts and ends with the node it announces.
  const isApproval = run.announces?.[node.id] !== undefined;
  if (isActive(run) || !run.plan || hasUnknownOutcome(run) || isApproval) return none;
  // A denial stays a denial when a run resumes; only a rerun from here asks about the write again.
  const denied = node.error?.code === 'APPROVAL_DENIED';
  return { fromHere: true, tryAgain: node.status === 'failed' && !denied };
}
