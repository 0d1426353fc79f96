import { costOf, inputStep, type ModelPrice, type ModelRef, type Usage } from './model';

/** The tokens of model calls. */
export interface SpentTokens {
  readonly calls: number;
  readonly inputTokens: number;
  /** Input tokens served from the provider's cache. */
  readonly cachedTokens: number;
  /** Input tokens written to the provider's cache. */
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Output tokens spent on thinking. */
  readonly reasoningTokens: number;
  /** The input of those calls whose provider said how much of it came from its cache. */
  readonly reportedInput: number;
  /** Calls whose tokens are estimates. */
  readonly estimated: number;
}

/** Calls of one model, all with inputs of the same step. */
export interface ModelSpent extends SpentTokens {
  readonly model: ModelRef;
  readonly step: number;
}

export const nothingSpent: SpentTokens = {
  calls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  reportedInput: 0,
  estimated: 0,
};

export const addTokens = (a: SpentTokens, b: SpentTokens): SpentTokens => ({
  calls: a.calls + b.calls,
  inputTokens: a.inputTokens + b.inputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  reportedInput: a.reportedInput + b.reportedInput,
  estimated: a.estimated + b.estimated,
});

export const totalSpent = (spent: readonly SpentTokens[]): SpentTokens =>
  spent.reduce(addTokens, nothingSpent);

/** One model call; null for a call that no model read. */
export function spentBy(model: ModelRef, usage: Usage): ModelSpent | null {
  if (usage.modelTurns === 0) return null;
  const { inputTokens, cachedTokens, cacheWriteTokens = 0, outputTokens, reasoningTokens = 0 } = usage;
  return {
    model,
    step: usage.modelTurns === 1 ? inputStep(inputTokens) : 0,
    calls: usage.modelTurns,
    inputTokens,
    cachedTokens: cachedTokens ?? 0,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    reportedInput: cachedTokens === undefined ? 0 : inputTokens,
    estimated: usage.estimated === true ? usage.modelTurns : 0,
  };
}

const sameCalls = (a: ModelSpent, b: ModelSpent): boolean =>
  a.model.providerId === b.model.providerId && a.model.model === b.model.model && a.step === b.step;

/** The calls with more calls, one entry for each model and step. */
export function addSpent(spent: readonly ModelSpent[], more: readonly ModelSpent[]): readonly ModelSpent[] {
  return more.reduce<readonly ModelSpent[]>((sum, call) => {
    const at = sum.findIndex((entry) => sameCalls(entry, call));
    const entry = sum[at];
    if (!entry) return [...sum, call];
    return sum.with(at, { ...entry, ...addTokens(entry, call) });
  }, spent);
}

/** The share of the input that came from the cache; null when no provider reported it. */
export const hitRate = ({ cachedTokens, reportedInput }: SpentTokens): number | null =>
  reportedInput === 0 ? null : cachedTokens / reportedInput;

/** Input tokens that were neither read from a cache nor written to one. */
export const freshTokens = ({ inputTokens, cachedTokens, cacheWriteTokens }: SpentTokens): number =>
  Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);

/** What calls cost. A call without a known price costs an unknown amount, never nothing. */
export interface Cost {
  /** US dollars of the calls with a known price. */
  readonly usd: number;
  /** Calls without a known price. */
  readonly unpriced: number;
}

export const noCost: Cost = { usd: 0, unpriced: 0 };

export const addCost = (a: Cost, b: Cost): Cost => ({
  usd: a.usd + b.usd,
  unpriced: a.unpriced + b.unpriced,
});

export type PriceOf = (model: ModelRef) => ModelPrice | null | undefined;

/** The cost of calls of one model. */
export function costOfCalls(spent: ModelSpent, priceOf: PriceOf): Cost {
  const price = priceOf(spent.model);
  if (!price) return { usd: 0, unpriced: spent.calls };
  const { calls, estimated: _estimated, ...tokens } = spent;
  return { usd: costOf({ ...tokens, modelTurns: calls }, price, spent.step), unpriced: 0 };
}

export const costOfSpent = (spent: readonly ModelSpent[], priceOf: PriceOf): Cost =>
  spent.map((calls) => costOfCalls(calls, priceOf)).reduce(addCost, noCost);
