import { z } from 'zod';

const count = z.number().int().nonnegative();
const Cost = z.object({ turns: count, tokens: count });

/** Model turns and tokens that a run used, with an estimate for calling the same tools directly. */
export const Receipt = z.object({ estimate: z.literal(true), calls: count, used: Cost, direct: Cost });
export type Receipt = z.infer<typeof Receipt>;
