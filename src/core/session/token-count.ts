/** Counts the tokens of a text in the o200k encoding. */
export type CountTokens = (text: string) => number;

/** Loads the encoding, some megabytes, when someone first wants numbers: neither the start nor a message waits for it. */
export async function loadTokenCount(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Text that looks like a special token is ordinary text here.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}
