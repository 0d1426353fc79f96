import type { SessionState, Turn } from '#shared/session-state';
import { addSpent, costOfSpent, spentBy, type Cost, type ModelSpent, type PriceOf } from '#shared/spent';
import { createContext, use } from 'react';

/** The price of a model, as far as it is known. */
export const PriceContext = createContext<PriceOf>(() => null);

/** What the model calls of a turn cost; null while it has made none that were counted. */
export function useTurnCost({
  spent,
}: Pick<Turn, 'spent'>): { readonly cost: Cost; readonly calls: number } | null {
  const priceOf = use(PriceContext);
  if (!spent || spent.length === 0) return null;
  return { cost: costOfSpent(spent, priceOf), calls: spent.reduce((sum, { calls }) => sum + calls, 0) };
}

/** The model calls of a session by model: those of all its turns, and the summaries of its conversation. */
export function sessionSpent({ blocks, compactions = [] }: SessionState): readonly ModelSpent[] {
  const summaries = compactions.flatMap(({ model, usage }) => {
    const spent = model && usage ? spentBy(model, usage) : null;
    return spent ? [spent] : [];
  });
  return blocks.flat().reduce((sum, { spent = [] }) => addSpent(sum, spent), addSpent([], summaries));
}
