import { appError } from '#shared/app-error';
import { untouched } from '#shared/elicitation';
import type { JsonObject } from '#shared/json';
import { err } from '#shared/result';
import { createChildLinePort } from '../../main/adapters/mcp/child-line-port';
import { createTools } from '../../main/adapters/mcp/create-tools';
import { parseRegistry } from '../../main/adapters/mcp/registry';
import type { ToolDefinition } from '../../core/ports/tool-definition';

interface Asked {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The calls that the suite requests, else one call of every offered tool. */
function callsOf(tools: readonly ToolDefinition[]): readonly Asked[] {
  const { toolCalls } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
    toolCalls?: readonly Asked[];
  };
  if (toolCalls) return toolCalls;
  const focal = tools.find(({ tool }) => tool === 'json_schema_2020_12_tool');
  const schema = focal ? { schema: focal.inputSchema } : {};
  return tools.map(({ tool }) => ({ name: tool, arguments: { a: 5, b: 3, ...schema } }));
}

/**
 * Patina's client, exactly as the app uses it, for the protocol's own suite: `conformance-client.mjs URL`.
 */
const tools = createTools({
  registry: () =>
    parseRegistry(JSON.stringify({ mcpServers: { peer: { url: process.argv.at(-1) } } }), 'registry.json'),
  project: process.cwd(),
  startBundledServer: () => {
    throw new Error('There is none here.');
  },
  startChild: createChildLinePort,
  env: {},
  secret: () => err(appError('CONFIG', 'MISSING', 'There are no secrets here.')),
  // A user who submits every form unchanged.
  elicit: ({ fields }) => Promise.resolve({ action: 'accept', content: untouched(fields) }),
});
const listed = await tools.list();
const offered = listed.ok ? listed.value : [];
for (const { name, arguments: args } of callsOf(offered)) {
  await tools.call(`mcp://peer.${name}`, args, new AbortController().signal);
}
await tools.release();
if (!listed.ok || tools.servers().some(({ state }) => state === 'failed')) process.exitCode = 1;
