import type { Cost } from '#shared/spent';
import { dollars } from '#shared/usage-report';
import { text } from '../locales/text';

/** A cost in words. Calls without a known price are never counted as free. */
export function costText({ usd, unpriced }: Cost, calls: number): string {
  if (calls > 0 && unpriced >= calls) return text('ui.cost.unknown');
  return unpriced === 0 ? dollars(usd) : text('ui.cost.partly', { cost: dollars(usd), count: unpriced });
}
