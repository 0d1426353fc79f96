import { z } from 'zod';

/** An optional size reported by a server; an invalid value counts as absent. */
const told = z.number().int().positive().optional().catch(undefined);

/**
 * An entry of `GET /models`. OpenAI's own list omits the context size; other servers add it, each under a
 * different name: OpenRouter and Together, vLLM, Mistral, LM Studio, Anthropic, Groq, llama.cpp.
 */
const ListedModel = z.object({
  id: z.string().min(1).max(200),
  context_length: told,
  max_model_len: told,
  max_context_length: told,
  loaded_context_length: told,
  max_input_tokens: told,
  context_window: told,
  meta: z.object({ n_ctx_train: told }).optional().catch(undefined),
});

export const ModelList = z.object({
  /** An invalid entry drops only itself. */
  data: z
    .array(ListedModel.nullable().catch(null))
    .max(20_000)
    .transform((entries) => entries.filter((entry) => entry !== null)),
});
