import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { canonicalJson, type JsonObject } from '#shared/json';
import type { ToolDefinition } from '../../../core/ports/tool-definition';
import { reviewSchema, schemaProblem } from '#shared/schema-guard';
import { stripControls } from './text-tail';

/**
 * What a model reads of the bundled filesystem server's tools, in place of the package's own words: shorter, and
 * with the form of the text that each returns.
 */
const filesystem: Readonly<Record<string, string>> = {
  create_directory: '',
  directory_tree: 'Tree as JSON text.',
  edit_file: 'Replaces exact texts; dryRun only gives the diff.',
  get_file_info: 'Lines such as size: 12.',
  list_allowed_directories: 'Allowed folders.',
  list_directory: 'Lines of [FILE] name or [DIR] name.',
  list_directory_with_sizes: '',
  move_file: '',
  read_file: 'Old name of read_text_file.',
  read_media_file: 'Image or audio as base64.',
  read_multiple_files: 'Texts, each under its path.',
  read_text_file: 'Text, or its first or last lines.',
  search_files: 'Full paths, one per line.',
  write_file: 'Its folder must exist.',
};

/** The text about a bundled server's tool; undefined where the server's own words are used. */
function bundledText(bundled: string | undefined, tool: string): string | undefined {
  return bundled === 'filesystem' && Object.hasOwn(filesystem, tool) ? filesystem[tool] : undefined;
}

export interface ServerIdentity {
  readonly name: string;
  readonly version: string;
  readonly trusted: boolean;
  /** How long the result of a read may be reused. */
  readonly readTtlMs?: number | undefined;
  /** The name of a bundled server. */
  readonly bundled?: string | undefined;
}

export interface DefinedTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** Tools that were refused, each with its reason. */
  readonly refused: readonly string[];
}

const MAX_TOOLS = 2_000;
const MAX_DESCRIPTION_CHARACTERS = 4_000;
const MAX_NAME_CHARACTERS = 128;
/**
 * ASCII letters, ideographs, kana and whole Hangul syllables. The other characters of these scripts are
 * invisible (the Hangul fillers), are parts of letters, or look like ASCII letters.
 */
const LETTER = 'A-Za-z0-9_\\p{Unified_Ideograph}々\\u3041-\\u3096\\u30a1-\\u30fa\\uac00-\\ud7a3';
const NAME = new RegExp(`^[${LETTER}](?:[${LETTER}ー@:/-]|\\.(?!\\.))*$`, 'u');
/**
 * Members that every object has, or that make an object a promise: a script could not distinguish them from a
 * tool.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'then',
  'toJSON',
  'prototype',
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** Why a tool's name is refused, as the end of a sentence, or null. */
function nameProblem(name: string): string | null {
  if (name === '' || name.length > MAX_NAME_CHARACTERS) return `has a name of ${name.length} characters`;
  if (RESERVED.has(name)) return 'has a name that every JavaScript object already uses';
  if (!NAME.test(name))
    return 'has a name with characters that mcp://server.tool cannot contain or that look like other characters';
  return null;
}

/** Pairs of characters that most fonts draw alike; the first replaces the second. */
const ALIKE = '二ニ 力カ 口ロ 工エ 夕タ 卜ト 八ハ 千チ へヘ べベ ぺペ 一ー -ー 丨l'.split(' ');
const TWINS = new Map(ALIKE.map((pair) => [pair.charAt(0), pair.charAt(1)]));

/**
 * Maps names that a person cannot tell apart to one text: I, l and 1; O and 0; rn and m; the ideograph 力 and
 * the kana カ.
 */
const lookOf = (name: string): string =>
  Array.from(name, (sign) => TWINS.get(sign) ?? sign)
    .join('')
    .replace(/[Il1]/g, 'l')
    .replace(/[O0]/g, 'o')
    .replace(/rn/g, 'm');

/** A name safe to display: every character that is not plain appears as its code point. */
const escaped = (name: string): string =>
  name.replace(/[^\x20-\x7e]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

/**
 * A server's tools in the form the rest of Patina sees: bounded, printable, with schemas that are safe to
 * compile.
 */
export function defineTools(server: ServerIdentity, declared: readonly Tool[]): DefinedTools {
  const tools = new Map<string, ToolDefinition>();
  const refused: string[] = [];
  const looks = new Map<string, string>();
  for (const tool of declared) {
    const alike = looks.get(lookOf(tool.name)) ?? tool.name;
    const problem =
      refusal(tool, tools) ?? (alike === tool.name ? null : `has a name that looks like ${alike}`);
    if (problem !== null) {
      refused.push(`${escaped(tool.name).slice(0, 64)} ${problem}`);
      continue;
    }
    tools.set(tool.name, define(server, tool));
    looks.set(lookOf(tool.name), tool.name);
  }
  return { tools, refused };
}

function refusal(tool: Tool, known: ReadonlyMap<string, ToolDefinition>): string | null {
  if (known.size >= MAX_TOOLS) return `is beyond the first ${MAX_TOOLS}`;
  const named = nameProblem(tool.name);
  if (named !== null) return named;
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
    description: stripControls(bundledText(bundled, tool.name) ?? tool.description ?? '').slice(
      0,
      MAX_DESCRIPTION_CHARACTERS,
    ),
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

/** The hash of everything that a server declares about a tool, and the declared annotations. */
function declaredOf({ title, description, inputSchema, outputSchema, annotations }: Tool) {
  const declared = { title, description, inputSchema, outputSchema, annotations };
  const hash = createHash('sha256').update(canonicalJson(declared)).digest('hex');
  return { hash, ...(annotations && { annotations: { ...annotations } as JsonObject }) };
}
