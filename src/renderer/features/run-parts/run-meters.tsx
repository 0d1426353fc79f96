import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { BudgetBreach, BudgetMeter, BudgetNumbers } from './budget-meter';
import { runRows, type BudgetRow } from './budget-rows';
import { isActive } from './run-facts';
import { useNow } from '../../ui/use-now';

/** The used share from which a budget is worth the user's attention. */
const nearlyUsed = 0.7;

const isTight = ({ used = 0, limit, breached }: BudgetRow): boolean =>
  breached || (limit !== undefined && used >= limit * nearlyUsed);

interface RunMetersProps {
  readonly run: RunState;
  /** Leaves out the budgets of which less than 70 % is used. */
  readonly onlyTight?: boolean;
}

/** The resources a run has used, with a small meter for each of its budgets. */
export function RunMeters({ run, onlyTight = false }: RunMetersProps) {
  const all = runRows(run, useNow(1_000, isActive(run)));
  const rows = onlyTight ? all.filter(isTight) : all;
  if (rows.length === 0) return null;
  return (
    <dl
      aria-label={text('runParts.budget.name')}
      className="numbers grid grid-cols-2 gap-x-5 gap-y-2 px-3 pt-1 pb-3 text-xs"
    >
      {rows.map((row) => (
        <div key={row.name} className="min-w-0">
          <dt className="text-muted">{row.name}</dt>
          <dd className="mt-0.5 space-y-1">
            <BudgetMeter row={row} />
            <BudgetNumbers row={row} />
            <BudgetBreach row={row} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
