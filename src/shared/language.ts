/** The languages that have a catalogue of texts. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

const isLanguage = (value: string | undefined): value is Language =>
  languages.some((language) => language === value);

/**
 * The language of the window: the chosen one, else the first of the system's that Patina has, else English.
 * `preferred` are language tags, such as `de-AT`.
 */
export function languageOf(chosen: string, preferred: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  const known = preferred.map((tag) => tag.split('-')[0]?.toLowerCase()).find(isLanguage);
  return known ?? 'en';
}
