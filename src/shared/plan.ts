import { z } from 'zod';
import { maxNodes, NodeBudgets } from './budgets';
import { withoutDirectionControls } from './direction-controls';
import { JsonObject } from './json';

/** Ids are also JavaScript identifiers, because a script reads `inputs.<id>`. */
export const NodeId = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'must match [a-z][a-z0-9_]*')
  .max(64);

/** What scripts receive: with 1 (the default) every text unchanged; with 2 the parsed value of a text that is JSON. */
export const ScriptApi = z.union([z.literal(1), z.literal(2)]);

/** Maximum items of a step that runs once for each item. */
export const maxItems = 500;
/** Maximum items that one step asks a model about at the same time. */
export const maxParallelItems = 4;

/** One step of a plan: a script for the sandbox, a question to the user, or a quarantined model call. */
export const PlanNode = z.strictObject({
  id: NodeId,
  // A model writes it: it is drawn as it reads wherever the step is named.
  title: z.string().overwrite(withoutDirectionControls).min(1).max(200),
  kind: z.enum(['script', 'approval', 'llm']),
  deps: z.array(NodeId).default([]),
  code: z.string().optional(),
  tools: z.array(z.string()).optional(),
  params: JsonObject.optional(),
  prompt: z.string().max(32_768).optional(),
  outputSchema: JsonObject.optional(),
  /** `<step>.<path>`: an `llm` step asks its prompt once for each item of this array. */
  each: z.string().max(512).optional(),
  /** The number of items asked about at the same time. */
  parallel: z.number().int().min(1).max(maxParallelItems).optional(),
  budgets: NodeBudgets.partial().optional(),
  idempotent: z.boolean().optional(),
  api: ScriptApi.optional(),
});
export type PlanNode = z.infer<typeof PlanNode>;

/**
 * `earlier`: the cached plan that a model made for the same goal, tools and inputs,
 * reused without a model turn.
 */
export const PlanSource = z.enum(['recipe', 'file', 'model', 'earlier']);
export type PlanSource = z.infer<typeof PlanSource>;

/** A text is a template over node results and costs no second model turn; `llm` requests one. */
export const PlanAnswer = z.union(
  [z.string().max(8_192), z.strictObject({ llm: z.literal(true), prompt: z.string().max(8_192).optional() })],
  { error: 'needs a text of at most 8192 characters, or {"llm": true} with or without a "prompt".' },
);
export type PlanAnswer = z.infer<typeof PlanAnswer>;

/** A small DAG of short scripts: everything the run will do, reviewable before it runs. */
export const Plan = z.strictObject({
  goal: z.string().min(1).max(32_768),
  constraints: z.array(z.string()).default([]),
  nodes: z.array(PlanNode).min(1).max(maxNodes),
  answer: PlanAnswer,
  /** The api of the scripts that name none. */
  api: ScriptApi.optional(),
});
export type Plan = z.infer<typeof Plan>;

/**
 * Plans that run one after another without a model. The answer may name the results of all of them; an answer of
 * a stage is not used.
 */
export const StagedPlan = z.strictObject({
  stages: z
    .array(z.strictObject({ ...Plan.shape, answer: PlanAnswer.optional() }))
    .min(1)
    .max(20),
  answer: PlanAnswer,
});
