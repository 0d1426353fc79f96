import type { NodeMetrics } from '#shared/node-metrics';
import type { PlanNode } from '#shared/plan';
import { formatCount, formatSpan } from '../../ui/format';

interface Bar {
  readonly name: string;
  readonly used: number;
  readonly limit: number | undefined;
  readonly show: (value: number) => string;
}

const megabytes = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} MB`;

function barsOf(metrics: NodeMetrics, budgets: NonNullable<PlanNode['budgets']>): readonly Bar[] {
  const bars: Bar[] = [
    { name: 'CPU', used: metrics.cpu_ms, limit: budgets.cpu_ms, show: formatSpan },
    { name: 'Memory', used: metrics.mem_mb, limit: budgets.mem_mb, show: megabytes },
    { name: 'Calls', used: metrics.tool_calls, limit: budgets.tool_calls, show: formatCount },
  ];
  if (metrics.ops !== undefined) {
    bars.push({ name: 'Ticks', used: metrics.ops, limit: budgets.max_ops, show: formatCount });
  }
  return [...bars, { name: 'Time', used: metrics.wall_ms, limit: undefined, show: formatSpan }];
}

function BudgetBar({ bar: { name, used, limit, show } }: { bar: Bar }) {
  const share = limit === undefined ? 0 : Math.min(1, used / limit);
  const colour = share >= 1 ? 'bg-danger' : share > 0.8 ? 'bg-copper' : 'bg-accent';
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="numbers flex items-center gap-3">
        {limit !== undefined && (
          <span aria-hidden="true" className="h-1 grow overflow-hidden rounded-full bg-track">
            <span
              style={{ width: `${share * 100}%` }}
              className={`block h-full min-w-0.5 rounded-full ${colour}`}
            />
          </span>
        )}
        <span className="shrink-0">
          {show(used)}
          {limit !== undefined && <span className="text-muted"> of {show(limit)}</span>}
        </span>
      </dd>
    </>
  );
}

/** What a node spent, drawn against what it was allowed where its plan says so. */
export function BudgetBars({
  metrics,
  budgets,
}: {
  metrics: NodeMetrics;
  budgets: NonNullable<PlanNode['budgets']>;
}) {
  return (
    <dl className="grid grid-cols-[5rem_1fr] items-center gap-y-1.5 text-sm">
      {barsOf(metrics, budgets).map((bar) => (
        <BudgetBar key={bar.name} bar={bar} />
      ))}
    </dl>
  );
}
