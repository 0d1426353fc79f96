import { describe, expect, it } from 'vitest';
import { decodeEntities } from './entities';
import { labelSpoofsHost, readLink } from './links';

describe('readLink', () => {
  it('keeps absolute http and https, and names the host that a browser would open', () => {
    expect(readLink('https://docs.example/a b')).toEqual({
      url: 'https://docs.example/a%20b',
      host: 'docs.example',
    });
    expect(readLink('HTTP://Docs.Example:8080/x')).toEqual({
      url: 'http://docs.example:8080/x',
      host: 'docs.example:8080',
    });
    expect(readLink('https://bank.example@evil.example/')?.host).toBe('evil.example');
    expect(readLink('https://аpple.example')?.host).toMatch(/^xn--/);
  });

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'java\tscript:alert(1)',
    'JAVASCRIPT:x',
    'data:text/html,x',
    'file:///etc/passwd',
    'smb://host/share',
    'vbscript:x',
    'blob:https://a.example/1',
    'about:blank',
    'calculator:',
    'mailto:a@b.example',
    'ftp://a.example',
    'app://patina/',
    '//evil.example',
    '\\\\evil.example\\x',
    '/etc/passwd',
    'page.md',
    '#top',
    '',
    'https:',
    'https://',
    'https:///evil.example',
    'https:\\\\evil.example',
    'https:evil.example',
    'ht\u0000tps://a.example',
    `https://a.example/${'x'.repeat(5_000)}`,
    'https://[bad',
    'http://a b/',
  ])('[H63] refuses %j', (href) => {
    expect(readLink(href)).toBeUndefined();
  });
});

describe('labelSpoofsHost', () => {
  const spoofs = (label: string, href: string) => {
    const link = readLink(href);
    return link ? labelSpoofsHost(label, link) : undefined;
  };

  it('[H63] detects labels with another host, user info and lookalike letters', () => {
    expect(spoofs('https://bank.example', 'https://evil.example')).toBe(true);
    expect(spoofs('bank.example.evil', 'https://bank.example')).toBe(true);
    expect(spoofs('words', 'https://bank.example@evil.example')).toBe(true);
    expect(spoofs('words', 'https://аpple.example')).toBe(true);
  });

  it('accepts labels with the same host, or none', () => {
    expect(spoofs('the docs', 'https://docs.example')).toBe(false);
    expect(spoofs('docs.example/a', 'https://www.docs.example/a')).toBe(false);
    expect(spoofs('DOCS.example', 'https://docs.example:8443')).toBe(false);
  });
});

describe('decodeEntities', () => {
  it('reads named and numeric references, and keeps unknown and impossible ones', () => {
    expect(decodeEntities('&amp;&lt;&#39;&#x27;&hellip;')).toBe("&<''…");
    expect(decodeEntities('&nothing; &constructor; &#x110000; &#0; &#xD800; &amp')).toBe(
      '&nothing; &constructor; \ufffd \ufffd \ufffd &amp',
    );
  });
});
