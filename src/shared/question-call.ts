import { z } from 'zod';
import { JsonObject } from './json';

/** The exact call that a yes is for (TUL-006 §7.7). */
export const QuestionCall = z.strictObject({
  tool: z.string(),
  arguments: JsonObject,
  /** SHA-256, in hex, of the canonical `{arguments, tool}`: the yes is bound to it. */
  hash: z.string(),
  /** The workflow in which it was asked: as long as that goes on, the question outlives the process that asked. */
  workflowRunId: z.string().optional(),
});
export type QuestionCall = z.infer<typeof QuestionCall>;
