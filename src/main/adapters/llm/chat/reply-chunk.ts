import { z } from 'zod';
import { JsonObject } from '#shared/json';

// Lenient on purpose: servers omit, null or add members; a missing member has no meaning, an invalid one
// makes the chunk invalid.
const text = z
  .union([
    z.string(),
    z.array(
      z.object({
        text: z.string().nullish(),
        /** The parts of a thinking block (Mistral). */
        thinking: z
          .array(z.object({ text: z.string().nullish() }))
          .nullish()
          .catch(null),
      }),
    ),
  ])
  .nullish();

/** OpenRouter's form of thinking, which returns as it came. */
const ReasoningDetail = z.looseObject({ type: z.string(), index: z.number().int().nullish() });
export type ReasoningDetail = z.infer<typeof ReasoningDetail>;

const ToolCallDelta = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
  /** Gemini signs its calls here; returns as it came. */
  extra_content: JsonObject.nullish().catch(null),
});
export type ToolCallDelta = z.infer<typeof ToolCallDelta>;

const Delta = z.object({
  content: text,
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish().catch(null),
  reasoning: z.string().nullish().catch(null),
  reasoning_details: z.array(ReasoningDetail).nullish().catch(null),
  tool_calls: z.array(ToolCallDelta).nullish(),
});
export type Delta = z.infer<typeof Delta>;

const ReplyUsage = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  /** DeepSeek's name for cached tokens. */
  prompt_cache_hit_tokens: z.number().nullish().catch(null),
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
