import { z } from 'zod';
import { Budgets } from './budgets';
import { Grant } from './grant';
import { Json } from './json';

const turn = z.number().int().nonnegative();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), turn, runId: z.string(), ...shape });

const stage = z.number().int().positive();

/** A part of a model's message. `provider` is opaque and returns to the same provider unchanged. */
export const MessagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), provider: Json.optional() }),
  z.object({ type: z.literal('thinking'), text: z.string(), provider: Json.optional() }),
  z.object({
    type: z.literal('call'),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    provider: Json.optional(),
  }),
]);
export type MessagePart = z.infer<typeof MessagePart>;

/** Facts of a run from the user's actions, and of its stages. */
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
  /** All nodes of a stage have ended. */
  about('stage-ended', { stage, summaryHash: z.string() }),
  /** What a planning model replied in a stage, in parts. */
  about('model-step-ended', { stage, parts: z.array(MessagePart) }),
  /** What the planning model received for its plan or for a call of a function; without `callId`, for text. */
  about('planning-answered', { stage, callId: z.string().optional(), content: z.string() }),
  /** The user reported the outcome of a write that was not observed. */
  about('write-settled', { callId: z.string(), outcome: z.enum(['done', 'failed']) }),
] as const;
