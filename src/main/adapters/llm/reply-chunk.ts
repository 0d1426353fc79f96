import { z } from 'zod';

// Lenient on purpose: servers omit, null or add members; a missing member has no meaning, an invalid one
// makes the chunk invalid.
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
  completion_tokens_details: z.object({ reasoning_tokens: z.number().nullish() }).nullish().catch(null),
});

/** One event of a streamed chat completion, or a whole completion (`message` in place of `delta`). */
export const ReplyChunk = z.object({
  error: z.unknown().optional(),
  /** Equals `error` when a server reports its failure without wrapping it. */
  object: z.unknown().optional(),
  message: z.unknown().optional(),
  code: z.unknown().optional(),
  choices: z
    .array(
      z.object({ delta: Delta.nullish(), message: Delta.nullish(), finish_reason: z.string().nullish() }),
    )
    .nullish(),
  // An unreadable token count must not fail the reply.
  usage: ReplyUsage.nullish().catch(null),
});
export type ReplyChunk = z.infer<typeof ReplyChunk>;

/** An error as providers send it, in a body or inside a stream. */
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

/**
 * The message in a failed response's body without `error`: the body itself, or the `detail` field of web
 * frameworks.
 */
export const ErrorBody = z.union([
  z.object({ error: z.undefined().optional(), message: z.string(), code: z.unknown(), type: z.unknown() }),
  z
    .object({ error: z.undefined().optional(), detail: z.string() })
    .transform(({ detail }) => ({ message: detail })),
]);

/** An optional size reported by a server; an invalid value counts as absent. */
const told = z.number().int().positive().optional().catch(undefined);

/**
 * An entry of `GET /models`. OpenAI's own list omits the context size; other servers add it, each under a
 * different name: OpenRouter and Together, vLLM, Mistral, LM Studio.
 */
const ListedModel = z.object({
  id: z.string().min(1).max(200),
  context_length: told,
  max_model_len: told,
  max_context_length: told,
  loaded_context_length: told,
});

export const ModelList = z.object({
  /** An invalid entry drops only itself. */
  data: z
    .array(ListedModel.nullable().catch(null))
    .max(20_000)
    .transform((entries) => entries.filter((entry) => entry !== null)),
});
