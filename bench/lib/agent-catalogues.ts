import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { JsonObject } from '../../src/shared/json';
import type { ToolDefinition } from '../../src/core/ports/tool-definition';

/** Only the tools that the tasks need: what a careful person would allow. */
const needed = [
  ...'list_orders get_order get_customer list_products get_product update_stock tag_order create_refund'
    .split(' ')
    .map((name) => `mcp://shop.${name}`),
  ...'list_directory read_text_file write_file search_files'
    .split(' ')
    .map((name) => `mcp://filesystem.${name}`),
  ...'create_entities add_observations search_nodes'.split(' ').map((name) => `mcp://memory.${name}`),
  'mcp://everything.get-sum',
];

const things =
  'issue branch deployment invoice meeting ticket page contact campaign dataset pipeline alert'.split(' ');
const verbs = 'list get create update delete search archive assign comment export watch'.split(' ');
const places = 'alpha beta gamma delta'.split(' ');

/** A tool as public servers declare them: about 130 tokens of schema, where 527 public ones have 171 on average. */
function stranger(number: number): ToolDefinition {
  const thing = things[number % things.length] ?? '';
  const verb = verbs[Math.floor(number / things.length) % verbs.length] ?? '';
  const place = places[Math.floor(number / (things.length * verbs.length)) % places.length] ?? '';
  const server = `${place}_${thing}s`;
  const string = (description: string) => ({ type: 'string', description });
  return {
    uri: `mcp://${server}.${verb}_${thing}`,
    server,
    tool: `${verb}_${thing}`,
    serverVersion: '1',
    description: `Lets you ${verb} a ${thing} in the ${place} workspace. Requires the scope ${thing}:${verb}.`,
    inputSchema: {
      type: 'object',
      properties: {
        workspace_id: string('The workspace to work in.'),
        [`${thing}_id`]: string(`The id of the ${thing}, as the list gives it.`),
        fields: { type: 'array', items: { type: 'string' }, description: 'Which fields to give back.' },
        limit: { type: 'integer', default: 20, description: 'How many at most, up to 100.' },
        cursor: string('Where the page before ended.'),
      },
      required: ['workspace_id'],
    },
    readOnly: ['list', 'get', 'search'].includes(verb),
  };
}

/** The same tasks are done with 16, 56, 127 and 540 tools; beyond the tools of the four real servers there are declarations only. */
export function catalogueOf(real: readonly ToolDefinition[], size: number): readonly ToolDefinition[] {
  if (size === needed.length) return real.filter(({ uri }) => needed.includes(uri));
  const others = Array.from({ length: Math.max(0, size - real.length) }, (_, number) => stranger(number));
  return [...real, ...others].slice(0, size);
}

const PublicServers = z.array(
  z.object({
    tools: z.record(
      z.string(),
      z.object({
        tools: z.array(
          z.object({ name: z.string(), description: z.string().nullish(), inputSchema: JsonObject }),
        ),
      }),
    ),
  }),
);

/** The tools of public servers (LiveMCPBench), if they are stored beside the project; none otherwise. */
export function publicTools(): readonly ToolDefinition[] {
  const folder = process.env['PATINA_BENCH_DATA'] ?? '../shared/public';
  const file = path.resolve(folder, 'livemcpbench/tools.json');
  if (!existsSync(file)) return [];
  const servers = PublicServers.parse(JSON.parse(readFileSync(file, 'utf8')));
  return servers.flatMap(({ tools }) =>
    Object.entries(tools).flatMap(([name, { tools: declared }]) => {
      const server = name.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');
      return declared.map(({ name: tool, description, inputSchema }) => ({
        ...{ uri: `mcp://${server}.${tool}`, server, tool, serverVersion: '1', inputSchema },
        description: description ?? '',
        readOnly: false,
      }));
    }),
  );
}

/** Real tools among those of public servers. */
export const amongPublic = (real: readonly ToolDefinition[]): readonly ToolDefinition[] => {
  const taken = new Set(real.map(({ uri }) => uri));
  return [...real, ...publicTools().filter(({ uri }) => !taken.has(uri))];
};
