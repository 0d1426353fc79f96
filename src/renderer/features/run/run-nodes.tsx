import type { AppError } from '#shared/app-error';
import type { NodeState, RunState } from '#shared/session-state';
import { withoutUnknownOutcome } from '#shared/unknown-outcome';
import { text } from '../../locales/text';
import { describeError } from '../../ui/error-text';
import { FailedAttempts } from '../../ui/failed-attempts';
import { formatSpan } from '../../ui/format';
import { NodeButtons, type NodeButtonsProps } from '../run-parts/node-buttons';
import { isActive, spanOf, statusOf, summaryOf, titleOf } from '../run-parts/run-facts';
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
      <span className={statusOf(run, node) === 'declined' ? '' : 'text-danger-text'}>{title}.</span>{' '}
      {withoutUnknownOutcome(node.error.message)}
      {!over && !isReportedBelow(run, node.error) && <span className="text-muted"> {next}</span>}
    </p>
  );
}

interface NodeRowProps extends NodeButtonsProps {
  /** A later stage ran a step of the same id: this state is final. */
  readonly replaced: boolean;
  readonly title: string;
}

function NodeRow({ run, node, onRerun, replaced, title }: NodeRowProps) {
  const summary = summaryOf(node);
  const ticking = isActive(run) && node.status === 'running';
  const tokens = node.usage ? node.usage.inputTokens + node.usage.outputTokens : 0;
  return (
    <li className="flex gap-2.5 px-3 py-1.5">
      <div className="flex h-5 items-center">
        <StatusMark status={statusOf(run, node)} bare />
      </div>
      <div className="min-w-0 grow">
        <div className="flex min-w-0 items-baseline gap-3">
          <span dir="auto" className="min-w-0 grow truncate text-base" title={title}>
            {title}
          </span>
          <span className="numbers flex shrink-0 gap-2 text-xs text-muted">
            {node.cached && <span>{text('run.cached')}</span>}
            {ticking && node.progress && (
              <span>{text('run.items', { done: node.progress.done, of: node.progress.of })}</span>
            )}
            {tokens > 0 && <span>{text('run.tokens', { count: tokens })}</span>}
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
        {node.status === 'failed' && !replaced && <NodeButtons run={run} node={node} onRerun={onRerun} />}
      </div>
    </li>
  );
}

/**
 * The state of a step as its stage left it: when a later stage used its id again, the one that was replaced.
 */
function stateIn(
  run: RunState,
  stage: number,
  id: string,
): { node: NodeState; replaced: boolean } | undefined {
  for (const laterStage of run.stages ?? []) {
    const old = laterStage.stage > stage ? laterStage.replaced.find((node) => node.id === id) : undefined;
    if (old) return { node: old, replaced: true };
  }
  const node = run.nodes.find((each) => each.id === id);
  return node && { node, replaced: false };
}

/**
 * All nodes of a run in plan order: status, duration, calls and summary; a failed node can be retried. A run
 * in stages shows them one after another, each under its number.
 */
export function RunNodes({ run, onRerun }: Omit<NodeButtonsProps, 'node'>) {
  const { stages = [], nodes } = run;
  if (stages.length < 2) {
    return (
      <ol className="pb-1.5">
        {nodes.map((node) => (
          <NodeRow
            key={node.id}
            run={run}
            node={node}
            replaced={false}
            title={titleOf(run, node.id)}
            onRerun={onRerun}
          />
        ))}
      </ol>
    );
  }
  return stages.map(({ stage, plan }) => {
    const heading = text('run.stage', { stage });
    return (
      <section key={stage} aria-label={heading}>
        <h4 className="px-3 pt-1.5 pb-0.5 text-xs font-medium text-muted">{heading}</h4>
        <ol className="pb-1.5">
          {plan.nodes.map(({ id, title }) => {
            const state = stateIn(run, stage, id);
            return state && <NodeRow key={id} run={run} {...state} title={title} onRerun={onRerun} />;
          })}
        </ol>
      </section>
    );
  });
}
