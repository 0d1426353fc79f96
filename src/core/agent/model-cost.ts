import { nodeBudgets, type Budgets } from '#shared/budgets';
import type { Json, JsonObject } from '#shared/json';
import type { Plan, PlanNode } from '#shared/plan';
import { costOf, type ModelPrice } from '#shared/model';
import type { ModelCost } from '#shared/plan-review';
import type { ArtifactStore } from '../ports/sandbox';
import { itemsAt, readEach } from './each';
import { restoreSpilled, restoreValue } from './restore-spilled';
import { ownBlock, requestText } from './run-llm-node';

/** What is known before a plan runs. */
export interface KnownResults {
  /** The results of ended steps, by id; those of an earlier run under `previous`. */
  readonly states: ReadonlyMap<string, JsonObject>;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  readonly budgets: Budgets;
  /** The host's own system text of a model step. */
  readonly hostText: string;
  readonly countTokens: (text: string) => Promise<number>;
  /** The price of the model that the steps ask, if it is known. */
  readonly price?: ModelPrice | null | undefined;
}

/** The inputs of a step besides its list; null when a step that gives one has not run. */
function otherInputs({ deps }: PlanNode, source: string, known: KnownResults): JsonObject | null {
  const inputs: Record<string, Json> = {};
  for (const id of deps.filter((dep) => dep !== source)) {
    const state = known.states.get(id);
    const whole = state && restoreSpilled(state, known.artifacts);
    if (!whole?.ok) return null;
    inputs[id] = whole.value;
  }
  return inputs;
}

/** The items that a step asks about, one call each: one without data for a step over no list; null when unknown. */
function itemsOf({ each }: PlanNode, source: string, known: KnownResults): readonly Json[] | null {
  if (each === undefined) return [null];
  const state = known.states.get(source);
  const items = state && itemsAt(state, each, (value) => restoreValue(value, known.artifacts));
  return items?.ok ? items.value : null;
}

/** The cost of one model step; null when its list is not known. */
async function stepCost(node: PlanNode, known: KnownResults): Promise<ModelCost | null> {
  const source = (node.each === undefined ? null : readEach(node.each))?.source ?? '';
  const items = itemsOf(node, source, known);
  if (!items) return null;
  const count = items.length;
  const maxTokens = count * nodeBudgets(known.budgets.node, node.budgets).tokens;
  const inputs = otherInputs(node, source, known);
  if (!inputs) return { items: count, inputTokens: null, maxTokens };
  const overList = node.each !== undefined;
  // The part that every item repeats is counted once, so that the estimate stays cheap for long lists.
  const request = requestText(node, { inputs, ...(overList && { item: null }) });
  const repeatedTokens = await known.countTokens([known.hostText, ownBlock(node).text, request].join('\n'));
  const own = overList ? await known.countTokens(items.map((item) => JSON.stringify(item)).join('\n')) : 0;
  return { items: count, inputTokens: count * repeatedTokens + own, maxTokens };
}

/**
 * About what the model steps of a plan will cost: undefined when it has none, null when a list comes from a step
 * that has not run.
 */
export async function modelCost({ nodes }: Plan, known: KnownResults): Promise<ModelCost | null | undefined> {
  const steps = nodes.filter(({ kind }) => kind === 'llm');
  if (steps.length === 0) return undefined;
  let [items, maxTokens] = [0, 0];
  let inputTokens: number | null = 0;
  for (const node of steps) {
    const cost = await stepCost(node, known);
    if (!cost) return null;
    items += cost.items;
    maxTokens += cost.maxTokens;
    inputTokens = inputTokens === null || cost.inputTokens === null ? null : inputTokens + cost.inputTokens;
  }
  const maxTotal = Math.min(maxTokens, known.budgets.run.tokens);
  return { items, inputTokens, maxTokens: maxTotal, ...maxUsdOf(known.price, inputTokens, maxTotal, items) };
}

/** About the price of the most tokens, if all but the estimated input are output. */
function maxUsdOf(
  price: ModelPrice | null | undefined,
  input: number | null,
  maxTotal: number,
  items: number,
): Pick<ModelCost, 'maxUsd'> {
  const inputTokens = Math.min(input ?? 0, maxTotal);
  const usage = { inputTokens, outputTokens: maxTotal - inputTokens, modelTurns: items };
  return price ? { maxUsd: costOf(usage, price) } : {};
}
