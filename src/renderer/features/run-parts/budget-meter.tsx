import { TriangleAlert } from 'lucide-react';
import type { BudgetRow } from './budget-rows';

function colourOf(share: number, breach: string | undefined): string {
  if (breach !== undefined || share >= 1) return 'bg-danger';
  return share > 0.8 ? 'bg-copper' : 'bg-accent';
}

/** The used share of a budget as a bar; the numbers beside it say the same. */
export function BudgetMeter({ row: { used = 0, limit, breach } }: { row: BudgetRow }) {
  if (limit === undefined) return null;
  const share = breach === undefined ? Math.min(1, used / limit) : 1;
  return (
    <span aria-hidden="true" className="block h-1 min-w-6 grow overflow-hidden rounded-full bg-track">
      <span
        style={{ width: `${share * 100}%` }}
        className={`block h-full rounded-full ${share > 0 ? 'min-w-0.5' : ''} ${colourOf(share, breach)}`}
      />
    </span>
  );
}

/** Used, allowed and remaining: `3 of 200 · 197 left`. */
export function BudgetNumbers({ row: { used, limit, show } }: { row: BudgetRow }) {
  if (limit === undefined) return used === undefined ? null : <span>{show(used)}</span>;
  if (used === undefined) return <span className="text-muted">up to {show(limit)}</span>;
  return (
    <span>
      {show(used)} <span className="text-muted">of {show(limit)}</span>
      {used < limit && <span className="text-muted"> · {show(limit - used)} left</span>}
    </span>
  );
}

/** The limit that ended the run or node, by its code. */
export function BudgetBreach({ breach }: { breach: string | undefined }) {
  if (breach === undefined) return null;
  return (
    <span className="flex items-center gap-1 text-danger-text">
      <TriangleAlert aria-hidden="true" className="size-3 shrink-0" />
      <span>
        used up <span className="font-mono text-xs">{breach}</span>
      </span>
    </span>
  );
}
