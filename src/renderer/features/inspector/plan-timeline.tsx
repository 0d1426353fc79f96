import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { formatSpan } from '../../ui/format';
import { toPercentRange, type TimeRange } from '../../ui/time-range';
import { isActive, spanOf, statusOf, titleOf } from '../run-parts/run-facts';
import { StatusMark } from '../../ui/status-mark';
import { useNow } from '../../ui/use-now';
import type { PlanViewProps } from './plan-graph';

const inks: Readonly<Record<ReturnType<typeof statusOf>, string>> = {
  pending: 'bg-track',
  running: 'bg-accent',
  waiting: 'bg-copper',
  done: 'bg-accent',
  failed: 'bg-danger',
  skipped: 'bg-line-strong',
  cancelled: 'bg-line-strong',
  declined: 'bg-line-strong',
};

interface BarProps {
  readonly range: TimeRange;
  readonly from: number | undefined;
  readonly to: number;
  readonly ink: string;
}

function Bar({ range, from, to, ink }: BarProps) {
  return (
    <span aria-hidden="true" className="relative block h-2 rounded-full bg-track">
      {from !== undefined && (
        <span
          style={toPercentRange(range, from, to)}
          className={classNames('absolute inset-y-0 min-w-1 rounded-full', ink)}
        />
      )}
    </span>
  );
}

/** Planning ends when the first step begins, or when the run ends before any step. */
function planningEnd({ nodes, endedAt }: RunState, now: number): number {
  const starts = nodes.flatMap(({ startedAt }) => startedAt ?? []);
  return starts.length === 0 ? (endedAt ?? now) : Math.min(...starts);
}

const row = 'grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)_4.5rem] items-center gap-3 px-4 py-1.5';

function Planning({ run, range, now }: { run: RunState; range: TimeRange; now: number }) {
  const end = planningEnd(run, now);
  return (
    <li className={row}>
      <span className="truncate ps-6 text-sm text-muted">{text('inspector.plan.planning')}</span>
      <Bar range={range} from={run.startedAt} to={end} ink="bg-line-strong" />
      <span className="numbers text-end text-xs text-muted">{formatSpan(end - run.startedAt)}</span>
    </li>
  );
}

/** The start and duration of each step on one scale; selecting a step here also selects it in the graph. */
export function PlanTimeline({ run, selected, onSelect }: PlanViewProps) {
  const now = useNow(250, isActive(run));
  const range = { from: run.startedAt, to: run.endedAt ?? now };
  return (
    <div className="border-b border-line py-1.5">
      <ol aria-label={text('inspector.plan.timeline')}>
        <Planning run={run} range={range} now={now} />
        {run.nodes.map((node) => {
          const span = spanOf(node, range.to);
          return (
            <li key={node.id}>
              <button
                type="button"
                aria-pressed={selected === node.id}
                className={classNames(
                  `${row} w-full text-start hover:bg-hover focus-visible:-outline-offset-2`,
                  selected === node.id && 'bg-active',
                )}
                onClick={() => onSelect(node.id)}
              >
                <span className="flex min-w-0 items-center gap-2">
                  <StatusMark status={statusOf(run, node)} bare />
                  <span dir="auto" className="truncate text-sm" title={titleOf(run, node.id)}>
                    {titleOf(run, node.id)}
                  </span>
                </span>
                <Bar
                  range={range}
                  from={node.startedAt}
                  to={node.endedAt ?? range.to}
                  ink={inks[statusOf(run, node)]}
                />
                <span className="numbers text-end text-xs text-muted">
                  {span === undefined ? '–' : formatSpan(span)}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      <p
        aria-hidden="true"
        className="numbers grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)_4.5rem] gap-3 px-4 pt-0.5 text-2xs text-muted"
      >
        <span />
        <span className="flex justify-between">
          <span>0</span>
          <span>{formatSpan(range.to - range.from)}</span>
        </span>
      </p>
    </div>
  );
}
