import { expect, it } from 'vitest';
import { languageOf } from './language';

it('[I18N-language] the chosen language wins, then the first that the system prefers, then English', () => {
  expect(languageOf('de', ['en-US'])).toBe('de');
  expect(languageOf('system', ['fr-FR', 'de-AT', 'en-US'])).toBe('de');
  expect(languageOf('system', ['fr-FR'])).toBe('en');
  expect(languageOf('klingon', [])).toBe('en');
});
