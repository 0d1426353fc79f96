import type { ReactNode } from 'react';
import { TriangleAlert } from 'lucide-react';
import { richText, text } from '../../locales/text';
import type { BudgetRow } from './budget-rows';

function colourOf(share: number, breached: boolean): string {
  if (breached || share >= 1) return 'bg-danger';
  return share > 0.8 ? 'bg-copper' : 'bg-accent';
}

/** The used share of a budget as a bar; the numbers beside it say the same. */
export function BudgetMeter({ row: { used = 0, limit, breached = false } }: { row: BudgetRow }) {
  if (limit === undefined) return null;
  const share = breached ? 1 : Math.min(1, used / limit);
  return (
    <span aria-hidden="true" className="block h-1 min-w-6 grow overflow-hidden rounded-full bg-track">
      <span
        style={{ width: `${share * 100}%` }}
        className={`block h-full rounded-full ${share > 0 ? 'min-w-0.5' : ''} ${colourOf(share, breached)}`}
      />
    </span>
  );
}

/** Used, allowed and remaining: `3 of 200 · 197 left`. */
export function BudgetNumbers({ row: { used, limit, show } }: { row: BudgetRow }) {
  if (limit === undefined) return used === undefined ? null : <span>{show(used)}</span>;
  if (used === undefined)
    return <span className="text-muted">{text('runParts.budget.upTo', { limit: show(limit) })}</span>;
  const muted = (inner: ReactNode) => <span className="text-muted">{inner}</span>;
  const numbers = { used: show(used), limit: show(limit), muted };
  return (
    <span>
      {used < limit
        ? richText('runParts.budget.usedOfLeft', { ...numbers, left: show(limit - used) })
        : richText('runParts.budget.usedOf', numbers)}
    </span>
  );
}

/** Says that this limit ended the run or node; the card of the failure has its code. */
export function BudgetBreach({ row: { breached } }: { row: BudgetRow }) {
  if (!breached) return null;
  return (
    <span className="flex items-center gap-1 text-danger-text">
      <TriangleAlert aria-hidden="true" className="size-3 shrink-0" />
      {text('runParts.budget.breach')}
    </span>
  );
}
