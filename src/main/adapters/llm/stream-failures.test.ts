import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { WireName } from '#shared/model';
import type { ModelRequest } from '../../../core/ports/llm';
import { startScriptedModel, type Script } from '../../../testing/scripted-model';
import {
  createClientHarness,
  eventsOf,
  startScriptedHarness,
  textOf,
  wireNames,
} from '../../../testing/scripted-model-client';
import type { ScriptedFault } from '../../../testing/scripted-reply';
import type { LlmLimits } from './limits';

const key = 'sk-canary/0451+equivalent';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const request: ModelRequest = {
  model: { providerId: 'environment', model: 'large' },
  messages: [{ role: 'user', content: 'hi' }],
};
const never = (): AbortSignal => new AbortController().signal;

async function harnessFor(script: Script, wire: WireName, limits: Partial<LlmLimits> = {}) {
  const harness = await startScriptedHarness(script, { limits, key, wire });
  closing.push(harness.close);
  return harness;
}

async function afterFault(fault: ScriptedFault, wire: WireName, limits: Partial<LlmLimits> = {}) {
  const { client, ref } = await harnessFor({ replies: [{ text: 'one two three', fault }] }, wire, limits);
  const events = await eventsOf(client.stream({ ...request, model: ref }, never()));
  expect(JSON.stringify(events)).not.toContain('canary');
  return events;
}

const status = (
  code: number,
  more: Partial<Extract<ScriptedFault, { type: 'status' }>> = {},
): ScriptedFault => ({
  type: 'status',
  status: code,
  ...more,
});

describe.each(wireNames)(
  '[LLM-wires] %s: a failure gets its type, plain words and a next step, and never shows the key',
  (wire) => {
    const echo = `You sent ${key} (${encodeURIComponent(key)}, ${Buffer.from(key).toString('base64')}).`;
    const rows: readonly (readonly [string, ScriptedFault, string, RegExp])[] = [
      ['401', status(401, { message: echo }), 'AUTH', /refused the key \(401\)/],
      ['403', status(403, { message: echo }), 'AUTH', /refused the key \(403\)/],
      ['402', status(402, { message: echo }), 'QUOTA', /no credit left/],
      ['429 for good', status(429, { code: 'insufficient_quota', message: echo }), 'QUOTA', /no credit/],
      [
        '429 by the day',
        status(429, { message: `Limit on requests per day reached. ${echo}` }),
        'QUOTA',
        /quota of your account/,
      ],
      ['404', status(404, { message: echo }), 'UNAVAILABLE', /no model "large"/],
      ['400', status(400, { message: echo }), 'UNAVAILABLE', /refused the request/],
      [
        'a redirect',
        status(307, { headers: { location: 'http://127.0.0.1:9/v1' } }),
        'UNAVAILABLE',
        /another address/,
      ],
      ['413', status(413), 'CONTEXT_LIMIT', /longer than large can read/],
      [
        'too much context by code',
        status(400, { code: 'context_length_exceeded', message: echo }),
        'CONTEXT_LIMIT',
        /longer than/,
      ],
      [
        'too much context by its words',
        status(500, { message: 'the request exceeds the available context size' }),
        'CONTEXT_LIMIT',
        /longer than/,
      ],
      [
        'a web page',
        { type: 'body', contentType: 'text/html', body: '<h1>Log in</h1>' },
        'INVALID_REPLY',
        /web page/,
      ],
      [
        'JSON of another kind',
        { type: 'body', contentType: 'application/json', body: '[1]' },
        'INVALID_REPLY',
        /unreadable/,
      ],
      [
        'truncated JSON',
        { type: 'body', contentType: 'application/json', body: '{"choices"' },
        'INVALID_REPLY',
        /unreadable/,
      ],
      [
        'plain text',
        { type: 'body', contentType: 'text/plain', body: 'hello' },
        'INVALID_REPLY',
        /not a reply/,
      ],
      [
        'an empty body',
        { type: 'body', contentType: 'text/event-stream', body: '' },
        'INVALID_REPLY',
        /not a reply/,
      ],
      [
        'an empty reply',
        { type: 'body', contentType: 'text/event-stream', body: 'data: [DONE]\n\n' },
        'INVALID_REPLY',
        /empty reply/,
      ],
      ['garbage at once', { type: 'garbage' }, 'INVALID_REPLY', /unreadable/],
      ['a wrong shape', { type: 'garbage', line: '{"choices":"many"}' }, 'INVALID_REPLY', /unreadable/],
      [
        'binary',
        { type: 'body', contentType: 'text/event-stream', body: 'data: \u0000\uffff\n\n' },
        'INVALID_REPLY',
        /unreadable/,
      ],
      [
        'an error inside the stream',
        { type: 'stream-error', error: { message: echo, code: 'invalid_api_key' } },
        'AUTH',
        /refused the key/,
      ],
    ];
    it.each(rows)('%s', async (_name, fault, code, message) => {
      const events = await afterFault(fault, wire);
      expect(events).toHaveLength(1);
      const [last] = events;
      expect(last).toMatchObject({ type: 'error', error: { kind: 'LLM', code } });
      expect(last?.type === 'error' && last.error.message).toMatch(message);
      expect(last?.type === 'error' && last.error.hint).toMatch(/^[A-Z].*\.$/);
    });

    it('a key that cannot stand in a header is refused before it is sent', async () => {
      const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'sk-canary\r\nx: y' };
      const harness = createClientHarness({ env });
      closing.push(harness.remove);
      const events = await eventsOf(harness.client.stream(request, never()));
      expect(events).toMatchObject([{ type: 'error', error: { kind: 'LLM', code: 'AUTH' } }]);
      expect(JSON.stringify(events)).not.toContain('canary');
    });
  },
);

describe.each(wireNames)('[LLM-wires] %s: a reply that breaks', (wire) => {
  const broken: readonly (readonly [string, ScriptedFault, string, RegExp])[] = [
    ['the socket drops', { type: 'drop', after: 2 }, 'UNAVAILABLE', /broke off/],
    ['the response just ends', { type: 'cut', after: 2 }, 'UNAVAILABLE', /broke off/],
    ['garbage comes', { type: 'garbage', after: 2 }, 'INVALID_REPLY', /unreadable/],
    ['an error comes', { type: 'stream-error', after: 2, error: { message: 'boom' } }, 'UNAVAILABLE', /boom/],
    [
      'an overload comes',
      { type: 'stream-error', after: 2, error: { code: 429 } },
      'RATE_LIMITED',
      /no more/,
    ],
    ['a line never ends', { type: 'endless-line', after: 2 }, 'INVALID_REPLY', /line without end/],
  ];
  it.each(broken)(
    'keeps what came and is not asked for again when %s',
    async (_name, fault, code, message) => {
      const events = await afterFault(fault, wire, { eventLength: 200_000 });
      expect(textOf(events)).toBe('one two');
      expect(events.filter(({ type }) => type === 'retrying')).toHaveLength(0);
      const last = events.at(-1);
      expect(last).toMatchObject({ type: 'error', error: { kind: 'LLM', code } });
      expect(last?.type === 'error' && last.error.message).toMatch(message);
    },
  );

  it('ends at the limit when it has no end, whatever it is made of', async () => {
    const events = await afterFault({ type: 'endless-text' }, wire, { replyBytes: 500_000 });
    expect(textOf(events).length).toBeLessThan(1_000_000);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'INVALID_REPLY' } });
  });

  it('[LLM-reply-length] ends at some million characters of text, long before its bytes are too many', async () => {
    const events = await afterFault({ type: 'endless-text' }, wire);
    expect(textOf(events).length).toBeGreaterThan(5_900_000);
    expect(textOf(events).length).toBeLessThan(6_300_000);
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'error', error: { kind: 'LLM', code: 'INVALID_REPLY' } });
    expect(last?.type === 'error' && last.error.message).toContain('a reply without end');
  });

  it.each([
    ['length', 'CONTEXT_LIMIT'],
    ['content_filter', 'INVALID_REPLY'],
  ])('says so when the model stopped because of %s', async (finishReason, code) => {
    const { client, ref } = await harnessFor({ replies: [{ text: 'half a', finishReason }] }, wire);
    const events = await eventsOf(client.stream({ ...request, model: ref }, never()));
    expect(textOf(events)).toBe('half a');
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { kind: 'LLM', code } });
  });
});

describe('an address with no model behind it', () => {
  async function eventsAt(baseUrl: string) {
    const harness = createClientHarness({ env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key } });
    closing.push(harness.remove);
    return eventsOf(harness.client.stream(request, never()));
  }

  it('where nothing listens', async () => {
    const model = await startScriptedModel({ replies: [] });
    await model.close();
    const [last, ...others] = await eventsAt(model.baseUrl);
    expect(others).toEqual([]);
    expect(last).toMatchObject({ type: 'error', error: { code: 'UNAVAILABLE', retryable: true } });
    expect(last?.type === 'error' && last.error.message).toContain(
      `nothing answers at 127.0.0.1:${model.port}`,
    );
  });

  it('where something speaks no HTTP', async () => {
    const server = createTcpServer((socket) =>
      socket
        .resume()
        .on('error', () => undefined)
        .end('SSH-2.0-nobody\r\n'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    const events = await eventsAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    expect(events).toMatchObject([{ type: 'error', error: { code: 'INVALID_REPLY' } }]);
  });

  it.each([
    'ftp://127.0.0.1/v1',
    'not an address',
    'http://user:pass@127.0.0.1/v1',
    'http://127.0.0.1/v1?k=1',
  ])('that cannot be one: %s', async (baseUrl) => {
    const harness = createClientHarness({ env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key } });
    closing.push(harness.remove);
    const events = await eventsOf(harness.client.stream(request, never()));
    expect(events).toMatchObject([{ type: 'error', error: { kind: 'CONFIG', code: 'INVALID' } }]);
    const [environment, offline] = await harness.client.listModels(true);
    expect(environment?.problem).toMatch(/OPENAI_BASE_URL/);
    expect(offline?.providerId).toBe('offline');
  });
});
