import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { redactLines, redactMessages, redactRefusals } from './redact-secrets';
import type { LinePort } from './line-port';

const key = 'a"key\\of-its own';
const inJson = JSON.stringify({ text: `It is ${key}.` });

/** A port whose server sends the given lines and standard error. */
function portSaying(lines: readonly string[], stderr: string): LinePort {
  return {
    pid: 7,
    send: () => undefined,
    onLine: (listener) => lines.forEach(listener),
    onExit: () => undefined,
    stderrTail: () => stderr,
    kill: () => Promise.resolve(),
  };
}

describe('[H51] a server’s key in its own output', () => {
  it('is removed from lines and from standard error', () => {
    const heard: string[] = [];
    const port = redactLines(portSaying([inJson, '{"other":1}'], `key=${key}`), [key]);
    port.onLine((line) => heard.push(line));
    expect(heard.map((line) => JSON.parse(line) as unknown)).toEqual([
      { text: 'It is [key].' },
      { other: 1 },
    ]);
    expect([port.stderrTail(), port.pid]).toEqual(['key=[key]', 7]);
  });

  it('is removed from messages', () => {
    const transport = redactMessages({} as Transport, () => [key]);
    const heard: JSONRPCMessage[] = [];
    transport.onmessage = (message) => heard.push(message);
    const clean: JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: { text: 'nothing' } };
    transport.onmessage?.({ jsonrpc: '2.0', id: 2, result: { deep: [{ text: key }] } });
    transport.onmessage?.(clean);
    expect(heard).toEqual([{ jsonrpc: '2.0', id: 2, result: { deep: [{ text: '[key]' }] } }, clean]);
    expect(heard[1]).toBe(clean);
  });

  it('does not cause a failure when it contains half a surrogate pair, which no address can', () => {
    const broken = '\ud800-half-a-sign';
    const port = redactLines(portSaying([], `key=${broken}`), [broken]);
    expect(port.stderrTail()).toBe('key=[key]');
  });

  it('is kept when it is too short to be a key', () => {
    const port = portSaying([], '');
    expect(redactLines(port, ['short'])).toBe(port);
  });
});

const own = 'own-key-of-the-server';

/** The redacted form of a refusal with this body. */
async function refusal(body: string, status = 500, statusText = 'No'): Promise<Response> {
  const said = new Response(body, { status, statusText, headers: { 'content-type': 'text/plain' } });
  return redactRefusals(
    () => Promise.resolve(said),
    () => [own],
  )('http://127.0.0.1/');
}

describe('[H51] [MCP-refusal-masked] the refusal of an HTTP server', () => {
  it.each([
    ['own', `no ${own} here`, 'no [key] here'],
    ['encoded', `no ${Buffer.from(own).toString('base64')}`, 'no [key]'],
    ['shape', 'bad key sk-live-0123456789abcdef', 'bad key [key]'],
    ['bearer', 'got Bearer abcdef0123456789', 'got Bearer [key]'],
    ['plain', 'the disk is full', 'the disk is full'],
  ])('%s: is redacted as text', async (_name, body, left) => {
    const response = await refusal(body);
    expect([response.status, await response.text()]).toEqual([500, left]);
  });

  it('stays JSON if it is JSON, and a value under a secret’s name is removed completely', async () => {
    const error = { code: -32000, message: `no ${own}, Authorization: Bearer ${own}` };
    const response = await refusal(JSON.stringify({ jsonrpc: '2.0', id: 7, error, apiKey: 'short' }), 400);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 7,
      apiKey: '[key]',
      error: { code: -32000, message: 'no [key], Authorization: [key]' },
    });
  });

  it('is read up to a limit, and its status line is redacted too', async () => {
    const response = await refusal('x'.repeat(1_000_000), 401, `Bad ${own}`);
    expect((await response.text()).length).toBeLessThanOrEqual(64 * 1024);
    expect(response.statusText).toBe('Bad [key]');
  });

  it('without a body stays without one, also where the status allows none', async () => {
    for (const status of [304, 404]) {
      const said = new Response(null, { status });
      const masked = await redactRefusals(
        () => Promise.resolve(said),
        () => [],
      )('http://127.0.0.1/');
      expect([masked.status, await masked.text()]).toEqual([status, '']);
    }
  });

  it('is the only reply that is changed', async () => {
    const said = new Response(own);
    expect(
      await redactRefusals(
        () => Promise.resolve(said),
        () => [own],
      )('http://127.0.0.1/'),
    ).toBe(said);
  });
});
