import type { OptionalPart } from '#shared/provider-row';

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

const refusing = [
  "(?:not|n't) (?:currently |yet )?(?:support|accept|permitted|allowed|recogni[sz]ed|available|take|match)",
  'unsupported|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs?|fields?|parameters?)|invalid value',
].join('|');

/**
 * Matches a sentence that refuses one of the `names`. A name alone is no refusal: "the signature in this thinking
 * block is invalid" is about one request, and the part stays off for every later one.
 */
export function refusalOf(names: string): RegExp {
  // A sentence ends before white space: names contain dots.
  const gap = '(?:(?!\\.\\s|;).){0,160}?';
  return new RegExp(`(?:${refusing})${gap}(?:${names})|(?:${names})${gap}(?:${refusing})`, 'i');
}

const noTools =
  /(not support|unsupported|not allowed|unknown|unrecognized|extra)[^.]*\b(tools?|functions?)\b|\b(tools?|function calling)\b[^.]*(not supported|unsupported|not permitted|not allowed)/i;

/**
 * The part that a server rejects as unsupported, by the protocol's own `names` for it; only an explicit message
 * of a refused request counts.
 */
export function refusedPart(
  thrown: unknown,
  names: readonly (readonly [OptionalPart, RegExp])[],
  left: ReadonlySet<OptionalPart>,
): OptionalPart | undefined {
  if (!(thrown instanceof Error) || !('status' in thrown)) return undefined;
  if (thrown.status !== 400 && thrown.status !== 422) return undefined;
  const rows = [...names, ['tools', noTools] as const];
  return rows.find(([part, pattern]) => !left.has(part) && pattern.test(thrown.message))?.[0];
}
