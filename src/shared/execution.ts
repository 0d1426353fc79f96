import { z } from 'zod';
import { NodeBudgets } from './budgets';
import { JsonObject } from './json';
import { NodeMetrics } from './node-metrics';

/** Input of the sandbox: one short script, its data, the tools it may name and its limits. */
export const ExecutionUnit = z.strictObject({
  engine: z.string(),
  code: z.string(),
  params: JsonObject.default({}),
  inputs: JsonObject.optional(),
  allowed_tools: z.array(z.string()).default([]),
  /** Names for tools in the script that differ from the names these tools alone would get. */
  tool_names: z.record(z.string(), z.string()).optional(),
  budgets: NodeBudgets.partial().default({}),
});
export type ExecutionUnit = z.infer<typeof ExecutionUnit>;

/** `artifact://sha256/<64 hex digits>`: a value stored outside every model's context. */
export const ArtifactHandle = z.string().regex(/^artifact:\/\/sha256\/[0-9a-f]{64}$/);
export type ArtifactHandle = z.infer<typeof ArtifactHandle>;

export const Artifact = z.object({
  type: z.string(),
  handle: ArtifactHandle,
  bytes: z.number().int().nonnegative(),
  name: z.string().optional(),
});
export type Artifact = z.infer<typeof Artifact>;

/** The only output of a node; at most 600 tokens, whatever its tools returned. */
export const ResultEnvelope = z.object({
  summary: z.string(),
  artifacts: z.array(Artifact),
  state_updates: JsonObject,
  metrics: NodeMetrics,
});
export type ResultEnvelope = z.infer<typeof ResultEnvelope>;
