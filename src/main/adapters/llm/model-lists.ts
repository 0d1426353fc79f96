import type { AppError } from '#shared/app-error';
import type { ProviderModels } from '#shared/model';
import { err, ok, type Result } from '#shared/result';
import { readAddress } from './address';
import type { HttpDeps } from './attempt';
import { createDeadline } from './deadline';
import { invalidFailure, timeoutError, type Endpoint } from './failure';
import { createSdk, readAtMost } from './openai-http';
import { endpointOf, type KnownProvider } from './provider-directory';
import { toLlmError } from './to-llm-error';
import { wires } from './wires';
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

const ModelList = z.object({
  /** An invalid entry drops only itself. */
  data: z
    .array(ListedModel.nullable().catch(null))
    .max(20_000)
    .transform((entries) => entries.filter((entry) => entry !== null)),
});

const maxListBytes = 8 * 1024 * 1024;

/** A provider's model list: the sorted ids, and the context sizes that it reports. */
export interface ListedModels {
  readonly ids: readonly string[];
  readonly contextTokens?: Readonly<Record<string, number>>;
}

/** Fetches a provider's models (`GET /models`) within `ms` milliseconds. */
export async function fetchModels(
  deps: HttpDeps,
  endpoint: Endpoint,
  ms: number,
): Promise<Result<ListedModels>> {
  const deadline = createDeadline(deps.clock, new AbortController().signal);
  try {
    deadline.within(ms);
    const wire = wires[endpoint.wire];
    const sdk = await createSdk(endpoint, wire.headers(endpoint), deps.fetch);
    const response = await sdk.get(wire.listPath(endpoint), { signal: deadline.signal }).asResponse();
    const { bytes, whole } = await readAtMost(response, maxListBytes);
    const list = whole ? parseList(new TextDecoder().decode(bytes), endpoint.listPrefix) : null;
    return list === null ? err(invalidFailure('no readable list of models', endpoint).error) : ok(list);
  } catch (thrown) {
    if (deadline.late()) return err(timeoutError('did not list its models', ms, endpoint).error);
    const asked = { endpoint, model: 'list of models', now: deps.clock.now() };
    return err(toLlmError(thrown, asked).error);
  } finally {
    deadline.close();
  }
}

function parseList(text: string, prefix = ''): ListedModels | null {
  try {
    const parsed = ModelList.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    const data = parsed.data.data.map((model) => ({
      ...model,
      id: model.id.startsWith(prefix) ? model.id.slice(prefix.length) : model.id,
    }));
    const sizes = data.flatMap((model) => {
      const fits =
        model.loaded_context_length ??
        model.context_length ??
        model.max_model_len ??
        model.context_window ??
        model.meta?.n_ctx_train ??
        model.max_input_tokens ??
        model.max_context_length;
      return fits === undefined ? [] : [[model.id, fits] as const];
    });
    return {
      ids: [...new Set(data.map(({ id }) => id))].sort(),
      ...(sizes.length > 0 && { contextTokens: Object.fromEntries(sizes) }),
    };
  } catch {
    return null;
  }
}

/** A provider as the picker shows it: its own model first, any failure or warning in `problem`. */
export async function listProvider(deps: HttpDeps, provider: KnownProvider): Promise<ProviderModels> {
  const endpoint = endpointOf(provider);
  const listed = await listedBy(deps, provider, endpoint);
  const hasKey = endpoint.ok && endpoint.value.key !== null;
  const { ids, contextTokens }: ListedModels = listed.ok ? listed.value : { ids: [] };
  const typed = provider.models ?? [];
  // A provider without a list is usable through the models that the user typed.
  const noList = typed.length > 0 && !listed.ok && listed.error.code === 'UNAVAILABLE';
  const problem = listed.ok || noList ? exposed(provider, hasKey) : sentence(listed.error);
  return {
    providerId: provider.id,
    name: provider.name,
    baseUrl: provider.baseUrl,
    source: provider.source,
    hasKey,
    models: [...new Set([...(provider.model === undefined ? [] : [provider.model]), ...typed, ...ids])],
    ...(contextTokens && { contextTokens }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** A provider whose models the user types is not asked for a list. */
async function listedBy(
  deps: HttpDeps,
  { row }: KnownProvider,
  endpoint: Result<Endpoint>,
): Promise<Result<ListedModels>> {
  if (!endpoint.ok) return endpoint;
  if (row?.models === 'typed') return ok({ ids: [] });
  return fetchModels(deps, endpoint.value, deps.limits.listMs);
}

/**
 * A discovered server on loopback, or null when it does not answer with a list: nobody configured it, so its
 * failure is not reported.
 */
export async function discover(deps: HttpDeps, provider: KnownProvider): Promise<ProviderModels | null> {
  const endpoint = endpointOf(provider);
  if (!endpoint.ok) return null;
  const listed = await fetchModels(deps, endpoint.value, deps.limits.discoverMs);
  if (!listed.ok) return null;
  const { id, name, baseUrl, source } = provider;
  const { ids, contextTokens } = listed.value;
  const models = [...ids];
  return {
    providerId: id,
    name,
    baseUrl,
    source,
    hasKey: false,
    models,
    ...(contextTokens && { contextTokens }),
  };
}

function exposed(provider: KnownProvider, hasKey: boolean): string | undefined {
  const address = readAddress(provider.baseUrl);
  return hasKey && address.ok ? address.value.warning : undefined;
}

/** Formats an error as one line of text: what happened and what to do. */
export function sentence(error: AppError): string {
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

const notForChat =
  /embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|rerank|sora|davinci|babbage/i;

/** The default model: the first whose name suggests a chat model. */
export function firstChatModel(models: readonly string[]): string | undefined {
  return models.find((model) => !notForChat.test(model)) ?? models[0];
}
