import { Replace } from 'lucide-react';
import { text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { revisionOf } from '../run-parts/revised-steps';
import { stepFacts, statusOf, titleOf } from '../run-parts/run-facts';
import { StatusMark } from '../../ui/status-mark';
import type { PlanViewProps } from './plan-graph';
import { formatList } from '../../ui/format';

/** The plan as a list, an alternative to the graph: the same nodes, the same action. */
export function PlanList({ run, selected, onSelect }: PlanViewProps) {
  return (
    <ol aria-label={text('inspector.plan.list')} className="border-b border-line py-1">
      {run.nodes.map((node) => {
        const revised = revisionOf(run, node.id) !== undefined;
        const deps = run.plan?.nodes.find(({ id }) => id === node.id)?.deps ?? [];
        return (
          <li key={node.id}>
            <button
              type="button"
              aria-pressed={selected === node.id}
              className={classNames(
                'flex w-full items-center gap-2.5 px-4 py-1.5 text-start hover:bg-hover focus-visible:-outline-offset-2',
                selected === node.id && 'bg-active',
              )}
              onClick={() => onSelect(node.id)}
            >
              <StatusMark status={statusOf(run, node)} bare />
              <span className="min-w-0 grow">
                <span dir="auto" className="block truncate text-base">
                  {titleOf(run, node.id)}
                </span>
                {deps.length > 0 && (
                  <span className="block truncate text-xs text-muted">
                    {text('inspector.step.after', { steps: formatList(deps) })}
                  </span>
                )}
              </span>
              <span className="numbers shrink-0 text-xs text-muted">
                {revised && <Replace aria-hidden="true" className="me-1 inline size-3.5 text-accent-text" />}
                {stepFacts(node, revised)}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
