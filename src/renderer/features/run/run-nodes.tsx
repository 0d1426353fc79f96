import type { AppError } from '#shared/app-error';
import type { NodeState, RunState } from '#shared/session-state';
import { withoutUnknownOutcome } from '#shared/unknown-outcome';
import { text } from '../../locales/text';
import { describeError } from '../../ui/error-text';
import { FailedAttempts } from '../../ui/failed-attempts';
import { formatSpan } from '../../ui/format';
import { NodeButtons, type NodeButtonsProps } from '../run-parts/node-buttons';
import { isActive, spanOf, summaryOf, titleOf } from '../run-parts/run-facts';
import { StatusMark } from '../../ui/status-mark';
import { useNow } from '../../ui/use-now';

function NodeSpan({ node, ticking }: { node: NodeState; ticking: boolean }) {
  const now = useNow(100, ticking);
  const span = spanOf(node, now);
  return span === undefined ? null : <span>{formatSpan(span)}</span>;
}

/** Whether the card below the run shows the same error with the next steps. */
function isReportedBelow({ error }: RunState, problem: AppError): boolean {
  return error !== undefined && error.code === problem.code && error.message.includes(problem.message);
}

/** Whether the error is a write of unknown outcome, which the question below the run shows. */
function isAskedBelow({ writes }: RunState, { id, error }: NodeState): boolean {
  return (
    error?.outcome === 'unknown' &&
    writes.some(({ nodeId, outcome }) => nodeId === id && outcome === 'unknown')
  );
}

function NodeProblem({ run, node }: { run: RunState; node: NodeState }) {
  if (!node.error) return null;
  if (isAskedBelow(run, node)) {
    return <p className="readable mt-0.5 text-sm text-muted">{text('run.confirmBelow')}</p>;
  }
  const { title, next } = describeError(node.error);
  // The user has confirmed the outcome, so there is nothing left to check.
  const over = node.error.outcome === 'unknown';
  return (
    <p dir="auto" className="readable mt-0.5 text-sm wrap-anywhere">
      <span className="text-danger-text">{title}.</span> {withoutUnknownOutcome(node.error.message)}
      {!over && !isReportedBelow(run, node.error) && <span className="text-muted"> {next}</span>}
    </p>
  );
}

function NodeRow({ run, node, onRerun }: NodeButtonsProps) {
  const summary = summaryOf(node);
  const ticking = isActive(run) && node.status === 'running';
  return (
    <li className="flex gap-2.5 px-3 py-1.5">
      <div className="flex h-5 items-center">
        <StatusMark status={node.status} bare />
      </div>
      <div className="min-w-0 grow">
        <div className="flex min-w-0 items-baseline gap-3">
          <span dir="auto" className="min-w-0 grow truncate text-base" title={titleOf(run, node.id)}>
            {titleOf(run, node.id)}
          </span>
          <span className="numbers flex shrink-0 gap-2 text-xs text-muted">
            {node.cached && <span>{text('run.cached')}</span>}
            {node.callCount > 0 && <span>{text('shared.calls', { count: node.callCount })}</span>}
            <NodeSpan node={node} ticking={ticking} />
          </span>
        </div>
        {summary !== '' && (
          <p dir="auto" className="readable line-clamp-3 text-sm text-muted wrap-anywhere">
            {summary}
          </p>
        )}
        <FailedAttempts node={node} />
        <NodeProblem run={run} node={node} />
        {node.status === 'failed' && <NodeButtons run={run} node={node} onRerun={onRerun} />}
      </div>
    </li>
  );
}

function NodeList({ run, nodes, onRerun }: Omit<NodeButtonsProps, 'node'> & { nodes: readonly NodeState[] }) {
  return (
    <ol className="pb-1.5">
      {nodes.map((node) => (
        <NodeRow key={node.id} run={run} node={node} onRerun={onRerun} />
      ))}
    </ol>
  );
}

/**
 * All nodes of a run in plan order: status, duration, calls and summary; a failed node can be retried. A run
 * in stages shows them one after another, each under its number.
 */
export function RunNodes({ run, onRerun }: Omit<NodeButtonsProps, 'node'>) {
  const { stages = [], nodes } = run;
  if (stages.length < 2) return <NodeList run={run} nodes={nodes} onRerun={onRerun} />;
  return stages.map(({ stage, plan }) => {
    const ids = plan.nodes.map(({ id }) => id);
    const heading = text('run.stage', { stage });
    return (
      <section key={stage} aria-label={heading}>
        <h4 className="px-3 pt-1.5 pb-0.5 text-xs font-medium text-muted">{heading}</h4>
        <NodeList run={run} nodes={nodes.filter(({ id }) => ids.includes(id))} onRerun={onRerun} />
      </section>
    );
  });
}
