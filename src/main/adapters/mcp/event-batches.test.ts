import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createTools } from './create-tools';
import { separateBatches } from './event-batches';
import { parseRegistry } from './registry';

async function separated(chunks: readonly string[]): Promise<string> {
  const source = new ReadableStream<string>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let out = '';
  for await (const part of source.pipeThrough(separateBatches()) as ReadableStream<string> &
    AsyncIterable<string>)
    out += part;
  return out;
}

const stream = [
  ': alive\r\n',
  'event: message\r\nid: 7\r\ndata: [{"id":1},{"id":2}]\r\n\r\n',
  'data: {"id":3}\n\n',
  'data: {"a":\ndata: [1]\ndata: }\n\n',
  'data: []\r\r',
  'data: [half\n\n',
].join('');
const apart = [
  ': alive\n',
  'event: message\nid: 7\ndata: {"id":1}\n\ndata: {"id":2}\n\n',
  'data: {"id":3}\n\n',
  'data: {"a":\ndata: [1]\ndata: }\n\n',
  'data: []\n\n',
  'data: [half\n\n',
].join('');

it.each([1, 2, 3, 5, 1_000])('[MCP-batch] events read in parts of %i characters', async (size) => {
  const parts = stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  expect(await separated(parts)).toBe(apart);
});

it('[MCP-batch] an event without an end is bounded', async () => {
  const endless = Array.from({ length: 40 }, () => 'x'.repeat(1_000_000));
  await expect(separated(['data: ', ...endless])).rejects.toThrow('An event is over');
});

interface Asked {
  readonly id?: number;
  readonly method?: string;
}

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-03-26',
    capabilities: { tools: {} },
    serverInfo: { name: 'batches', version: '1' },
  },
  'tools/list': { tools: [{ name: 'echo', description: 'Echoes.', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'in a batch' }] },
};

/** Answers in a batch within an event stream that stays open. */
function answer(response: ServerResponse, { id, method = '' }: Asked): void {
  if (id === undefined) return void response.writeHead(202).end();
  const result = results[method];
  const message = result
    ? { jsonrpc: '2.0', id, result }
    : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } };
  const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: message\ndata: ${JSON.stringify([log, message])}\n\n`);
}

it('[MCP-batch] a call over HTTP gets its answer from a batch in a stream that stays open', async () => {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void text(request).then((body) => answer(response, JSON.parse(body) as Asked));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const unused = (): never => {
    throw new Error('Nothing is started here.');
  };
  const tools = createTools({
    registry: () => parseRegistry(JSON.stringify({ mcpServers: { x: { url } } }), 'registry.json'),
    project: process.cwd(),
    startBundledServer: unused,
    startChild: unused,
    env: {},
    secret: unused,
    timeouts: { startMs: 3_000, callMs: 3_000, pingMs: 1_000 },
  });
  expect(await tools.call('mcp://x.echo', {}, new AbortController().signal)).toEqual({
    ok: true,
    value: 'in a batch',
  });
  await tools.release();
  server.close();
  server.closeAllConnections();
}, 20_000);
