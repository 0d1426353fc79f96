import { z } from 'zod';
import {
  addCost,
  costOfCalls,
  noCost,
  totalSpent,
  type Cost,
  type ModelSpent,
  type PriceOf,
  type SpentTokens,
} from './spent';

/** What a report has a line for. */
export const UsageBy = z.enum(['day', 'model', 'session']);
export type UsageBy = z.infer<typeof UsageBy>;

/** The calls of one model in a line of a report. */
export interface UsagePart extends SpentTokens {
  /** `provider/model` */
  readonly model: string;
  readonly cost: Cost;
}

export interface UsageLine extends SpentTokens {
  /** A day, `provider/model`, or the id of a session; empty for deleted sessions. */
  readonly key: string;
  readonly name: string;
  readonly cost: Cost;
  /** By model, the most expensive first. */
  readonly parts: readonly UsagePart[];
}

/** What model calls used and cost; both days included. */
export interface UsageReport {
  readonly by: UsageBy;
  readonly from: string;
  readonly to: string;
  /** Days in order; models and sessions with the most expensive first. */
  readonly lines: readonly UsageLine[];
  readonly total: SpentTokens & { readonly cost: Cost };
  readonly month: MonthSpending;
}

/** What the calendar month has cost, and the user's limit. */
export interface MonthSpending {
  /** `YYYY-MM` */
  readonly month: string;
  readonly cost: Cost;
  /** US dollars; null: no limit. */
  readonly limit: number | null;
}

/** The share of its limit at which the user is warned. */
export const warnAt = 0.8;

type Row = ModelSpent & { readonly key: string };

const byCostDescending = (
  a: { readonly cost: Cost } & SpentTokens,
  b: { readonly cost: Cost } & SpentTokens,
): number => b.cost.usd - a.cost.usd || b.inputTokens + b.outputTokens - a.inputTokens - a.outputTokens;

function groupedBy(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const nameOfModel = ({ model }: Row): string => `${model.providerId}/${model.model}`;

/** One part for each model; its steps of input have prices of their own. */
function partsOf(rows: readonly Row[], priceOf: PriceOf): readonly UsagePart[] {
  return [...groupedBy(rows, nameOfModel)]
    .map(([model, calls]) => ({ model, ...totalSpent(calls), cost: sumCost(calls, priceOf) }))
    .sort(byCostDescending);
}

const sumCost = (rows: readonly ModelSpent[], priceOf: PriceOf): Cost =>
  rows.map((row) => costOfCalls(row, priceOf)).reduce(addCost, noCost);

/** The lines of a report from stored sums. */
export function usageLines(
  by: UsageBy,
  rows: readonly Row[],
  priceOf: PriceOf,
  nameOf: (key: string) => string,
): readonly UsageLine[] {
  const keyOf = by === 'model' ? nameOfModel : ({ key }: Row): string => key;
  const lines = [...groupedBy(rows, keyOf)].map(([key, calls]) => ({
    key,
    name: nameOf(key),
    ...totalSpent(calls),
    cost: sumCost(calls, priceOf),
    parts: partsOf(calls, priceOf),
  }));
  return lines.sort(by === 'day' ? (a, b) => (a.key < b.key ? -1 : 1) : byCostDescending);
}

/** The decimal places of an amount in US dollars: to the cent, and for small amounts two digits that count. */
export function dollarDigits(usd: number): number {
  if (usd === 0 || usd >= 0.995) return 2;
  return Math.min(Math.max(2, 1 - Math.floor(Math.log10(usd))), 6);
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(dollarDigits(usd))}`;
}
