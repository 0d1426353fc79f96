const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const strong = /\p{L}/u;

/**
 * The way a block of several parts reads: that of its first letter. The page's own `dir="auto"` cannot say, because it
 * does not look into parts that have a direction themselves.
 */
export function directionOf(text: string): 'ltr' | 'rtl' {
  const letter = strong.exec(text.slice(0, 400))?.[0];
  return letter !== undefined && rightToLeft.test(letter) ? 'rtl' : 'ltr';
}
