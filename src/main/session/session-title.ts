const longest = 60;

/** A session's title from its first line of input: at most 60 characters, cut at a word's end. Pure. */
export function titleFrom(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? '';
  const plain = line.replaceAll(/\s+/g, ' ').trim();
  const characters = [...plain];
  if (characters.length <= longest) return plain;
  const cut = characters.slice(0, longest - 1).join('');
  const wordEnd = cut.lastIndexOf(' ');
  // A single long word (an address, a hash) has no word's end worth going back to.
  return `${(wordEnd > longest / 2 ? cut.slice(0, wordEnd) : cut).trimEnd()}…`;
}
