import { z } from 'zod';
import { JsonObject } from './json';
import { WorkflowChoice } from './workflow-event';

/** A user action on the workflow of a session. */
export const WorkflowAct = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('give-inputs'), inputs: JsonObject }),
  /** How to continue after an error that stopped it. */
  z.strictObject({ type: z.literal('choose'), choice: WorkflowChoice }),
  z.strictObject({ type: z.literal('cancel') }),
  /** Switch to the published definitions. */
  z.strictObject({ type: z.literal('reload') }),
]);
export type WorkflowAct = z.infer<typeof WorkflowAct>;
