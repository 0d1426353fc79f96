import { z } from 'zod';

const choice = z.object({ value: z.string(), label: z.string() });
const named = {
  name: z.string(),
  label: z.string(),
  description: z.string(),
  required: z.boolean(),
};

/** One field of a form that a server requests; the kinds are exactly those of the protocol. */
export const ElicitField = z.discriminatedUnion('kind', [
  z.object({
    ...named,
    kind: z.literal('text'),
    initial: z.string().optional(),
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
  }),
  z.object({
    ...named,
    kind: z.literal('number'),
    whole: z.boolean(),
    initial: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
  z.object({ ...named, kind: z.literal('yes-no'), initial: z.boolean().optional() }),
  z.object({ ...named, kind: z.literal('one-of'), options: z.array(choice), initial: z.string().optional() }),
  z.object({
    ...named,
    kind: z.literal('some-of'),
    options: z.array(choice),
    initial: z.array(z.string()).optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
  }),
]);
export type ElicitField = z.infer<typeof ElicitField>;

/** A server's question to the user during a call. All texts come from the server, bounded and printable. */
export const Elicitation = z.object({
  server: z.string(),
  message: z.string(),
  fields: z.array(ElicitField),
});
export type Elicitation = z.infer<typeof Elicitation>;

/** An open question and the id that its answer must name. */
export interface PendingElicitation {
  readonly id: string;
  readonly request: Elicitation;
}

const Value = z.union([
  z.string().max(10_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(1_000)).max(200),
]);

/** The user's response: the form submitted, declined, or closed without an answer. */
export const ElicitAnswer = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.record(z.string(), Value) }),
  z.object({ action: z.literal('decline') }),
  z.object({ action: z.literal('cancel') }),
]);
export type ElicitAnswer = z.infer<typeof ElicitAnswer>;

/** The content of an untouched form: every default from the server, and nothing else. */
export function untouched(
  fields: readonly ElicitField[],
): Extract<ElicitAnswer, { action: 'accept' }>['content'] {
  return Object.fromEntries(
    fields.flatMap((field) => (field.initial === undefined ? [] : [[field.name, field.initial]])),
  );
}
