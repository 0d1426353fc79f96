import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../core/ports/llm';
import { createClientHarness, eventsOf, textOf } from '../../../testing/scripted-model-client';
import { readAddress } from './address';
import { connectionFailure } from './failure';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const request: ModelRequest = {
  model: { providerId: 'environment', model: 'large' },
  messages: [{ role: 'user', content: 'hi' }],
};

/** A client of a server that answers every request with `answer`. */
async function harnessOf(answer: (response: ServerResponse) => void) {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const harness = createClientHarness({ env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` } });
  closing.push(() => new Promise((resolve) => server.close(resolve)), harness.remove);
  closing.push(() => server.closeAllConnections());
  return harness;
}

async function eventsFrom(answer: (response: ServerResponse) => void) {
  const { client } = await harnessOf(answer);
  const events = await eventsOf(client.stream(request, new AbortController().signal));
  const last = events.at(-1);
  return { text: textOf(events), last, message: last?.type === 'error' ? last.error.message : null };
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const piece = (content: string, finish: string | null = null): string =>
  event({ choices: [{ delta: { content }, finish_reason: finish }] });
const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

describe('an error message of a server is quoted, wherever it is', () => {
  it.each([
    [404, { object: 'error', message: 'Nobody loaded it.', type: 'NotFoundError', code: 404 }, 'loaded it.'],
    [400, { detail: 'The model is asleep.' }, 'It says: The model is asleep.'],
    [400, { error: 'Plain words.' }, 'It says: Plain words.'],
    // Gemini
    [
      400,
      [{ error: { code: 400, message: 'No such field.', status: 'INVALID_ARGUMENT' } }],
      'No such field.',
    ],
    // Servers that check with pydantic: FastAPI, vLLM, Mistral
    [
      422,
      { detail: [{ loc: ['body', 'top_k'], msg: 'Extra inputs' }, { msg: 'And more' }] },
      'It says: body.top_k: Extra inputs; And more',
    ],
    [
      422,
      { object: 'error', message: { detail: [{ loc: ['body', 0], msg: 'Too small' }] } },
      'It says: body.0: Too small',
    ],
  ])('%i %j', async (status, body, says) => {
    const { message } = await eventsFrom((response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    expect(message).toContain(says);
  });

  it.each([
    [
      { object: 'error', message: 'Out of memory', code: 503 },
      /reported a server error \(503\)\. It says: Out of memory/,
    ],
    [{ error: { message: 'Too busy' } }, /reported a server error\. It says: Too busy/],
  ])('inside a stream, with a status of its own: %j', async (said, says) => {
    const { text, message } = await eventsFrom((response) => {
      stream(response).end(`${piece('half')}${event(said)}`);
    });
    expect([text, message]).toEqual(['half', expect.stringMatching(says)]);
  });
});

describe('[LLM-errors] a key refused with status 400', () => {
  const google = (message: string, details: readonly unknown[] = []) => [
    { error: { code: 400, message, status: 'INVALID_ARGUMENT', details } },
  ];
  const reason = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  };
  it.each([
    ['AUTH', google('API key not valid. Please pass a valid API key.', [reason])],
    ['AUTH', google('Chave de API inválida.', [reason])],
    ['AUTH', google('API key expired. Please renew the API key.')],
    ['AUTH', google('Missing or invalid Authorization header.')],
    ['AUTH', { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***9.' }],
    ['UNAVAILABLE', google("Invalid value at 'contents' (oneof), oneof field is already set.")],
    ['UNAVAILABLE', { error: { message: 'The tool "get_api_key" is invalid.', code: 400 } }],
  ])('is reported as %s: %j', async (code, body) => {
    const { client } = await harnessOf((response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const last = (await eventsOf(client.stream(request, new AbortController().signal))).at(-1);
    expect(last).toMatchObject({ type: 'error', error: { kind: 'LLM', code } });
    const [listed] = await client.listModels(true);
    expect(listed?.problem).toMatch(code === 'AUTH' ? /asks for a key/ : /refused the request/);
  });
});

describe('a connection that closes early', () => {
  it('before any text, does not mention text', async () => {
    const { message } = await eventsFrom((response) => {
      stream(response).flushHeaders();
      setImmediate(() => response.destroy());
    });
    expect(message).toMatch(/closed the connection before it answered/);
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const here = {
      name: 'Mine',
      baseUrl: 'http://127.0.0.1/v1',
      key: null,
      loopback: true,
      wire: 'chat' as const,
    };
    expect(connectionFailure(reset, here).error.message).toBe(
      'Mine closed the connection before it answered.',
    );
  });

  it('after the end mark, has delivered the whole reply', async () => {
    const { text, last } = await eventsFrom((response) => {
      stream(response).write(piece('all of it', 'stop'), () => response.destroy());
    });
    expect([text, last]).toMatchObject(['all of it', { type: 'end' }]);
  });

  it('without an end mark, keeps the text so far and reports that the reply was cut off', async () => {
    const { text, message } = await eventsFrom((response) => {
      stream(response).write(piece('half'), () => response.destroy());
    });
    expect([text, message]).toEqual(['half', expect.stringMatching(/broke off/)]);
  });
});

it('an unreadable token count does not fail the reply', async () => {
  const { text, last } = await eventsFrom((response) => {
    stream(response).end(
      `${piece('fine', 'stop')}${event({ choices: [], usage: { prompt_tokens: 'five' } })}`,
    );
  });
  expect([text, last]).toMatchObject(['fine', { type: 'end', inputTokens: 0 }]);
});

it.each([1e30, -5, 1.5e9])('a token count of %d is nonsense and counts as 0', async (count) => {
  const { last } = await eventsFrom((response) => {
    stream(response).end(
      `${piece('fine', 'stop')}${event({ choices: [], usage: { prompt_tokens: 12.7, completion_tokens: count } })}`,
    );
  });
  expect(last).toMatchObject({ type: 'end', inputTokens: 12, outputTokens: 0 });
});

describe('[LLM-think-tags] thinking that a server leaves in the text', () => {
  const heard = async (...pieces: readonly string[]) => {
    const { client } = await harnessOf((response) => {
      stream(response).end(`${pieces.map((text) => piece(text)).join('')}${piece('', 'stop')}`);
    });
    const events = await eventsOf(client.stream(request, new AbortController().signal));
    const thinking = events.map((one) => (one.type === 'thinking' ? one.text : '')).join('');
    return { thinking, text: textOf(events), last: events.at(-1) };
  };

  it.each([
    ['in one piece', ['<think>First A.</think>\n\nThe answer.']],
    ['in many pieces', ['\n<th', 'ink>First', ' A.<', '/thi', 'nk>', '\n', '\nThe ', 'answer.']],
  ])('is thinking, %s, and is not sent back', async (_, pieces) => {
    const { thinking, text, last } = await heard(...pieces);
    expect([thinking, text]).toEqual(['First A.', 'The answer.']);
    expect(last).toMatchObject({
      type: 'end',
      parts: [
        { type: 'thinking', text: 'First A.' },
        { type: 'text', text: 'The answer.' },
      ],
    });
    expect(JSON.stringify(last)).not.toContain('provider');
  });

  it.each([
    ['later in the text', ['Use the tag ', '<think>x</think> here.']],
    ['when the text only begins like the tag', ['<th', '>Name</th>']],
    ['when the text ends before the tag does', ['<thi']],
    ['in white space', ['  ', '\n', 'indented']],
  ])('is text %s', async (_, pieces) => {
    const { thinking, text } = await heard(...pieces);
    expect([thinking, text]).toEqual(['', pieces.join('')]);
  });

  it('without an end is a reply without an answer', async () => {
    const { thinking, last } = await heard('<think>And then', ' </th');
    expect(thinking).toBe('And then </th');
    expect(last).toMatchObject({
      type: 'error',
      error: { message: 'The model thought and gave no answer.' },
    });
  });
});

it('of several choices, the first is the reply', async () => {
  const choices = ['second', 'first'].map((content, at) => ({ index: 1 - at, delta: { content } }));
  const { text } = await eventsFrom((response) => {
    stream(response).end(`${event({ choices })}${piece('', 'stop')}`);
  });
  expect(text).toBe('first');
});

it('a model list entry without a model loses only itself', async () => {
  const harness = await harnessOf((response) => {
    const data = [{ name: 'no id' }, { id: 5 }, { id: 'x'.repeat(300) }, 'text', null, { id: 'good' }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  const [listed] = await harness.client.listModels(true);
  expect([listed?.models, listed?.problem]).toEqual([['good'], undefined]);
});

it('an untrusted certificate is not reported as a server that is not running', () => {
  const address = readAddress('https://localhost:8443/v1');
  const { baseUrl, loopback } = address.ok ? address.value : { baseUrl: '', loopback: false };
  const own = Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  const { error } = connectionFailure(own, { name: 'Mine', baseUrl, loopback, key: null, wire: 'chat' });
  expect(error.message).toContain('its certificate cannot be trusted');
  expect(error.hint).toMatch(/trust the certificate of localhost:8443/);
});
