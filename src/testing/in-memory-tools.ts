import { appError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { parseToolUri } from '#shared/tool-name';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../core/ports/tool-definition';
import type { Tools } from '../core/ports/tools';

export interface InMemoryTool {
  readonly readOnly?: boolean;
  /** Whether the user trusts its server. */
  readonly trusted?: boolean;
  /** The bundled server's name. */
  readonly bundled?: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly call: (args: JsonObject, signal: AbortSignal) => Result<Json> | Promise<Result<Json>>;
}

/** Tools in this process, with a record of every call. */
export function createInMemoryTools(rows: Readonly<Record<string, InMemoryTool>>) {
  const calls: { readonly uri: string; readonly args: JsonObject }[] = [];
  const started: (readonly string[] | undefined)[] = [];
  const definitions = Object.entries(rows).map(([uri, row]): ToolDefinition => {
    const { server = '', tool = '' } = parseToolUri(uri) ?? {};
    const { readOnly = true, trusted, bundled, description = '', inputSchema = { type: 'object' } } = row;
    return {
      uri,
      server,
      tool,
      serverVersion: '1.0.0',
      description,
      inputSchema,
      readOnly,
      ...(trusted && { trusted }),
      ...(bundled !== undefined && { bundled }),
    };
  });
  const tools: Tools = {
    servers: () => [],
    list: (servers) => {
      started.push(servers);
      return Promise.resolve(ok(definitions.filter(({ server }) => !servers || servers.includes(server))));
    },
    call: async (uri, args, signal) => {
      calls.push({ uri, args });
      const row = rows[uri];
      return row ? row.call(args, signal) : err(appError('TOOL', 'NOT_FOUND', uri));
    },
    release: () => Promise.resolve(),
  };
  return { tools, calls, started };
}
