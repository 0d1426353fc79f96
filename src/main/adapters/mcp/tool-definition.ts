import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { canonicalJson, type JsonObject } from '#shared/json';
import type { ToolDefinition } from '../../ports/tool-definition';
import { reviewSchema, schemaProblem } from '#shared/schema-guard';
import { stripControls } from './text-tail';

export interface ServerIdentity {
  readonly name: string;
  readonly version: string;
  readonly trusted: boolean;
  /** How long what a read gave may be given again. */
  readonly readTtlMs?: number | undefined;
  /** The name of a server that comes with the app. */
  readonly bundled?: string | undefined;
}

export interface DefinedTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** Tools that were refused, each with its reason. */
  readonly refused: readonly string[];
}

const MAX_TOOLS = 2_000;
const MAX_DESCRIPTION_CHARACTERS = 4_000;
const NAME = /^[^\s?#\p{Cc}]{1,128}$/u;

/** The tools of a server as the rest of Patina may know them: bounded, printable, their schemas safe to compile. */
export function defineTools(server: ServerIdentity, declared: readonly Tool[]): DefinedTools {
  const tools = new Map<string, ToolDefinition>();
  const refused: string[] = [];
  for (const tool of declared) {
    const problem = refusal(tool, tools);
    if (problem === null) tools.set(tool.name, define(server, tool));
    else refused.push(`${stripControls(tool.name).slice(0, 64)} ${problem}`);
  }
  return { tools, refused };
}

function refusal(tool: Tool, known: ReadonlyMap<string, ToolDefinition>): string | null {
  if (known.size >= MAX_TOOLS) return `is beyond the first ${MAX_TOOLS}`;
  if (!NAME.test(tool.name)) return 'has a name that cannot be written in mcp://server.tool';
  if (known.has(tool.name)) return 'is declared twice';
  const problem = schemaProblem(tool.inputSchema);
  return problem === null ? null : `has an input schema that ${problem}`;
}

function define({ name, version, trusted, bundled, readTtlMs }: ServerIdentity, tool: Tool): ToolDefinition {
  const output = tool.outputSchema;
  const { uncheckedPatterns } = reviewSchema(tool.inputSchema);
  const useful = output !== undefined && schemaProblem(output) === null;
  return {
    uri: `mcp://${name}.${tool.name}`,
    server: name,
    tool: tool.name,
    serverVersion: version,
    description: stripControls(tool.description ?? '').slice(0, MAX_DESCRIPTION_CHARACTERS),
    inputSchema: tool.inputSchema as JsonObject,
    ...(useful ? { outputSchema: output as JsonObject } : {}),
    readOnly: trusted && tool.annotations?.readOnlyHint === true,
    trusted,
    ...(readTtlMs !== undefined && { readTtlMs }),
    ...(uncheckedPatterns.length > 0 && { uncheckedPatterns }),
    ...(bundled !== undefined && { bundled }),
    ...declaredOf(tool),
  };
}

/** All that a server declares of a tool, by its hash, and what it says of it beside. */
function declaredOf({ title, description, inputSchema, outputSchema, annotations }: Tool) {
  const declared = { title, description, inputSchema, outputSchema, annotations };
  const hash = createHash('sha256').update(canonicalJson(declared)).digest('hex');
  return { hash, ...(annotations && { annotations: { ...annotations } as JsonObject }) };
}
