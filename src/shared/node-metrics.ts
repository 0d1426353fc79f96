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
