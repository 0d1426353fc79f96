const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const strong = /\p{L}/u;

/**
 * The direction of a block with several parts: that of its first letter. The page's own `dir="auto"` cannot
 * determine it, because it ignores parts that have a direction of their own.
 */
export function directionOf(text: string): 'ltr' | 'rtl' {
  const letter = strong.exec(text.slice(0, 400))?.[0];
  return letter !== undefined && rightToLeft.test(letter) ? 'rtl' : 'ltr';
}
