import type { UsageReport } from '#shared/usage-report';
import { text } from '../../locales/text';
import { formatCost } from '../../ui/cost-text';
import { formatDay } from '../../ui/format';

export type PlotOf = 'cost' | 'tokens';

const inks = ['bg-plot-1', 'bg-plot-2', 'bg-plot-3', 'bg-plot-4', 'bg-plot-5'];
const otherInk = 'bg-plot-6';

type Amounts = UsageReport['lines'][number]['parts'][number];

export const amountOf = (of: PlotOf, { cost, inputTokens, outputTokens }: Omit<Amounts, 'model'>): number =>
  of === 'cost' ? cost.usd : inputTokens + outputTokens;

export const amountText = (of: PlotOf, amount: number): string =>
  of === 'cost' ? formatCost(amount) : text('settings.usage.tokens', { count: Math.round(amount) });

/** The colour of each model: the largest get their own, all others share one. */
export function modelInks(report: UsageReport, of: PlotOf): ReadonlyMap<string, string> {
  const sums = new Map<string, number>();
  for (const { parts } of report.lines)
    for (const part of parts) sums.set(part.model, (sums.get(part.model) ?? 0) + amountOf(of, part));
  const names = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  return new Map(names.map((name, at) => [name, inks[at] ?? otherInk]));
}

const dayMs = 86_400_000;

/** Every day from one to another, those without calls too. */
function daysBetween(from: string, to: string): readonly string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const count = Math.max(0, Math.min(400, Math.round((last - first) / dayMs)));
  return Array.from({ length: count + 1 }, (_, at) =>
    new Date(first + at * dayMs).toISOString().slice(0, 10),
  );
}

/** A round number not below the largest amount, so that the scale reads well. */
function scaleOf(largest: number): number {
  if (largest <= 0) return 1;
  const step = 10 ** Math.floor(Math.log10(largest));
  return ([1, 2, 5, 10].find((times) => times * step >= largest) ?? 10) * step;
}

function Bar({
  of,
  day,
  line,
  scale,
  inkOf,
}: {
  readonly of: PlotOf;
  readonly day: string;
  readonly line: UsageReport['lines'][number] | undefined;
  readonly scale: number;
  readonly inkOf: ReadonlyMap<string, string>;
}) {
  const parts = line?.parts ?? [];
  const about = line ? amountText(of, amountOf(of, line)) : text('settings.usage.nothing');
  return (
    <div
      title={`${formatDay(day)}: ${about}`}
      className="group flex h-full min-w-0 flex-1 flex-col justify-end px-px"
    >
      <div className="flex h-full flex-col justify-end rounded-xs group-hover:bg-hover">
        {parts.toReversed().map((part) => (
          <span
            key={part.model}
            style={{ height: `${(amountOf(of, part) / scale) * 100}%` }}
            className={`w-full first:rounded-t-xs ${inkOf.get(part.model) ?? otherInk}`}
          />
        ))}
      </div>
    </div>
  );
}

/** Cost or tokens of each day, stacked by model; the table below has the numbers. */
export function UsagePlot({ report, of }: { readonly report: UsageReport; readonly of: PlotOf }) {
  const days = daysBetween(report.from, report.to);
  const byDay = new Map(report.lines.map((line) => [line.key, line]));
  const scale = scaleOf(Math.max(0, ...report.lines.map((line) => amountOf(of, line))));
  const inkOf = modelInks(report, of);
  return (
    <figure className="flex flex-col gap-2">
      <div
        role="img"
        aria-label={text('settings.usage.plot', {
          from: formatDay(report.from),
          to: formatDay(report.to),
          total: amountText(of, amountOf(of, report.total)),
        })}
        className="relative flex h-36 items-end border-b border-line-strong pt-4"
      >
        <span aria-hidden className="numbers absolute top-0 end-0 text-2xs text-muted">
          {amountText(of, scale)}
        </span>
        <span aria-hidden className="absolute inset-x-0 top-4 border-t border-dashed border-line" />
        {days.map((day) => (
          <Bar key={day} of={of} day={day} line={byDay.get(day)} scale={scale} inkOf={inkOf} />
        ))}
      </div>
      <div aria-hidden className="numbers -mt-1 flex justify-between text-2xs text-muted">
        <span>{formatDay(report.from)}</span>
        <span>{formatDay(report.to)}</span>
      </div>
      <figcaption className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
        {[...inkOf].slice(0, 8).map(([model, ink]) => (
          <span key={model} className="flex min-w-0 items-center gap-1.5">
            <span aria-hidden className={`size-2 shrink-0 rounded-xs ${ink}`} />
            <span className="truncate">{model}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
