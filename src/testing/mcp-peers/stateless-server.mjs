// A server of the stateless protocol only (2026-07-28): over standard input and output, or with `http` over
// HTTP, where its first line of output is its address.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const text = (/** @type {string} */ said) => ({
  content: [{ type: /** @type {const} */ ('text'), text: said }],
});

/** Whether there is one more tool, added without a notification. */
let grown = false;

function build() {
  const server = new McpServer(
    { name: 'stateless', version: '2.0.0' },
    { capabilities: { tools: { listChanged: true } }, cacheHints: { 'tools/list': { ttlMs: 60_000 } } },
  );
  const numbers = z.object({ a: z.number(), b: z.number() });
  const sum = { description: 'Adds.', inputSchema: numbers, outputSchema: z.object({ sum: z.number() }) };
  server.registerTool('add', { ...sum, annotations: { readOnlyHint: true } }, ({ a, b }) => ({
    ...text(`${a + b}`),
    structuredContent: { sum: a + b },
  }));
  server.registerTool('steps', { description: 'Reports progress.' }, async (context) => {
    for (const progress of [1, 2, 3]) await report(context, progress);
    return text('done');
  });
  server.registerTool('picture', { description: 'Gives an image and a link.' }, () => ({
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' },
    ],
  }));
  server.registerTool('ask', { description: 'Asks who is there.' }, (context) => {
    const given = /** @type {{ action?: string } | undefined} */ (context.mcpReq.inputResponses?.['who']);
    if (given?.action && given.action !== 'accept') return text(`They said ${given.action}`);
    const answer = acceptedContent(context.mcpReq.inputResponses, 'who');
    return answer === undefined
      ? inputRequired({ inputRequests: { who: question } })
      : text(`Hello ${answer['name']}`);
  });
  server.registerTool('grow', { description: 'Has one tool more from now on.' }, () => {
    grown = true;
    return text('grown');
  });
  if (grown) server.registerTool('late', { description: 'Was not there at first.' }, () => text('here'));
  server.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('no such thing'), isError: true }));
  server.registerTool('wait', { description: 'Waits until it is told to stop.' }, (context) => {
    const { signal } = context.mcpReq;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(text('stopped'))));
  });
  return server;
}

const question = inputRequired.elicit({
  message: 'Who is there?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string', default: 'Ada' } },
    required: ['name'],
  },
});

/** @param {import('@modelcontextprotocol/server').ServerContext} context @param {number} progress */
function report({ mcpReq }, progress) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress, total: 3, message: `step ${progress}` },
  });
}

if (process.argv.includes('http')) {
  const handle = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
  const http = createServer((request, response) => {
    void handle(
      /** @type {import('@modelcontextprotocol/node').NodeIncomingMessageLike} */ (request),
      response,
    );
  });
  http.listen(0, '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (http.address());
    console.log(`http://127.0.0.1:${address.port}/mcp`);
  });
} else {
  serveStdio(build, { legacy: 'reject' });
}
