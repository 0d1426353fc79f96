import { z } from 'zod';
import { JsonObject } from './json';
import { WorkflowChoice } from './workflow-event';

/** What the user does with the workflow of a session. */
export const WorkflowAct = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('give-inputs'), inputs: JsonObject }),
  /** How to go on after an error that stopped it. */
  z.strictObject({ type: z.literal('choose'), choice: WorkflowChoice }),
  z.strictObject({ type: z.literal('cancel') }),
  /** Work with what is published now. */
  z.strictObject({ type: z.literal('reload') }),
]);
export type WorkflowAct = z.infer<typeof WorkflowAct>;
