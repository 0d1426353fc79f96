import { z } from 'zod';
import { withoutDirectionControls } from './direction-controls';
import { Abilities } from './known-models';

/** A model: a provider of `providers.json` (or `offline`) and one of its models. */
export const ModelRef = z.object({ providerId: z.string(), model: z.string() });
export type ModelRef = z.infer<typeof ModelRef>;

/** Model calls and their tokens, including calls that failed or were stopped. */
export const Usage = z.object({
  modelTurns: z.number().int().nonnegative(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  /** Input tokens served from the provider's cache; absent: not every reply reported them. */
  cachedTokens: z.number().int().nonnegative().optional(),
  /** Input tokens written to the provider's cache; absent: not every reply reported them. */
  cacheWriteTokens: z.number().int().nonnegative().optional(),
  /** Output tokens that the model spent on thinking; absent: not every reply reported them. */
  reasoningTokens: z.number().int().nonnegative().optional(),
  /** Some counts are estimates from the texts sent and received, because a provider reported none. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof Usage>;

export const noUsage: Usage = { modelTurns: 0, inputTokens: 0, outputTokens: 0 };

type Detail = 'cachedTokens' | 'cacheWriteTokens' | 'reasoningTokens';

/** The sum of a count that providers may leave out: unknown as soon as one reply did not report it. */
function detailSum(name: Detail, a: Usage, b: Usage): Pick<Usage, Detail> {
  const [one, other] = [a, b].map((usage) => (usage.modelTurns === 0 ? (usage[name] ?? 0) : usage[name]));
  return one === undefined || other === undefined || a.modelTurns + b.modelTurns === 0
    ? {}
    : { [name]: one + other };
}

export const addUsage = (a: Usage, b: Usage): Usage => ({
  modelTurns: a.modelTurns + b.modelTurns,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  ...detailSum('cachedTokens', a, b),
  ...detailSum('cacheWriteTokens', a, b),
  ...detailSum('reasoningTokens', a, b),
  ...((a.estimated === true || b.estimated === true) && { estimated: true }),
});

/** A usage as reports print it: `null` says that a count is unknown. */
export const reportedUsage = (usage: Usage) => ({
  ...usage,
  cachedTokens: usage.cachedTokens ?? null,
  reasoningTokens: usage.reasoningTokens ?? null,
});

const Dollars = z.number().nonnegative();
const rates = {
  input: Dollars,
  /** Absent: the price of `input`. */
  cachedInput: Dollars.optional(),
  /** Input that the provider stores in its cache; absent: the price of `input`. */
  cacheWrite: Dollars.optional(),
  output: Dollars,
};

/** The sizes of a request's input, in tokens, above which a provider may charge other prices. */
export const inputSteps = [100_000, 200_000, 272_000] as const;

/** US dollars per million tokens. */
export const ModelPrice = z.strictObject({
  ...rates,
  /** The prices of a whole call whose input is larger than `tokens`. */
  above: z.strictObject({ tokens: z.literal(inputSteps), ...rates }).optional(),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** The largest step that the input of a call exceeds; 0 when it exceeds none. */
export const inputStep = (inputTokens: number): number =>
  inputSteps.findLast((step) => inputTokens > step) ?? 0;

/** Cost of a usage in US dollars; of several calls, `step` is that of each of them. */
export function costOf(usage: Usage, price: ModelPrice, step?: number): number {
  const { inputTokens, cachedTokens = 0, cacheWriteTokens = 0, outputTokens, modelTurns } = usage;
  const size = step ?? (modelTurns > 1 ? 0 : inputStep(inputTokens));
  const { input, cachedInput, cacheWrite, output } =
    price.above && size >= price.above.tokens ? price.above : price;
  const freshTokens = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  return (
    (freshTokens * input +
      cachedTokens * (cachedInput ?? input) +
      cacheWriteTokens * (cacheWrite ?? input) +
      outputTokens * output) /
    1e6
  );
}

/** The protocol of a provider: OpenAI chat completions, OpenAI Responses or Anthropic Messages. */
export const WireName = z.enum(['chat', 'responses', 'anthropic']);
export type WireName = z.infer<typeof WireName>;

/** A header's name and value as HTTP allows them. */
export const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/)
  .max(100);
export const HeaderValue = z
  .string()
  .regex(/^[\x20-\x7e]*$/)
  .max(4_000);

/** Sent as `OpenAI-Organization`. */
export const Organization = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(200);
const Seconds = z.number().int().min(1).max(3600);
/** Seconds until the first part of a reply, and between two parts. */
export const ProviderTimeouts = z.object({ first: Seconds, idle: Seconds }).partial();
/** Models typed by the user, offered before those that the provider lists. */
export const TypedModels = z.array(z.string().min(1).max(200)).max(500);

/**
 * One entry of `providers.json`; it never contains the API key, only the name that the key is stored under.
 */
export const Provider = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  name: z.string().overwrite(withoutDirectionControls).min(1),
  baseUrl: z.url({ protocol: /^https?$/ }),
  /** Absent: detected from the address. */
  wire: WireName.optional(),
  model: z.string().optional(),
  models: TypedModels.optional(),
  /** Sent with every request; not for keys, because this file is not protected. */
  headers: z.record(HeaderName, HeaderValue).optional(),
  organization: Organization.optional(),
  timeouts: ProviderTimeouts.optional(),
  /** An HTTP proxy that the requests go through. */
  proxy: z.url({ protocol: /^https?$/ }).optional(),
  secrets_ref: z.string().optional(),
  /** The environment variable that holds the key, in place of a stored one. */
  key_variable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/)
    .optional(),
  /** Prices by model name; a model without an entry has no known cost. */
  prices: z.record(z.string(), ModelPrice).optional(),
});
export type Provider = z.infer<typeof Provider>;

export const ProvidersFile = z.object({ providers: z.array(Provider) });
export type ProvidersFile = z.infer<typeof ProvidersFile>;

/** A provider with its currently available models, as the model picker shows it. */
export const ProviderModels = z.object({
  providerId: z.string(),
  name: z.string(),
  baseUrl: z.string().optional(),
  source: z.enum(['configured', 'environment', 'discovered', 'local', 'offline']),
  hasKey: z.boolean(),
  models: z.array(z.string()),
  /** The model that the variable `PATINA_MODEL` chooses. */
  preferred: z.string().optional(),
  /** Context size in tokens, where the user, the server or Patina's list of known models says it. */
  contextTokens: z.record(z.string(), z.number().int().positive()).optional(),
  /** What a model can do, where the user, the server or Patina's list of known models says it. */
  abilities: z.record(z.string(), Abilities).optional(),
  /** Prices, where the user, the server or a list of prices says them. */
  prices: z.record(z.string(), ModelPrice).optional(),
  problem: z.string().optional(),
});
export type ProviderModels = z.infer<typeof ProviderModels>;

/** The size of a model's context in tokens, if it is known. */
export function contextTokensOf(
  { providerId, model }: ModelRef,
  models: readonly ProviderModels[],
): number | undefined {
  return models.find((provider) => provider.providerId === providerId)?.contextTokens?.[model];
}

/** What is known of the abilities of a model. */
export const abilitiesOf = ({ providerId, model }: ModelRef, models: readonly ProviderModels[]): Abilities =>
  models.find((provider) => provider.providerId === providerId)?.abilities?.[model] ?? {};

/** The price of a model, if it is known. */
export const listedPriceOf = (
  { providerId, model }: ModelRef,
  models: readonly ProviderModels[],
): ModelPrice | null =>
  models.find((provider) => provider.providerId === providerId)?.prices?.[model] ?? null;

const notForChat =
  /embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|rerank|sora|davinci|babbage/i;

/** The default model of a provider: the first whose name suggests a chat model. */
export const firstChatModel = (models: readonly string[]): string | undefined =>
  models.find((model) => !notForChat.test(model)) ?? models[0];

/**
 * The model name sent to a server that names no models; most of those serve one model and ignore the name.
 */
export const unnamedModel = 'default';

/** Whether a provider names its models and this one is none of them; it may take the name all the same. */
export function isUnlisted({ providerId, model }: ModelRef, models: readonly ProviderModels[]): boolean {
  const names = models.find((provider) => provider.providerId === providerId)?.models ?? [];
  return names.length > 0 && model !== unnamedModel && !names.includes(model);
}

export const offlineProviderId = 'offline';
export const offlineModel: ModelRef = { providerId: offlineProviderId, model: 'offline' };

/**
 * Keeps offline from taking a model's place. Uses the offline model only if the user chose it or no other model ever
 * answered in the session; a removed provider is still called, so that its error names it.
 */
export function neverSilentlyOffline(
  wanted: ModelRef,
  chosen: ModelRef | null,
  lastInSession: ModelRef | undefined,
): ModelRef {
  const byDefault = wanted.providerId === offlineProviderId && chosen?.providerId !== offlineProviderId;
  return byDefault && lastInSession ? lastInSession : wanted;
}
