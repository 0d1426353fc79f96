import { isObject, parseJson, type JsonObject } from '#shared/json';
import type { ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import { scriptAliases } from './script-tools';
import { createToolSearch, stepsOf } from './tool-search';
import { toolDeclaration, toolLines, type SeenSchema } from './tool-signature';
import { schemaType } from './schema-type';

/** Up to this many characters (about 900 tokens) the index shows every tool in full. */
const fullCharacters = 3_600;

/**
 * Up to this many tools the index shows all: those that fit the goal in full and the others in short form, up
 * to about 3,000 tokens.
 */
const maxShown = 60;
const shortCharacters = 12_000;

/** Limit for the tools that fit the goal (about 300 tokens). */
const fittingCharacters = 1_200;

/** Limits for found tools: per step of the goal, and in total (about 1,500 tokens). */
const foundPerStep = 4;
const foundCharacters = 6_000;

/** Limits for one `find_tools` call. */
const declaredPerQuery = 5;
const maxQueries = 8;
const declaredCharacters = 16_000;

/** The function that a planning model calls to find more tools. */
export const findTools = 'find_tools';

/** The tools in a planning call, and the way to find the others. */
export interface ToolIndex {
  readonly text: string;
  /** Whether the text contains every tool in full. */
  readonly complete: boolean;
  /** `find_tools`: the text is short even where it names every tool. */
  readonly offered: readonly ModelTool[];
  /** Answers a `find_tools` call with full declarations, best match first. */
  readonly answer: (call: ModelToolCall) => string;
}

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

const shortWords =
  'Others, as server: tool(members of its one argument, texts unless said), "!" where it writes; called like the above. find_tools tells results and more.';

type Aliased = readonly [alias: string, tool: ToolDefinition];

/**
 * All tools in short form: the fitting ones as whole lines, the others by name and arguments. Null when the
 * result would be too long.
 */
function allInShort(lines: readonly string[], others: readonly Aliased[], count: number): string | null {
  const rest = shortLines(others);
  if (count > maxShown || lengthOf(rest) > shortCharacters) return null;
  return [...lines, ...(rest.length > 0 ? [shortWords, ...rest] : [])].join('\n');
}

/** Interleaves the lists and removes duplicates. */
function takeTurns(lists: readonly (readonly string[])[]): readonly string[] {
  const maxMembersLength = Math.max(0, ...lists.map((list) => list.length));
  const taken = Array.from({ length: maxMembersLength }, (_, rank) =>
    lists.flatMap((list) => list.slice(rank, rank + 1)),
  );
  return [...new Set(taken.flat())];
}

/** As many lines as fit, but always the first one. */
function within(lines: readonly string[], characters: number): readonly string[] {
  let left = characters;
  return lines.filter((line, index) => (left -= line.length + 1) >= 0 || index === 0);
}

function serverNames(tools: readonly ToolDefinition[]): string {
  const counts = new Map<string, number>();
  for (const { server } of tools) counts.set(server, (counts.get(server) ?? 0) + 1);
  return [...counts].map(([server, count]) => `${server} (${count})`).join(', ');
}

const findTool: ModelTool = {
  name: findTools,
  description: 'Declares tools in full: the best matches, or the one named.',
  parameters: {
    type: 'object',
    properties: { queries: { type: 'array', items: { type: 'string' } } },
    required: ['queries'],
  },
};

function queriesOf({ argumentsJson }: ModelToolCall): readonly string[] {
  const parsed = parseJson(argumentsJson);
  const given: JsonObject = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const queries = given['queries'] ?? given['query'];
  const list = Array.isArray(queries) ? (queries as readonly unknown[]) : [queries];
  return list.filter((query): query is string => typeof query === 'string').slice(0, maxQueries);
}

/**
 * Builds the tool index. Few tools get one full line each; with more, those that fit the goal get full lines
 * and the others a short form; beyond that the index has only server names and the tools that fit the goal's
 * steps. Pure.
 */
export function createToolIndex(tools: readonly ToolDefinition[], goal: string, seen: SeenSchema): ToolIndex {
  const lines = toolLines(tools, seen);
  const aliases = [...scriptAliases(tools.map(({ uri }) => uri))];
  const byUri = new Map(tools.map((tool) => [tool.uri, tool]));
  const search = createToolSearch(tools);
  const complete = lengthOf([...lines.values()]) <= fullCharacters;
  const fitting = (characters: number): readonly string[] => {
    const hits = [goal, ...stepsOf(goal)].map((query) => search.find(query, foundPerStep));
    return within(
      takeTurns(hits).map((uri) => lines.get(uri) ?? ''),
      characters,
    );
  };
  const inShort = (): string | null => {
    const shown = fitting(fittingCharacters);
    const others = aliases.flatMap(([alias, uri]): readonly Aliased[] => {
      const tool = byUri.get(uri);
      return tool && !shown.includes(lines.get(uri) ?? '') ? [[alias, tool]] : [];
    });
    return allInShort(shown, others, tools.length);
  };
  const found = (): string => {
    const shown = fitting(foundCharacters);
    return [
      `There are ${tools.length} tools on these servers: ${serverNames(tools)}.`,
      `The ones below fit the goal; ${findTools} gives others.`,
      ...shown,
    ].join('\n');
  };
  const named = (query: string): readonly string[] => {
    const exact = aliases.filter(([alias, uri]) => [alias, `tools.${alias}`, uri].includes(query.trim()));
    return exact.length > 0 ? exact.map(([, uri]) => uri) : search.find(query, declaredPerQuery);
  };
  const declaration = (uri: string): string => {
    const tool = byUri.get(uri);
    const alias = aliases.find(([, own]) => own === uri)?.[0] ?? '';
    return tool ? toolDeclaration(alias, tool, seen) : '';
  };
  const answer = (call: ModelToolCall): string => {
    const hits = takeTurns(queriesOf(call).map(named));
    const declarations = within(hits.map(declaration), declaredCharacters);
    return declarations.length > 0
      ? declarations.join('\n')
      : 'No tool fits. Try other words, or the name of a server.';
  };
  return {
    text: complete ? [...lines.values()].join('\n') : (inShort() ?? found()),
    complete,
    offered: [findTool],
    answer,
  };
}

/** A short form longer than this is less useful than the tool's name and an ellipsis. */
const maxMembersLength = 240;

/**
 * Shortens `{ path: string; head?: number; ids: string[] }` to `path, head?: number, ids[]`: a member without
 * a type is a string.
 */
function shortType(type: string): string {
  return type
    .replace(/ \/\* default .*? \*\//g, '')
    .replace(/: string(?=[;[\]} ]|$)/g, '')
    .replaceAll('; ', ', ')
    .replace(/\{ /g, '{')
    .replace(/ \}/g, '}')
    .replace(/^\{([\s\S]*)\}$/, '$1');
}

/** `tool(path, head?: number)`: the members of the single argument, or `…` when they are too long. Pure. */
function shortSignature(name: string, { inputSchema, readOnly }: ToolDefinition): string {
  const members = shortType(schemaType(inputSchema));
  return `${name}(${members.length > maxMembersLength ? '…' : members})${readOnly ? '' : '!'}`;
}

/** One line per server: `server: tool(…) other(…)`, under the names that scripts use. Pure. */
function shortLines(tools: readonly (readonly [alias: string, tool: ToolDefinition])[]): readonly string[] {
  const byServer = new Map<string, string[]>();
  for (const [alias, tool] of tools) {
    const [server = '', name = ''] = alias.split('.');
    byServer.set(server, [...(byServer.get(server) ?? []), shortSignature(name, tool)]);
  }
  return [...byServer].map(([server, signatures]) => `${server}: ${signatures.join(' ')}`);
}
