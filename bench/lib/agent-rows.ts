import { plain, priced, type TurnTokens } from './agent-tokens';
import { median, report } from './report';

type Turns = readonly TurnTokens[];

/** A task on both sides. */
export interface Row {
  readonly goal: string;
  readonly agent: Turns;
  readonly baseline: Turns;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const shownLost = 5;

/** The 90th percentile. */
function nineOfTen(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.9) - 1] ?? 0;
}

/** Reports one measure of Agent Mode to a baseline: pooled, median, p90, worst, and every row that it loses. */
function compare(name: string, goal: number, rows: readonly Row[], measure: (turns: Turns) => number): void {
  const ratios = rows.map(({ goal: task, agent, baseline }) => ({
    task,
    ratio: measure(agent) / measure(baseline),
  }));
  const pooled =
    sum(rows.map(({ agent }) => measure(agent))) / sum(rows.map(({ baseline }) => measure(baseline)));
  const values = ratios.map(({ ratio }) => ratio);
  report({ name, value: pooled, goal, unit: '' });
  const lost = ratios.filter(({ ratio }) => ratio > 1).toSorted((a, b) => b.ratio - a.ratio);
  process.stdout.write(
    `    median ${median(values).toFixed(3)}, p90 ${nineOfTen(values).toFixed(3)}, worst ${Math.max(...values).toFixed(3)}; lost ${lost.length} of ${rows.length}\n`,
  );
  for (const { task, ratio } of lost.slice(0, shownLost))
    process.stdout.write(`      lost ${ratio.toFixed(2)}: ${task.slice(0, 90)}\n`);
  if (lost.length > shownLost) process.stdout.write(`      … and ${lost.length - shownLost} more\n`);
}

/**
 * The maximum cost of Agent Mode relative to a baseline; absent where only the number is of interest: then it must
 * not lose.
 */
export interface Goals {
  readonly tokens: number;
  readonly price: number;
}

/** Reports tokens, and the price with caching: cached input at a tenth, output at five times the price of input. */
export function compareRows(name: string, rows: readonly Row[], { tokens, price }: Goals): void {
  compare(`${name}: tokens`, tokens, rows, plain);
  compare(`${name}: price`, price, rows, priced);
}
