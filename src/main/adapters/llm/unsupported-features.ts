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
  // An unknown tool or role is about the conversation.
  'unsupported|(?:unknown|unrecogni[sz]ed|unexpected)(?! (?:tool|function|role|character|token)\\b)',
  'unavailable|extra (?:inputs?|fields?|parameters?)|invalid (?:value|parameter|argument)',
].join('|');

/** Rejects the value of a parameter: "`temperature` may only be set to 1". */
const limiting = '(?:must|may only|can only|should) be';

/**
 * Matches a sentence that refuses one of the `names`. A name alone is no refusal: "the signature in this thinking
 * block is invalid" is about one request, and the part stays off for every later one.
 */
export function refusalOf(names: string, words = refusing): RegExp {
  // A sentence ends before white space: names contain dots.
  const gap = '(?:(?!\\.\\s|;).){0,160}?';
  return new RegExp(`(?:${words})${gap}(?:${names})|(?:${names})${gap}(?:${words})`, 'i');
}

/** Matches a sentence that refuses a parameter of these `names`, or each value of it but one. */
export function refusedSetting(names: string): RegExp {
  const limited = `(?:${names})['"\`]?(?: (?:parameter|value))? ${limiting}`;
  return new RegExp(`${refusalOf(names).source}|${limited}`, 'i');
}

/** Matches a sentence that refuses a format of replies, or the schema given for it. */
export const refusedFormat = (names: string): RegExp =>
  refusalOf(names, `${refusing}|invalid schema|additionalProperties`);

/** The parameter, and not the word in a text that a message quotes: "the temperature in Berlin". */
const parameterWords =
  'parameters?|settings?|values?|is|does|do|must|may|can|not|only|with|for|on|and|or|when';
export const refusedTemperature = refusedSetting(
  `(?<!\\b(?:the|a|any|of|what) )\\btemperature\\b(?! (?!(?:${parameterWords})\\b)\\w)|\\btemperature (?:parameter|setting|value)`,
);

/** Matches a sentence that refuses the id of a call for its length or its characters. */
export const refusedCallIds =
  /(?:\b(?:tool_?use_?|call_)id\b|\btool[ _](?:calls?|use)(?:_id|\b.{0,20}?\bid)\b).{0,200}?\b(?:length|long|pattern)\b/i;

const noTools =
  /(not support|unsupported|not allowed|(?:unknown|unrecognized)(?! (?:tool|function)\b)|extra)[^.]*\b(tools?|functions?)\b|\b(tools?|function calling)\b[^.]*(not supported|unsupported|not permitted|not allowed)/i;

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
