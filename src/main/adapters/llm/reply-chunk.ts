import { z } from 'zod';

// Lenient on purpose: servers leave out, null or add members; what is missing means nothing, what is wrong is garbage.
const text = z.union([z.string(), z.array(z.object({ text: z.string().nullish() }))]).nullish();

const ToolCallDelta = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
});
export type ToolCallDelta = z.infer<typeof ToolCallDelta>;

const Delta = z.object({
  content: text,
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolCallDelta).nullish(),
});
export type Delta = z.infer<typeof Delta>;

const ReplyUsage = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish().catch(null),
});

/** One event of a streamed chat completion, or a whole completion (`message` in place of `delta`). */
export const ReplyChunk = z.object({
  error: z.unknown().optional(),
  /** `error` where a server reports its failure without wrapping it. */
  object: z.unknown().optional(),
  message: z.unknown().optional(),
  code: z.unknown().optional(),
  choices: z
    .array(
      z.object({ delta: Delta.nullish(), message: Delta.nullish(), finish_reason: z.string().nullish() }),
    )
    .nullish(),
  // A count nobody can read costs no reply.
  usage: ReplyUsage.nullish().catch(null),
});
export type ReplyChunk = z.infer<typeof ReplyChunk>;

/** An error as providers write it, in a body or inside a stream. */
export const ReportedError = z.union([
  z.string().transform((message) => ({ message, code: '' })),
  z
    .object({
      message: z.unknown().optional(),
      code: z.union([z.string(), z.number()]).nullish(),
      type: z.string().nullish(),
    })
    .transform(({ message, code, type }) => ({
      message: typeof message === 'string' ? message : '',
      code: `${code ?? ''} ${type ?? ''}`.trim(),
    })),
]);

/** What a failed response's body says where it has no `error`: the body itself, or what web frameworks call `detail`. */
export const ErrorBody = z.union([
  z.object({ error: z.undefined().optional(), message: z.string(), code: z.unknown(), type: z.unknown() }),
  z
    .object({ error: z.undefined().optional(), detail: z.string() })
    .transform(({ detail }) => ({ message: detail })),
]);

/** A size that a server tells of its own accord: anything else is as if it had not. */
const told = z.number().int().positive().optional().catch(undefined);

/**
 * An entry of `GET /models`. How much fits into a model's context is not in OpenAI's own list; other servers add it, each under a
 * name of its own: OpenRouter and Together, vLLM, Mistral, LM Studio.
 */
const ListedModel = z.object({
  id: z.string().min(1).max(200),
  context_length: told,
  max_model_len: told,
  max_context_length: told,
  loaded_context_length: told,
});

export const ModelList = z.object({
  /** An entry that names no model costs only itself. */
  data: z
    .array(ListedModel.nullable().catch(null))
    .max(20_000)
    .transform((entries) => entries.filter((entry) => entry !== null)),
});
