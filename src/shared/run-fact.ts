import { z } from 'zod';
import { Budgets } from './budgets';
import { Grant } from './grant';
import { Json } from './json';

const turn = z.number().int().nonnegative();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), turn, runId: z.string(), ...shape });

/** Facts of a run from the user's actions. */
export const runFacts = [
  /** The user edited a call before approving it; `hash` covers the edited call. */
  about('approval-edited', { approvalId: z.string(), arguments: Json, hash: z.string() }),
  /** An ended or interrupted run was resumed; the `kept` nodes do not run again. */
  about('run-resumed', { kept: z.array(z.string()), budgets: Budgets.optional() }),
  /** No new step begins until the run continues; steps in progress may end. */
  about('run-paused', {}),
  about('run-continued', {}),
  /** Permissions that the user saved from a card of this run. */
  about('grants-given', { grants: z.array(Grant) }),
  /** The user reported the outcome of a write that was not observed. */
  about('write-settled', { callId: z.string(), outcome: z.enum(['done', 'failed']) }),
] as const;
