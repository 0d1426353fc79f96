import { z } from 'zod';

/** Milliseconds, megabytes and a count; `ops` are interrupt ticks of the engine. */
export const NodeMetrics = z.object({
  cpu_ms: z.number(),
  mem_mb: z.number(),
  tool_calls: z.number().int(),
  wall_ms: z.number(),
  ops: z.number().int().optional(),
});
export type NodeMetrics = z.infer<typeof NodeMetrics>;

/** Resources of two attempts of a step: their sums, but the larger memory. */
export const addMetrics = (a: NodeMetrics, b: NodeMetrics): NodeMetrics => ({
  cpu_ms: a.cpu_ms + b.cpu_ms,
  mem_mb: Math.max(a.mem_mb, b.mem_mb),
  tool_calls: a.tool_calls + b.tool_calls,
  wall_ms: a.wall_ms + b.wall_ms,
  ...((a.ops !== undefined || b.ops !== undefined) && { ops: (a.ops ?? 0) + (b.ops ?? 0) }),
});
