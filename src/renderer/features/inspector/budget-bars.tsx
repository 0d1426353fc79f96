import { BudgetBreach, BudgetMeter, BudgetNumbers } from '../run-parts/budget-meter';
import type { BudgetRow } from '../run-parts/budget-rows';

/** What a node spent, drawn against what it was allowed; the limit that ended it is marked. */
export function BudgetBars({ rows }: { rows: readonly BudgetRow[] }) {
  return (
    <dl className="numbers grid grid-cols-[4.5rem_1fr] items-center gap-y-1.5 text-sm">
      {rows.map((row) => (
        <div key={row.name} className="col-span-2 grid grid-cols-subgrid items-center">
          <dt className="text-muted">{row.name}</dt>
          <dd className="flex flex-wrap items-center justify-end gap-x-3">
            <BudgetMeter row={row} />
            <BudgetNumbers row={row} />
            <BudgetBreach breach={row.breach} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
