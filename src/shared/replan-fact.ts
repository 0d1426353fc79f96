import { z } from 'zod';
import { AppError } from './app-error';
import { TaintSource } from './approval';
import { Usage } from './model';
import { Plan } from './plan';

const turn = z.number().int().nonnegative();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), turn, runId: z.string(), ...shape });

/** Facts of a run that is replanned because steps of it failed (agent-mode §14). */
export const replanFacts = [
  /** The model was asked for steps to replace the failed ones. */
  about('replan-started', { failed: z.array(z.string()) }),
  /** The run continues with this plan; the `kept` nodes are done and do not run again. */
  about('plan-revised', {
    plan: Plan,
    planHash: z.string(),
    kept: z.array(z.string()),
    announces: z.record(z.string(), z.string()).optional(),
    /** Tools whose results the model had seen when it wrote the new steps. */
    origins: z.array(TaintSource).optional(),
    /** Model turns and tokens of this replan. */
    usage: Usage.optional(),
  }),
  /** The replan produced no usable plan: the run ends with what succeeded. */
  about('replan-failed', { error: AppError, usage: Usage.optional() }),
] as const;
