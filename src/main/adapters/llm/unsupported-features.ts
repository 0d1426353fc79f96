/** Parts of a request that some servers or models do not support. */
export type OptionalPart =
  'stream_options' | 'tools' | 'temperature' | 'reasoning_effort' | 'response_format';

/** Parts that a refusal names as the request does. */
const namedParts = ['stream_options', 'reasoning_effort', 'response_format', 'temperature'] as const;

/** The parts refused so far, by address and model; remembered for the life of the process. */
export type UnsupportedFeatures = ReturnType<typeof createUnsupportedFeatures>;

export function createUnsupportedFeatures() {
  const known = new Map<string, Set<OptionalPart>>();
  const keyOf = (baseUrl: string, model: string): string => JSON.stringify([baseUrl, model]);
  return {
    of: (baseUrl: string, model: string): ReadonlySet<OptionalPart> =>
      known.get(keyOf(baseUrl, model)) ?? new Set(),
    note: (baseUrl: string, model: string, part: OptionalPart): void => {
      const key = keyOf(baseUrl, model);
      known.set(key, new Set([...(known.get(key) ?? []), part]));
    },
  };
}

/** The part that a server rejects as unsupported; only an explicit message of a refused request counts. */
export function refusedPart(thrown: unknown): OptionalPart | undefined {
  if (!(thrown instanceof Error) || !('status' in thrown)) return undefined;
  if (thrown.status !== 400 && thrown.status !== 422) return undefined;
  const words = new Set(thrown.message.toLowerCase().match(/\w+/g));
  const named = namedParts.find((part) => words.has(part));
  if (named) return named;
  const noTools =
    /(not support|unsupported|not allowed|unknown|unrecognized|extra)[^.]*\b(tools?|functions?)\b|\b(tools?|function calling)\b[^.]*(not supported|unsupported|not permitted|not allowed)/i;
  return noTools.test(thrown.message) ? 'tools' : undefined;
}
