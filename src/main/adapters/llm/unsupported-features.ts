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
