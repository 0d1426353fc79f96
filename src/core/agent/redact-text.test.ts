import { describe, expect, it } from 'vitest';
import { redactText } from './redact-text';

const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabcdefgh\n-----END RSA PRIVATE KEY-----';

describe('text that leaves Patina', () => {
  it.each([
    ['a key of a provider', 'use sk-live-4f9a8b7c6d5e now', '4f9a8b7c6d5e'],
    ['a key of a forge', 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7', 'aB3dE5fG7hI9jK1lM3nO5pQ7'],
    ['a cloud key', 'AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
    ['a bearer', 'curl -H "Authorization: Bearer abc.def-ghi_123"', 'abc.def-ghi_123'],
    ['a cookie', 'Set-Cookie: sid=31d4d96e407aad42; HttpOnly', '31d4d96e407aad42'],
    ['a password in words', 'password = hunter2hunter2', 'hunter2hunter2'],
    ['a token in JSON', '{"access_token":"q1w2e3r4t5"}', 'q1w2e3r4t5'],
    ['a login in an address', 'postgres://ada:lovelace1815@db/prod', 'lovelace1815'],
    ['a signed token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'eyJzdWIiOiIxIn0'],
    ['a mail address', 'write to ada@example.com today', 'ada@example.com'],
    ['a path', 'in /home/ada/private/notes.md there is', '/home/ada'],
    ['a path of Windows', 'in C:\\Users\\ada\\notes.md there is', 'ada'],
    ['a key over several lines', `here: ${pem} end`, 'MIIEowIBAAKCAQEA7'],
    ['the beginning of such a key', pem.slice(0, 60), 'MIIEowIBAAKCAQEA7'],
  ])('[H69] contains no trace of %s', (_what, text, secret) => {
    expect(text).toContain(secret);
    expect(redactText(text)).not.toContain(secret);
  });

  it('[H69] is redacted before it is cut, so no half of a secret remains at the end', () => {
    const text = `${'word '.repeat(58)}sk-live-4f9a8b7c6d5e4f9a8b7c6d5e`;
    expect(redactText(text)).not.toContain('4f9a');
    expect(redactText(text).length).toBeLessThanOrEqual(300);
  });

  it('[H69] is redacted where it contains a secret of this machine, whatever its form', () => {
    expect(redactText('say plainwords twice: plainwords', ['plainwords'])).toBe('say [key] twice: [key]');
    expect(redactText(`${' '.repeat(19_990)}plainwords-of-mine`, ['plainwords-of-mine'])).toBe('[key]');
  });

  it('is one line of at most 300 characters, the last one of a longer text being an ellipsis', () => {
    const longest = `${'word '.repeat(59)}words`;
    expect(redactText(longest)).toBe(longest);
    expect(redactText(`${longest}!`)).toBe(`${longest.slice(0, 299)}…`);
  });

  it('keeps ordinary sentences and tool names unchanged', () => {
    const text = 'Count the lines of src/main by owner with mcp://project.list_files (3 of 12)';
    expect(redactText(text)).toBe(text);
  });
});
