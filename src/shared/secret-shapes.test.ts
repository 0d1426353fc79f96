import { describe, expect, it } from 'vitest';
import { isSecretName, maskSecretShapes } from './secret-shapes';

describe('names of secrets', () => {
  it.each([
    'GITHUB_TOKEN',
    'OPENAI_API_KEY',
    'X-Api-Key',
    'key',
    'apiKey',
    'Authorization',
    'Cookie',
    'DB_PASSWORD',
  ])('%s is one', (name) => expect(isSecretName(name)).toBe(true));

  it.each(['TOKEN_FILE', 'KEYCLOAK_URL', 'MONKEY', 'KEYBOARD', 'PWD', 'TOKENS_LEFT'])(
    '%s is not one',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe('patterns of secrets', () => {
  it('are redacted, and the text around them stays', () => {
    expect(maskSecretShapes('key ghp_0123456789abcdef for ada@example.org in /a/b')).toBe(
      'key [key] for ada@example.org in /a/b',
    );
    expect(maskSecretShapes('postgres://me:pass@host/db')).toBe('[login]@host/db');
  });

  it.each(['a_-', 'eyJ-', 'a.', '-----BEGIN A', 'key', 'https://a:'])(
    'a long text of %j takes limited time',
    (piece) => {
      const text = piece.repeat(20_000);
      expect(maskSecretShapes(text).length).toBeLessThanOrEqual(text.length);
    },
    20_000,
  );
});
