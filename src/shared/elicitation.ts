import { z } from 'zod';

const choice = z.object({ value: z.string(), label: z.string() });
const named = {
  name: z.string(),
  label: z.string(),
  description: z.string(),
  required: z.boolean(),
};

/** One field of a form that a server asks for; the kinds are those the protocol allows, and there are no others. */
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

/** What a server wants to know from the user while it works on a call. All texts are the server's, bounded and printable. */
export const Elicitation = z.object({
  server: z.string(),
  message: z.string(),
  fields: z.array(ElicitField),
});
export type Elicitation = z.infer<typeof Elicitation>;

/** An open question and the id that its answer names. */
export interface PendingElicitation {
  readonly id: string;
  readonly asked: Elicitation;
}

const Value = z.union([
  z.string().max(10_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(1_000)).max(200),
]);

/** What the user made of it: the form sent, refused, or closed without an answer. */
export const ElicitAnswer = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.record(z.string(), Value) }),
  z.object({ action: z.literal('decline') }),
  z.object({ action: z.literal('cancel') }),
]);
export type ElicitAnswer = z.infer<typeof ElicitAnswer>;

/** The form as it stands before anyone touched it: every default the server gave, and nothing else. */
export function untouched(
  fields: readonly ElicitField[],
): Extract<ElicitAnswer, { action: 'accept' }>['content'] {
  return Object.fromEntries(
    fields.flatMap((field) => (field.initial === undefined ? [] : [[field.name, field.initial]])),
  );
}
