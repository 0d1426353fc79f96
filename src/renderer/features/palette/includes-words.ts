/** Whether the text contains every typed word, in any case and order. */
export function includesWords(text: string, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const within = text.toLowerCase();
  return words.every((word) => within.includes(word));
}
