/** Counts the tokens of a text in the o200k encoding. */
export type CountTokens = (text: string) => number;

/** Loads the encoding (several megabytes) on first use, so neither startup nor a message waits for it. */
export async function loadTokenCount(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Text that looks like a special token is counted as ordinary text.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}
