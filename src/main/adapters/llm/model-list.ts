import { z } from 'zod';
import type { Abilities } from '#shared/known-models';
import type { ModelPrice } from '#shared/model';

/** An optional field reported by a server; an invalid value counts as absent. */
export const optionalField = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);
export const size = optionalField(z.number().int().positive());
export const words = optionalField(z.array(z.string()));
const flag = optionalField(z.boolean());
/** Anthropic's form of a flag. */
const supported = optionalField(z.object({ supported: z.boolean() }));

/** Dollars per token as OpenRouter writes them; a negative number says that the price varies. */
const perToken = optionalField(
  z
    .string()
    .regex(/^\d+(\.\d+)?(e-?\d+)?$/i)
    .transform(Number),
);

/**
 * An entry of `GET /models`. OpenAI's own list has the id alone; other servers add facts, each under names of
 * their own: OpenRouter and Together, vLLM, Mistral, LM Studio, Anthropic, Groq, Gemini, Ollama, llama.cpp.
 */
export const ListedModel = z.object({
  id: z.string().min(1).max(200),
  context_length: size,
  max_model_len: size,
  max_context_length: size,
  loaded_context_length: size,
  max_input_tokens: size,
  context_window: size,
  inputTokenLimit: size,
  outputTokenLimit: size,
  max_completion_tokens: size,
  max_tokens: size,
  thinking: flag,
  meta: optionalField(z.object({ n_ctx_train: size })),
  top_provider: optionalField(z.object({ max_completion_tokens: size })),
  architecture: optionalField(z.object({ input_modalities: words })),
  supported_parameters: words,
  capabilities: optionalField(
    z.union([
      z.array(z.string()),
      z.object({ vision: flag, function_calling: flag, image_input: supported, thinking: supported }),
    ]),
  ),
  pricing: optionalField(
    z.object({
      prompt: perToken,
      completion: perToken,
      input_cache_read: perToken,
      input_cache_write: perToken,
    }),
  ),
});
export type ListedModel = z.infer<typeof ListedModel>;

/** The entries of a list; an invalid entry drops only itself. */
export const entriesOf = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema.nullable().catch(null))
    .max(20_000)
    .transform((entries) => entries.filter((entry) => entry !== null));

export const ModelList = z.object({ data: entriesOf(ListedModel) });

/** The context size of a listed model: the loaded size, otherwise the maximum of the model. */
export const contextOf = (model: ListedModel): number | undefined =>
  model.loaded_context_length ??
  model.context_length ??
  model.max_model_len ??
  model.context_window ??
  model.meta?.n_ctx_train ??
  model.inputTokenLimit ??
  model.max_input_tokens ??
  model.max_context_length;

/** Whether any of several flags says so; undefined when none is reported. */
const anyOf = (...flags: readonly (boolean | undefined)[]): boolean | undefined =>
  flags.find((value) => value === true) ?? flags.find((value) => value !== undefined);

/** Ollama and llama.cpp list what a model can do; a list without a word says that it cannot. */
const has = (list: readonly string[] | undefined, ...names: readonly string[]): boolean | undefined =>
  list === undefined || list.length === 0 ? undefined : names.some((name) => list.includes(name));

/** Both forms of `capabilities`: words, and flags. */
const wordsOf = ({ capabilities }: ListedModel) => (Array.isArray(capabilities) ? capabilities : undefined);
const flagsOf = ({ capabilities }: ListedModel) => (Array.isArray(capabilities) ? undefined : capabilities);

const outputOf = (model: ListedModel): number | undefined =>
  model.top_provider?.max_completion_tokens ??
  model.max_completion_tokens ??
  model.outputTokenLimit ??
  // Only Anthropic uses this name for the model's own limit.
  (flagsOf(model)?.image_input ? model.max_tokens : undefined);

const imagesOf = (model: ListedModel): boolean | undefined =>
  anyOf(
    has(model.architecture?.input_modalities, 'image'),
    has(wordsOf(model), 'vision', 'multimodal'),
    flagsOf(model)?.vision,
    flagsOf(model)?.image_input?.supported,
  );

const toolsOf = (model: ListedModel): boolean | undefined =>
  anyOf(
    has(model.supported_parameters, 'tools'),
    has(wordsOf(model), 'tools'),
    flagsOf(model)?.function_calling,
  );

const thinkingOf = (model: ListedModel): boolean | undefined =>
  anyOf(
    has(model.supported_parameters, 'reasoning', 'include_reasoning'),
    has(wordsOf(model), 'thinking'),
    flagsOf(model)?.thinking?.supported,
    model.thinking,
  );

/** What a listed model can do, as far as its server says it. */
export function listedAbilities(model: ListedModel): Abilities {
  const [outputTokens, images] = [outputOf(model), imagesOf(model)];
  const [tools, thinking] = [toolsOf(model), thinkingOf(model)];
  return {
    ...(outputTokens !== undefined && { outputTokens }),
    ...(images !== undefined && { images }),
    ...(tools !== undefined && { tools }),
    ...(thinking !== undefined && { thinking }),
  };
}

/** Dollars per million tokens, without the noise of binary fractions. */
const perMillion = (dollars: number): number => Number((dollars * 1e6).toPrecision(10));

/** The price of a listed model; a list that leaves out one of the two main prices has none. */
export function listedPrice({ pricing }: ListedModel): ModelPrice | null {
  if (pricing?.prompt === undefined || pricing.completion === undefined) return null;
  const { prompt, completion, input_cache_read: read, input_cache_write: write } = pricing;
  return {
    input: perMillion(prompt),
    ...(read !== undefined && { cachedInput: perMillion(read) }),
    ...(write !== undefined && { cacheWrite: perMillion(write) }),
    output: perMillion(completion),
  };
}
