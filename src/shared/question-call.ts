import { z } from 'zod';
import { JsonObject } from './json';

/** The exact call that a yes approves (TUL-006 §7.7). */
export const QuestionCall = z.strictObject({
  tool: z.string(),
  arguments: JsonObject,
  /** Hex SHA-256 of the canonical `{arguments, tool}`, which the approval is bound to. */
  hash: z.string(),
  /**
   * The workflow in which it was asked: while that workflow is active, the question survives a restart of the
   * process that asked.
   */
  workflowRunId: z.string().optional(),
});
export type QuestionCall = z.infer<typeof QuestionCall>;
