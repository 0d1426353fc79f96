import type { Cost } from '#shared/spent';
import { dollarDigits } from '#shared/usage-report';
import { locale, text } from '../locales/text';

/** An amount in US dollars, with as many digits as `dollars` of the terminal. */
export function formatCost(usd: number): string {
  const digits = dollarDigits(usd);
  const style = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  return new Intl.NumberFormat(locale, {
    ...style,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(usd);
}

/** A cost in words. Calls without a known price are never counted as free. */
export function costText({ usd, unpriced }: Cost, calls: number): string {
  if (calls > 0 && unpriced >= calls) return text('ui.cost.unknown');
  return unpriced === 0
    ? formatCost(usd)
    : text('ui.cost.partly', { cost: formatCost(usd), count: unpriced });
}
