// A server with one tool, whose definition comes from a file at each start: `node changing-server.mjs FILE`.
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** @type {{ description: string, field: string }} */
const says = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

serveStdio(() => {
  const server = new McpServer({ name: 'changing', version: '1.0.0' });
  server.registerTool(
    'weigh',
    {
      description: says.description,
      inputSchema: z.object({ [says.field]: z.string() }),
      annotations: { readOnlyHint: true },
    },
    () => ({ content: [{ type: 'text', text: 'It weighs 7 grams.' }] }),
  );
  return server;
});
