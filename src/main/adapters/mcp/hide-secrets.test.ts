import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { hideInLines, hideInMessages } from './hide-secrets';
import type { LinePort } from './line-port';

const key = 'a"key\\of-its own';
const inJson = JSON.stringify({ text: `It is ${key}.` });

/** A port whose server says what it is told to say. */
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

describe('[H51] what a server says of its own key', () => {
  it('is taken out of lines and of standard error, as it stands there', () => {
    const heard: string[] = [];
    const port = hideInLines(portSaying([inJson, '{"other":1}'], `key=${key}`), [key]);
    port.onLine((line) => heard.push(line));
    expect(heard.map((line) => JSON.parse(line) as unknown)).toEqual([
      { text: 'It is [key].' },
      { other: 1 },
    ]);
    expect([port.stderrTail(), port.pid]).toEqual(['key=[key]', 7]);
  });

  it('is taken out of messages', () => {
    const transport = hideInMessages({} as Transport, [key]);
    const heard: JSONRPCMessage[] = [];
    transport.onmessage = (message) => heard.push(message);
    const clean: JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: { text: 'nothing' } };
    transport.onmessage?.({ jsonrpc: '2.0', id: 2, result: { deep: [{ text: key }] } });
    transport.onmessage?.(clean);
    expect(heard).toEqual([{ jsonrpc: '2.0', id: 2, result: { deep: [{ text: '[key]' }] } }, clean]);
    expect(heard[1]).toBe(clean);
  });

  it('a word too short to be a key changes nothing', () => {
    const port = portSaying([], '');
    expect(hideInLines(port, ['short'])).toBe(port);
  });
});
