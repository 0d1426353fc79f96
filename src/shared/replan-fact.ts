import { z } from 'zod';
import { AppError } from './app-error';
import { TaintSource } from './approval';
import { Usage } from './model';
import { Plan } from './plan';

const turn = z.number().int().nonnegative();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), turn, runId: z.string(), ...shape });

/** Facts of a run that is planned again because steps of it failed (agent-mode specification, Executor Rules). */
export const replanFacts = [
  /** The model is asked for steps to take the place of those that failed. */
  about('replan-started', { failed: z.array(z.string()) }),
  /** The run goes on with this plan; the nodes named are done and are not run again. */
  about('plan-revised', {
    plan: Plan,
    planHash: z.string(),
    kept: z.array(z.string()),
    announces: z.record(z.string(), z.string()).optional(),
    /** The tools whose results the model knew of when it wrote the new steps. */
    origins: z.array(TaintSource).optional(),
    /** Model turns and tokens of this planning. */
    usage: Usage.optional(),
  }),
  /** No plan came of it: the run ends with what succeeded. */
  about('replan-failed', { error: AppError, usage: Usage.optional() }),
] as const;
