import type { NodeCall, NodeState } from '#shared/session-state';
import { text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { formatSpan } from '../../ui/format';
import { shownStatus } from '../../ui/status-mark';
import { toPercentRange } from '../../ui/time-range';

const maxLanes = 12;

interface Span {
  readonly call: NodeCall;
  readonly from: number;
  readonly to: number;
}

/**
 * Packs spans into the fewest lanes that keep concurrent spans apart; the first free lane is used first.
 * Pure.
 */
export function lanesOf(spans: readonly Span[]): readonly (readonly Span[])[] {
  const lanes: Span[][] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const free = lanes.find((lane) => (lane.at(-1)?.to ?? 0) <= span.from);
    if (free) free.push(span);
    else lanes.push([span]);
  }
  return lanes;
}

function spansOf({ calls }: NodeState): readonly Span[] {
  return calls.flatMap((call) =>
    call.endedAt === undefined || call.cached === true
      ? []
      : [{ call, from: call.endedAt - call.ms, to: call.endedAt }],
  );
}

/** When a step's calls ran, with concurrent calls side by side; the list below has the same numbers. */
export function NodeSpans({ node }: { readonly node: NodeState }) {
  const spans = spansOf(node);
  if (spans.length < 2 || node.startedAt === undefined) return null;
  const range = {
    from: Math.min(node.startedAt, ...spans.map(({ from }) => from)),
    to: Math.max(node.endedAt ?? 0, ...spans.map(({ to }) => to)),
  };
  const lanes = lanesOf(spans);
  return (
    <div aria-hidden="true" className="mb-2 rounded-lg border border-line bg-surface px-2.5 py-2">
      {lanes.slice(0, maxLanes).map((lane, at) => (
        <div key={at} className="relative my-0.5 h-1.5 rounded-full bg-track">
          {lane.map(({ call, from, to }) => (
            <span
              key={call.callId}
              title={`${call.tool}, ${formatSpan(call.ms)}`}
              style={toPercentRange(range, from, to)}
              className={classNames(
                'absolute inset-y-0 min-w-0.5 rounded-full',
                shownStatus(call.outcome, call.error) === 'failed' ? 'bg-danger' : 'bg-accent',
              )}
            />
          ))}
        </div>
      ))}
      <p className="numbers mt-1 flex justify-between text-2xs text-muted">
        <span>0</span>
        {lanes.length > maxLanes && (
          <span>{text('inspector.step.moreAtOnce', { count: lanes.length - maxLanes })}</span>
        )}
        <span>{formatSpan(range.to - range.from)}</span>
      </p>
    </div>
  );
}
