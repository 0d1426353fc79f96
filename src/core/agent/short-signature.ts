import type { ToolDefinition } from '../ports/tool-definition';
import { schemaType } from './schema-type';

/** A short form longer than this says less than the tool's name and what it is asked for. */
const longest = 240;

/** `{ path: string; head?: number; ids: string[] }` as `path, head?: number, ids[]`: what is not said is a text. */
function shortType(type: string): string {
  return type
    .replace(/ \/\* default .*? \*\//g, '')
    .replace(/: string(?=[;[\]} ]|$)/g, '')
    .replaceAll('; ', ', ')
    .replace(/\{ /g, '{')
    .replace(/ \}/g, '}')
    .replace(/^\{([\s\S]*)\}$/, '$1');
}

/** `tool(path, head?: number)`: the members of the one argument, `…` when there is too much to say. Pure. */
export function shortSignature(name: string, { inputSchema, readOnly }: ToolDefinition): string {
  const members = shortType(schemaType(inputSchema));
  return `${name}(${members.length > longest ? '…' : members})${readOnly ? '' : '!'}`;
}

/** One line for each server: `server: tool(…) other(…)`, under the names scripts call them by. Pure. */
export function shortLines(
  tools: readonly (readonly [alias: string, tool: ToolDefinition])[],
): readonly string[] {
  const byServer = new Map<string, string[]>();
  for (const [alias, tool] of tools) {
    const [server = '', name = ''] = alias.split('.');
    byServer.set(server, [...(byServer.get(server) ?? []), shortSignature(name, tool)]);
  }
  return [...byServer].map(([server, signatures]) => `${server}: ${signatures.join(' ')}`);
}
