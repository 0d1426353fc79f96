import { freshTokens, hitRate } from '#shared/spent';
import { warnAt, type UsageBy, type UsageLine, type UsageReport } from '#shared/usage-report';
import { useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands, useMirror } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { costText, formatCost } from '../../ui/cost-text';
import { formatCount, formatMonth, formatDay } from '../../ui/format';
import { InlineSelect } from '../../ui/inline-select';
import { TokenBar } from '../../ui/token-bar';
import { UsagePlot, type PlotOf } from './usage-plot';

const periods = ['month', 'days30', 'days90', 'year'] as const;
type Period = (typeof periods)[number];

const two = (value: number): string => String(value).padStart(2, '0');
const localDay = (date: Date): string =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** The first day of a period that ends today. */
function firstDay(period: Period, today: Date): string {
  if (period === 'month') return `${localDay(today).slice(0, 7)}-01`;
  const back = { days30: 29, days90: 89, year: 364 }[period];
  return localDay(new Date(today.getFullYear(), today.getMonth(), today.getDate() - back));
}

/** Reads a report again when the question, the limit or the prices change. */
function useReport(by: UsageBy, period: Period): UsageReport | null {
  const commands = useCommands();
  const settings = useMirror((mirror) => mirror.settings);
  const models = useMirror((mirror) => mirror.models);
  const [report, setReport] = useState<UsageReport | null>(null);
  useEffect(() => {
    let current = true;
    const today = new Date();
    void commands.usageReport({ by, from: firstDay(period, today), to: localDay(today) }).then((read) => {
      if (current && read) setReport(read);
    });
    return () => {
      current = false;
    };
  }, [commands, by, period, settings, models]);
  return report;
}

/** A cost of which no price is known is not zero. */
const isUnknown = ({ usd, unpriced }: UsageReport['month']['cost']): boolean => usd === 0 && unpriced > 0;

const spentText = (cost: UsageReport['month']['cost']): string =>
  isUnknown(cost) ? text('ui.cost.unknown') : formatCost(cost.usd);

function Month({ month: { month, cost, limit } }: { readonly month: UsageReport['month'] }) {
  const share = limit === null ? 0 : Math.min(1, cost.usd / limit);
  const ink = share >= 1 ? 'bg-danger' : share >= warnAt ? 'bg-copper' : 'bg-accent';
  return (
    <div className="flex flex-col gap-1.5 rounded-lg border border-line p-4">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="numbers text-xl font-semibold">{spentText(cost)}</span>
        <span className="numbers text-sm text-muted">
          {limit === null
            ? text('settings.usage.noLimit', { month: formatMonth(month) })
            : text('settings.usage.ofLimit', {
                month: formatMonth(month),
                limit: formatCost(limit),
                percent: Math.round(share * 100),
              })}
        </span>
      </p>
      {limit !== null && (
        <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-track">
          <span style={{ width: `${share * 100}%` }} className={`block h-full rounded-full ${ink}`} />
        </div>
      )}
      {limit !== null && share >= warnAt && (
        <p className={classNames('text-xs', share >= 1 ? 'text-danger-text' : 'text-copper-text')}>
          {text(share >= 1 ? 'settings.usage.reached' : 'settings.usage.near')}
        </p>
      )}
      {cost.unpriced > 0 && (
        <p className="numbers text-xs text-muted">
          {text('settings.usage.unpriced', { count: cost.unpriced })} {text('settings.usage.setPrice')}
        </p>
      )}
    </div>
  );
}

function lineName(by: UsageBy, { key, name }: UsageLine): string {
  if (by === 'day') return formatDay(key);
  if (by === 'model') return key;
  return key === '' ? text('settings.usage.deleted') : name || text('settings.usage.untitled');
}

function Row({ by, line }: { readonly by: UsageBy; readonly line: UsageLine }) {
  const rate = hitRate(line);
  return (
    <tr className="border-b border-line align-top last:border-0">
      <th scope="row" className="max-w-44 py-1.5 pe-3 text-start font-normal">
        <span className="block truncate">{lineName(by, line)}</span>
        <TokenBar
          uncached={freshTokens(line)}
          cached={line.cachedTokens}
          written={line.cacheWriteTokens}
          output={line.outputTokens}
        />
      </th>
      <td className="py-1.5 pe-3 text-end">{formatCount(freshTokens(line))}</td>
      <td className="py-1.5 pe-3 text-end">{formatCount(line.cachedTokens)}</td>
      <td className="py-1.5 pe-3 text-end">{formatCount(line.cacheWriteTokens)}</td>
      <td className="py-1.5 pe-3 text-end">{formatCount(line.outputTokens)}</td>
      <td className="py-1.5 pe-3 text-end">{rate === null ? '–' : `${Math.round(rate * 100)} %`}</td>
      <td className="py-1.5 text-end">{costText(line.cost, line.calls)}</td>
    </tr>
  );
}

const columns = ['fresh', 'cached', 'written', 'output', 'hitRate', 'cost'] as const;

function Lines({ report }: { readonly report: UsageReport }) {
  const shown = report.by === 'day' ? report.lines.toReversed() : report.lines;
  return (
    <div className="overflow-x-auto">
      <table className="numbers w-full text-xs">
        <caption className="sr-only">{text('settings.usage.table')}</caption>
        <thead>
          <tr className="border-b border-line text-muted">
            <th scope="col" className="py-1.5 pe-3 text-start font-normal">
              {text(`settings.usage.by.${report.by}`)}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="py-1.5 pe-3 text-end font-normal last:pe-0">
                {text(`settings.usage.columns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, 100).map((line) => (
            <Row key={line.key} by={report.by} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What model calls used and cost: the month against its limit, a plot of days, and a table. */
export function UsageSection() {
  const [by, setBy] = useState<UsageBy>('day');
  const [period, setPeriod] = useState<Period>('month');
  const [chosenOf, setOf] = useState<PlotOf | null>(null);
  const days = useReport('day', period);
  const other = useReport(by, period);
  if (!days || !other) return null;
  // Of calls without a price there is no cost to draw, but their tokens are known.
  const unknown = isUnknown(days.total.cost);
  const of = chosenOf ?? (unknown ? 'tokens' : 'cost');
  return (
    <>
      <Month month={days.month} />
      <div className="flex flex-wrap gap-2">
        <InlineSelect
          label={text('settings.usage.period')}
          value={period}
          options={periods.map((each) => [each, text(`settings.usage.periods.${each}`)])}
          onChange={setPeriod}
        />
        <InlineSelect
          label={text('settings.usage.show')}
          value={of}
          options={(['cost', 'tokens'] as const).map((each) => [each, text(`settings.usage.of.${each}`)])}
          onChange={setOf}
        />
        <InlineSelect
          label={text('settings.usage.group')}
          value={by}
          options={(['day', 'model', 'session'] as const).map((each) => [
            each,
            text(`settings.usage.groups.${each}`),
          ])}
          onChange={setBy}
        />
      </div>
      {days.lines.length === 0 ? (
        <p className="text-sm text-muted">{text('settings.usage.none')}</p>
      ) : (
        <>
          {of === 'cost' && unknown ? (
            <p className="text-sm text-muted">{text('settings.usage.noPrice')}</p>
          ) : (
            <UsagePlot report={days} of={of} />
          )}
          <Lines report={other} />
        </>
      )}
      <p className="text-xs text-muted">{text('settings.usage.about')}</p>
    </>
  );
}
