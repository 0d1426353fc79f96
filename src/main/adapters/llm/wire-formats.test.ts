import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAddress, sameAddress } from './address';
import { quoted } from './reported-failure';
import { createReplyAssembly, ReplyChunk } from './chat/reply';
import { limitReset, retryAfter } from '../system/retry-after';
import { createSseParser } from './sse';

function parsed(pieces: readonly string[], limit = 10_000): string[] {
  const parser = createSseParser(limit);
  return [...pieces.flatMap((piece) => parser.push(piece).events), ...parser.end().events];
}

describe('server-sent events', () => {
  const wire =
    ': hello\r\n\r\nevent: x\r\ndata: one\r\n\r\ndata:two\ndata:  three\n\nid: 7\rdata\r\rretry: 1\n\ndata: last';
  const events = ['one', 'two\n three', '', 'last'];

  it('are parsed with every line ending, comment and field of the standard', () => {
    expect(parsed([wire])).toEqual(events);
  });

  it('are the same however the text is split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(wire.length), { maxLength: 30 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), wire.length];
        const pieces = at.slice(1).map((end, index) => wire.slice(at[index], end));
        expect(parsed(pieces)).toEqual(events);
      }),
    );
  });

  it('stop at the limit: a line without end, and an event of endless lines', () => {
    const parser = createSseParser(100);
    expect(parser.push(`data: ${'x'.repeat(80)}`).tooLong).toBe(false);
    expect(parser.push('x'.repeat(20)).tooLong).toBe(true);
    expect(createSseParser(100).push('data: 0123456789\n'.repeat(12)).tooLong).toBe(true);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': '99999999999999' }, 86_400_000],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': '-5 apples' }, undefined],
    // `Date.parse` reads each of these as a day of the year 2001.
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '+5' }, undefined],
    [{ 'retry-after': '1,5' }, undefined],
    [{}, undefined],
  ])('%j is %s ms', (headers, ms) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), now)).toBe(ms);
  });
});

describe('the renewal of rate limits', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const openAi = (requests: string, left: string, tokens: string, tokensLeft: string) => ({
    'x-ratelimit-reset-requests': requests,
    'x-ratelimit-remaining-requests': left,
    'x-ratelimit-reset-tokens': tokens,
    'x-ratelimit-remaining-tokens': tokensLeft,
  });
  it.each([
    ['seconds', { 'x-ratelimit-reset-requests': '1s' }, 1000],
    ['minutes and seconds', { 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    ['milliseconds', { 'x-ratelimit-reset-tokens': '20ms' }, 20],
    ['fractions', { 'x-ratelimit-reset-requests': '2m59.56s' }, 179_560],
    ['hours', { 'x-ratelimit-reset-requests': '1h2m3s' }, 3_723_000],
    ['nothing left to wait for', { 'x-ratelimit-reset-requests': '0s' }, 0],
    ['more than a day', { 'x-ratelimit-reset-requests': '9d' }, 86_400_000],
    ['no end', { 'x-ratelimit-reset-requests': `${'9'.repeat(400)}s` }, 86_400_000],
    ['a time', { 'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:30Z' }, 30_000],
    [
      'a time with an offset',
      { 'anthropic-ratelimit-input-tokens-reset': '2026-01-01T02:01:00+02:00' },
      60_000,
    ],
    ['a time that has passed', { 'anthropic-ratelimit-requests-reset': '2025-12-31T23:59:00Z' }, 0],
    ['a far time', { 'anthropic-ratelimit-requests-reset': '9999-01-01T00:00:00Z' }, 86_400_000],
    ['no such time', { 'anthropic-ratelimit-requests-reset': '2026-13-41T00:00:00Z' }, undefined],
    ['a bare number', { 'x-ratelimit-reset-requests': '1767225600' }, undefined],
    ['seconds since 1970', { 'anthropic-ratelimit-unified-reset': '1767225630' }, undefined],
    ['less than nothing', { 'x-ratelimit-reset-requests': '-5s' }, undefined],
    ['words', { 'x-ratelimit-reset-requests': 'soon' }, undefined],
    ['an empty text', { 'x-ratelimit-reset-requests': '' }, undefined],
    ['a limit without a name', { 'x-ratelimit-reset': '5s' }, undefined],
    ['the limit used up', openAi('1s', '0', '6m0s', '120'), 1000],
    ['the longer of two limits used up', openAi('1s', '0', '6m0s', '0'), 360_000],
    ['the longest, if none is used up', openAi('1s', '3', '6m0s', '120'), 360_000],
    [
      'the limit used up, by its own name',
      {
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:59Z',
        'anthropic-ratelimit-requests-remaining': '40',
        'anthropic-ratelimit-output-tokens-reset': '2026-01-01T00:00:07Z',
        'anthropic-ratelimit-output-tokens-remaining': '0',
      },
      7000,
    ],
    ['nothing', {}, undefined],
  ])('%s: %j is %s ms', (_what, headers, ms) => {
    expect(limitReset(429, new Headers(headers as Record<string, string>), now)).toBe(ms);
  });

  it('says nothing about an overload, unless a limit is used up', () => {
    expect(limitReset(529, new Headers(openAi('1s', '3', '6m0s', '120')), now)).toBeUndefined();
    expect(limitReset(529, new Headers(openAi('1s', '0', '6m0s', '120')), now)).toBe(1000);
  });
});

describe('a base URL', () => {
  it.each([
    ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1', true],
    [' https://API.Example.com ', 'https://api.example.com', false],
    ['http://[::1]:1/v1', 'http://[::1]:1/v1', true],
    ['http://127.evil.example/v1', 'http://127.evil.example/v1', false],
    ['http://localhost.evil.example/v1', 'http://localhost.evil.example/v1', false],
  ])('%j is normalised to %s', (text, baseUrl, loopback) => {
    expect(readAddress(text)).toMatchObject({ ok: true, value: { baseUrl, loopback } });
  });

  it('causes a warning for http:// to another machine, and only then', () => {
    const warning = (text: string) => {
      const read = readAddress(text);
      return read.ok ? read.value.warning : 'refused';
    };
    expect(warning('http://192.168.1.5/v1')).toMatch(/unencrypted/);
    expect(warning('http://localhost/v1')).toBeUndefined();
    expect(warning('https://192.168.1.5/v1')).toBeUndefined();
  });

  it('is refused without being quoted when it contains credentials', () => {
    const refused = readAddress('https://user:sk-canary@host/v1');
    expect(refused).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'INVALID' } });
    expect(JSON.stringify(refused)).not.toContain('canary');
  });

  it('is the same under every name of loopback, and differs by port', () => {
    expect(sameAddress('http://localhost:1234/v1/', 'http://127.0.0.1:1234/v1')).toBe(true);
    expect(sameAddress('http://127.0.0.1:1234/v1', 'http://127.0.0.1:1235/v1')).toBe(false);
  });
});

describe('a provider’s error message', () => {
  it('never shows the key, control or direction characters, and is short', () => {
    const key = 'sk-canary-0451';
    const text = quoted(`\u001b[31mbad\u202e ${key}\n${'long '.repeat(200)}`, [key]);
    expect(text).toMatch(/^\[31mbad \[key\] long/);
    expect(text).toHaveLength(300);
  });
});

describe('tool calls', () => {
  const deltas = (calls: readonly object[]) =>
    ReplyChunk.parse({ choices: [{ delta: { tool_calls: calls } }] });
  const whole = (...chunks: readonly (readonly object[])[]) => {
    const assembly = createReplyAssembly();
    for (const calls of chunks) assembly.accept(deltas(calls));
    return assembly.end(true);
  };
  const f = (name: string, args: unknown) => ({ function: { name, arguments: args } });

  it('from servers that give every call index 0 are distinguished by id', () => {
    const end = whole([{ index: 0, id: 'a', ...f('x', '{}') }], [{ index: 0, id: 'b', ...f('y', '{}') }]);
    expect(end).toMatchObject({
      calls: [
        { id: 'a', name: 'x' },
        { id: 'b', name: 'y' },
      ],
    });
  });

  it('from servers without index or id, with arguments as an object or none, are complete', () => {
    expect(whole([f('x', { a: 1 })])).toMatchObject({
      calls: [{ id: 'call_0', name: 'x', argumentsJson: '{"a":1}' }],
    });
    expect(whole([f('x', null)])).toMatchObject({ calls: [{ argumentsJson: '{}' }] });
  });

  it('from servers that repeat id and name grow only by their arguments', () => {
    const part = (text: string) => [{ index: 1, id: 'a', ...f('x', text) }];
    expect(whole(part('{"a"'), part(':1}'))).toMatchObject({
      calls: [{ id: 'a', name: 'x', argumentsJson: '{"a":1}' }],
    });
  });

  it('without a name, or without an end, are invalid replies', () => {
    expect(whole([{ index: 0, id: 'a', function: { arguments: '{}' } }])).toEqual({ type: 'nameless-call' });
    const assembly = createReplyAssembly();
    assembly.accept(deltas(Array.from({ length: 200 }, (_, index) => ({ index, ...f('x', '') }))));
    expect(assembly.tooManyCalls()).toBe(true);
  });
});

describe('counted tokens', () => {
  const endOf = (usage: object) => {
    const assembly = createReplyAssembly();
    assembly.accept(ReplyChunk.parse({ choices: [{ delta: { content: 'x' } }], usage }));
    return assembly.end(true);
  };

  it.each([
    [{ prompt_tokens: 3, completion_tokens: 4 }, 3, 4],
    [{ prompt_tokens: -3, completion_tokens: 4.7 }, 0, 4],
    [{ prompt_tokens: null }, 0, 0],
  ])('%j', (usage, inputTokens, outputTokens) => {
    expect(endOf(usage)).toMatchObject({ usage: { inputTokens, outputTokens } });
  });

  it.each([
    [
      'both, zero included',
      { cached_tokens: 0 },
      { reasoning_tokens: 7 },
      { cachedTokens: 0, reasoningTokens: 7 },
    ],
    ['only the cached ones', { cached_tokens: 64 }, undefined, { cachedTokens: 64 }],
    ['the stored ones', { cache_write_tokens: 32 }, undefined, { cacheWriteTokens: 32 }],
    ['none', undefined, {}, {}],
    ['nulls and nonsense', { cached_tokens: null }, 'x', {}],
  ])('[NUM-usage] include the reported details: %s', (_what, prompt, completion, expected) => {
    const details = { prompt_tokens_details: prompt, completion_tokens_details: completion };
    const { usage } = endOf({ prompt_tokens: 100, completion_tokens: 10, ...details }) as { usage?: object };
    expect(usage).toEqual({ inputTokens: 100, outputTokens: 10, ...expected });
  });
});
