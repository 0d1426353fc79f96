import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

// A ledger in a file, over stdio: each `add` appends a line that is never removed, so that a repeated write
// shows. The optional second file receives the process id.
const [, , file = '', pidFile] = process.argv;
if (pidFile) writeFileSync(pidFile, String(process.pid));

/** @param {unknown} n */
function add(n) {
  const handle = openSync(file, 'a');
  appendFileSync(handle, `${String(n)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  return { n };
}

const server = new Server({ name: 'ledger', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    {
      name: 'add',
      description: 'Adds a line.',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      annotations: { readOnlyHint: false },
    },
    {
      name: 'read',
      description: 'Gives every line.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
    },
  ],
}));
server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args = {} } }) => {
  const value =
    name === 'add' ? add(args['n']) : { lines: readFileSync(file, 'utf8').split('\n').length - 1 };
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
});
await server.connect(new StdioServerTransport());
