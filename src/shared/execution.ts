import { z } from 'zod';
import { NodeBudgets } from './budgets';
import { JsonObject } from './json';
import { NodeMetrics } from './node-metrics';

/** What the sandbox is given: one short script, its data, the tools it may name and what it may spend. */
export const ExecutionUnit = z.strictObject({
  engine: z.string(),
  code: z.string(),
  params: JsonObject.default({}),
  inputs: JsonObject.optional(),
  allowed_tools: z.array(z.string()).default([]),
  /** How the script names tools whose `server.tool` is not the one these tools alone would get. */
  tool_names: z.record(z.string(), z.string()).optional(),
  budgets: NodeBudgets.partial().default({}),
});
export type ExecutionUnit = z.infer<typeof ExecutionUnit>;

/** `artifact://sha256/<64 hex digits>`: a value kept outside every model's context. */
export const ArtifactHandle = z.string().regex(/^artifact:\/\/sha256\/[0-9a-f]{64}$/);
export type ArtifactHandle = z.infer<typeof ArtifactHandle>;

export const Artifact = z.object({
  type: z.string(),
  handle: ArtifactHandle,
  bytes: z.number().int().nonnegative(),
  name: z.string().optional(),
});
export type Artifact = z.infer<typeof Artifact>;

/** The only thing a node gives back; at most 600 tokens whatever its tools returned. */
export const ResultEnvelope = z.object({
  summary: z.string(),
  artifacts: z.array(Artifact),
  state_updates: JsonObject,
  metrics: NodeMetrics,
});
export type ResultEnvelope = z.infer<typeof ResultEnvelope>;
