import { appError, type AppError } from '#shared/app-error';
import type { Notice } from '#shared/notice';
import { ok, type Result } from '#shared/result';
import { addCost, costOfCalls, noCost, totalSpent, type PriceOf } from '#shared/spent';
import {
  dollars,
  usageLines,
  warnAt,
  type MonthSpending,
  type UsageBy,
  type UsageReport,
} from '#shared/usage-report';
import type { SettingsStore } from '../../core/ports/settings-store';
import type { UsageStore } from '../../core/ports/usage-store';
import type { SessionLog } from '../../core/session/session-log';
import type { Notices } from '../notices/notices';

export interface UsageDeps {
  readonly store: UsageStore;
  readonly priceOf: PriceOf;
  /** The local day, as `YYYY-MM-DD`. */
  readonly today: () => string;
  readonly settings: Pick<SettingsStore, 'get'>;
  readonly log: Pick<SessionLog, 'summaries' | 'subscribe'>;
  readonly notices: Pick<Notices, 'raise' | 'withdraw'>;
}

export interface UsageQuestion {
  readonly by: UsageBy;
  /** Days as `YYYY-MM-DD`; the first day of the month and today when absent. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export type UsageReports = ReturnType<typeof createUsageReports>;

const noticeId = 'spending-limit';

/** What model calls used and cost, and whether the month's limit is reached. */
export function createUsageReports(deps: UsageDeps) {
  const { store, priceOf, today, settings, log } = deps;

  const month = (): Result<MonthSpending> => {
    const name = today().slice(0, 7);
    const rows = store.spent('model', `${name}-01`, `${name}-31`);
    if (!rows.ok) return rows;
    const cost = rows.value.map((row) => costOfCalls(row, priceOf)).reduce(addCost, noCost);
    const { monthlyLimit } = settings.get();
    return ok({ month: name, cost, limit: monthlyLimit === 0 ? null : monthlyLimit });
  };

  /** The titles of sessions; null when the lines are not sessions. */
  const titlesFor = (by: UsageBy): Result<ReadonlyMap<string, string> | null> => {
    if (by !== 'session') return ok(null);
    const summaries = log.summaries({});
    if (!summaries.ok) return summaries;
    return ok(new Map(summaries.value.map(({ id, title }) => [id, title])));
  };

  return {
    month,
    /** Errors: HOST/STORAGE. */
    report({ by, from = `${today().slice(0, 7)}-01`, to = today() }: UsageQuestion): Result<UsageReport> {
      const rows = store.spent(by, from, to);
      if (!rows.ok) return rows;
      const read = titlesFor(by);
      if (!read.ok) return read;
      const titles = read.value;
      const spending = month();
      if (!spending.ok) return spending;
      // A session that was just deleted keeps its rows until it is erased.
      const placed = titles
        ? rows.value.map((row) => (titles.has(row.key) ? row : { ...row, key: '' }))
        : rows.value;
      const lines = usageLines(by, placed, priceOf, (key) => (titles ? (titles.get(key) ?? '') : key));
      const cost = lines.map((line) => line.cost).reduce(addCost, noCost);
      return ok({ by, from, to, lines, total: { ...totalSpent(lines), cost }, month: spending.value });
    },
    /** Why no model may be called now; null when it may. */
    refusal(): AppError | null {
      if (settings.get().limitAction !== 'stop') return null;
      const spending = month();
      return spending.ok ? overLimit(spending.value) : null;
    },
    /** Warns the user as the month's cost comes near its limit; returns a function that stops it. */
    watch(): () => void {
      let lastTitle = '';
      return log.subscribe((events) => {
        if (!events.some(({ type }) => type === 'model-called' || type === 'history-compacted')) return;
        const spending = month();
        const notice = spending.ok ? limitNotice(spending.value, settings.get().limitAction) : null;
        if (notice === null) {
          if (lastTitle !== '') deps.notices.withdraw(noticeId);
          lastTitle = '';
          return;
        }
        // Once for each level and month: the user has dismissed the same warning before.
        if (notice.title === lastTitle) return;
        lastTitle = notice.title;
        deps.notices.raise(notice);
      });
    },
  };
}

function overLimit({ month, cost, limit }: MonthSpending): AppError | null {
  if (limit === null || cost.usd < limit) return null;
  const message = `The model calls of ${month} have cost ${dollars(cost.usd)}, and your monthly limit is ${dollars(limit)}.`;
  return appError('BUDGET', 'COST_LIMIT', message, {
    hint: 'Raise the limit or let it only warn in Settings → Usage, or choose the offline provider.',
  });
}

function limitNotice({ month, cost, limit }: MonthSpending, action: 'warn' | 'stop'): Notice | null {
  if (limit === null || cost.usd < limit * warnAt) return null;
  const reached = cost.usd >= limit;
  const percent = Math.floor((cost.usd / limit) * 100);
  const then =
    action === 'stop'
      ? 'Patina sends nothing more this month once it is reached.'
      : 'Patina continues to send messages.';
  return {
    id: noticeId,
    level: 'warning',
    title: reached
      ? `The monthly limit of ${month} is reached`
      : `${Math.round(warnAt * 100)} % of the monthly limit of ${month} is used`,
    detail: `Model calls have cost ${dollars(cost.usd)} of ${dollars(limit)} (${percent} %). ${then}`,
    hint: 'Change the limit in Settings → Usage, or with: patina usage --limit <dollars>',
  };
}
