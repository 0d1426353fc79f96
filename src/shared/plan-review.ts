import { z } from 'zod';
import type { AppError } from './app-error';
import { JsonObject } from './json';
import type { Plan, PlanNode } from './plan';

/**
 * When a run in Agent Mode waits for the user: at approval cards (`writes`), also before each stage (`plan`), or
 * never (`none`), which refuses every write that no saved permission covers.
 */
export const Review = z.enum(['writes', 'plan', 'none']);
export type Review = z.infer<typeof Review>;

/** One change that the user made to a proposed plan. */
export const PlanChange = z.discriminatedUnion('type', [
  z.object({ type: z.literal('removed'), id: z.string(), title: z.string() }),
  z.object({ type: z.literal('added'), id: z.string() }),
  /** `fields` of the step have new values. */
  z.object({ type: z.literal('edited'), id: z.string(), fields: z.array(z.string()) }),
  /** The steps that stayed are in another order: their ids. */
  z.object({ type: z.literal('reordered'), order: z.array(z.string()) }),
  /** Fields of the plan itself. */
  z.object({ type: z.literal('plan-edited'), fields: z.array(z.string()) }),
]);
export type PlanChange = z.infer<typeof PlanChange>;

/** What the user runs: a waiting plan as proposed, or with changes. */
export const PlanDecision = z.object({
  stage: z.number().int().positive(),
  /** The hash of the plan that the user was shown. */
  planHash: z.string().max(100),
  /** The whole plan as the user edited it, unchecked. */
  plan: z.unknown().optional(),
  /** Other values for the parameters of its recipe. */
  params: JsonObject.optional(),
});
export type PlanDecision = z.infer<typeof PlanDecision>;

/** About what the model steps of a plan will cost. */
export const ModelCost = z.object({
  /** The model's calls: one for each item of a list, and one for each other step. */
  items: z.number().int().nonnegative(),
  /** Null while an input comes from a step that has not run. */
  inputTokens: z.number().int().nonnegative().nullable(),
  /** The limit for input and output together. */
  maxTokens: z.number().int().nonnegative(),
  /** About the US dollars for `maxTokens`, at the price of the run's model; absent while that is unknown. */
  maxUsd: z.number().nonnegative().optional(),
});
export type ModelCost = z.infer<typeof ModelCost>;

/** A waiting plan as the user edits it; without `plan` it cannot run. */
export interface PlanPreview {
  readonly findings: readonly AppError[];
  readonly plan?: Plan;
  /** The tools with which a step may write, by its id. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
  /** Null while a list is not known; absent without a model step. */
  readonly cost?: ModelCost | null;
}

/** Fields that follow from others: the check declares the tools, and approval nodes are the host's. */
const derived: ReadonlySet<string> = new Set(['id', 'tools']);

function changedFields(before: object, after: object, ignored: ReadonlySet<string>): readonly string[] {
  const [old, now] = [before, after].map((value) => new Map<string, unknown>(Object.entries(value)));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].filter(
    (name) => !ignored.has(name) && JSON.stringify(old?.get(name)) !== JSON.stringify(now?.get(name)),
  );
}

const idsAmong = (nodes: readonly PlanNode[], others: ReadonlyMap<string, PlanNode>): readonly string[] =>
  nodes.flatMap(({ id }) => (others.has(id) ? [id] : []));

/** What differs between a proposed plan and the one that the user ran; empty when nothing does. Pure. */
export function planChanges(before: Plan, after: Plan): readonly PlanChange[] {
  const old = new Map(before.nodes.map((node) => [node.id, node]));
  const now = new Map(after.nodes.map((node) => [node.id, node]));
  const removed = before.nodes.filter(({ id }) => !now.has(id));
  const edited = after.nodes.flatMap((node): PlanChange[] => {
    const one = old.get(node.id);
    if (!one) return [{ type: 'added', id: node.id }];
    const fields = changedFields(one, node, derived);
    return fields.length > 0 ? [{ type: 'edited', id: node.id, fields: [...fields] }] : [];
  });
  const order = idsAmong(after.nodes, old);
  const moved = order.join() !== idsAmong(before.nodes, now).join();
  const fields = changedFields(before, after, new Set(['nodes']));
  return [
    ...removed.map(({ id, title }) => ({ type: 'removed' as const, id, title })),
    ...edited,
    ...(moved ? [{ type: 'reordered' as const, order: [...order] }] : []),
    ...(fields.length > 0 ? [{ type: 'plan-edited' as const, fields: [...fields] }] : []),
  ];
}
