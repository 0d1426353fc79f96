// A server that exits at the first calls of its only tool and answers later ones: `node flaky-server.mjs FILE
// [ENDS]`. FILE counts the calls over all processes; ENDS is the number of calls that end the process
// (default 1).
import { appendFileSync, readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const file = process.argv[2] ?? '';
const ends = Number(process.argv[3] ?? 1);

serveStdio(() => {
  const server = new McpServer({ name: 'flaky', version: '1.0.0' });
  const answer = () => {
    appendFileSync(file, 'call\n');
    if (readFileSync(file, 'utf8').split('\n').length - 1 <= ends) process.exit(1);
    return { content: [{ type: /** @type {const} */ ('text'), text: 'here it is' }] };
  };
  const config = { description: 'Gets it.', inputSchema: z.object({}), annotations: { readOnlyHint: true } };
  server.registerTool('get', config, answer);
  return server;
});
