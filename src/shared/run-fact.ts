import { z } from 'zod';
import { Budgets } from './budgets';
import { Grant } from './grant';
import { Json } from './json';

const turn = z.number().int().nonnegative();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), turn, runId: z.string(), ...shape });

/** Facts of a run that a person steers. */
export const runFacts = [
  /** The user changed a call before saying yes to it; `hash` is of the call as it is now. */
  about('approval-edited', { approvalId: z.string(), arguments: Json, hash: z.string() }),
  /** A run that had ended, or was interrupted, goes on; the nodes named are not run again. */
  about('run-resumed', { kept: z.array(z.string()), budgets: Budgets.optional() }),
  /** Nothing new begins until it continues; what was under way may end. */
  about('run-paused', {}),
  about('run-continued', {}),
  /** Standing answers the user gave on a card of this run. */
  about('grants-given', { grants: z.array(Grant) }),
  /** The user says how a write ended that nobody saw the end of. */
  about('write-settled', { callId: z.string(), outcome: z.enum(['done', 'failed']) }),
] as const;
