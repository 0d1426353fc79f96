/** Characters of English prose and code in one token. */
const charactersPerToken = 4;
/** Tokens of a character outside ASCII: about one for each Chinese or Japanese character, less for accents. */
const tokensPerWideCharacter = 0.8;

/** About how many tokens a text has, without a tokenizer. */
export function aboutTokens(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) wide += 1;
  return Math.ceil((text.length - wide) / charactersPerToken + wide * tokensPerWideCharacter);
}
