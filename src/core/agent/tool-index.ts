import { isObject, parseJson, type JsonObject } from '#shared/json';
import type { ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import { scriptAliases } from './script-tools';
import { createToolSearch, stepsOf } from './tool-search';
import type { CountText } from './observation';
import { byServerAndName, declareTools, type SeenSchema } from './tool-signature';
import { schemaType } from './schema-type';

/** Up to this many tokens the index declares every tool in full, in an order that no goal changes. */
const maxTokens = 1_500;
/** A longer text has more tokens than that in any language, so they need not be counted. */
const maxCharacters = maxTokens * 12;

/**
 * Beyond that, up to this many tools are all named: some in full and the others in short form, up to about
 * 3,000 tokens.
 */
const maxShown = 60;
const shortCharacters = 12_000;

/** Limits for the tools declared in full: those that fit the goal, and those that read and search. */
const fittingCharacters = 1_200;
const readingCharacters = 500;

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

/** Interleaves the lists and removes duplicates. */
function takeTurns(lists: readonly (readonly string[])[]): readonly string[] {
  const maxMembersLength = Math.max(0, ...lists.map((list) => list.length));
  const taken = Array.from({ length: maxMembersLength }, (_, rank) =>
    lists.flatMap((list) => list.slice(rank, rank + 1)),
  );
  return [...new Set(taken.flat())];
}

/** As many tools as their texts fit, but always the first one. */
function within(
  uris: readonly string[],
  characters: number,
  text: (uri: string) => string,
): readonly string[] {
  let left = characters;
  return uris.filter((uri, index) => (left -= text(uri).length + 1) >= 0 || index === 0);
}

function serverNames(tools: readonly ToolDefinition[]): string {
  const counts = new Map<string, number>();
  for (const { server } of tools) counts.set(server, (counts.get(server) ?? 0) + 1);
  return [...counts].map(([server, count]) => `${server} (${count})`).join(', ');
}

const findTool: ModelTool = {
  name: findTools,
  description: 'Declares tools in full, by words or name.',
  parameters: {
    type: 'object',
    properties: { queries: { type: 'array', items: { type: 'string' } } },
    required: ['queries'],
  },
};

function queriesOf({ argumentsJson }: ModelToolCall): readonly string[] {
  const parsed = parseJson(argumentsJson);
  const args: JsonObject = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const queries = args['queries'] ?? args['query'];
  const list = Array.isArray(queries) ? (queries as readonly unknown[]) : [queries];
  return list.filter((query): query is string => typeof query === 'string').slice(0, maxQueries);
}

/** Words of tools that nearly every goal needs first: they search, read or list something. */
const readerWords: readonly RegExp[] = [
  /(^|_)(search|find|query|grep|lookup)(_|$)/,
  /(^|_)(read|fetch|view|cat)(_|$)/,
  /(^|_)(get|list)(_|$)/,
];

/** What tools of general use search and read, rather than one kind of record. */
const generalWords = /(^|_)(texts?|files?|contents?|code|pages?|docs?|documents?|web|url)(_|$)/;

/** The tools that search and read: some of each kind before more of one, those of general use first. */
function readers(tools: readonly ToolDefinition[]): readonly string[] {
  const words = ({ tool }: ToolDefinition): string =>
    tool
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .replaceAll('-', '_');
  const named = (pattern: RegExp): readonly string[] =>
    tools
      .filter((tool) => tool.readOnly && pattern.test(words(tool)))
      .toSorted((a, b) => Number(generalWords.test(words(b))) - Number(generalWords.test(words(a))))
      .map(({ uri }) => uri);
  return takeTurns(readerWords.map(named));
}

/**
 * Builds the tool index. Tools that fit in 1,500 tokens are all declared in full, by server and name, so that
 * the text is the same for every goal. With more, those that fit the goal and those that read and search get
 * full lines and the others a short form; beyond that the index has only server names and the full lines.
 */
export async function createToolIndex(
  tools: readonly ToolDefinition[],
  goal: string,
  seen: SeenSchema,
  count: CountText,
): Promise<ToolIndex> {
  const declared = declareTools(tools, seen);
  const aliases = [...scriptAliases(tools.map(({ uri }) => uri))];
  const byUri = new Map(tools.map((tool) => [tool.uri, tool]));
  const search = createToolSearch(tools);
  const linesOf = (uris: readonly string[]): readonly string[] => [
    ...declared.types(uris),
    ...uris.map(declared.line),
  ];
  const sorted = tools.toSorted(byServerAndName);
  const sortedUris = sorted.map(({ uri }) => uri);
  const all = [...declared.types(sortedUris), ...declared.list()].join('\n');
  const complete = all.length <= maxCharacters && (await count(all)) <= maxTokens;
  const fitting = (characters: number): readonly string[] => {
    const hits = [goal, ...stepsOf(goal)].map((query) => search.find(query, foundPerStep));
    const fit = within(takeTurns(hits), characters, declared.line);
    const others = readers(sorted).filter((uri) => !fit.includes(uri));
    return [...fit, ...within(others, readingCharacters, declared.line)];
  };
  const inShort = (): string | null => {
    const shown = fitting(fittingCharacters);
    const others = aliases.flatMap(([alias, uri]): readonly Aliased[] => {
      const tool = byUri.get(uri);
      return tool && !shown.includes(uri) ? [[alias, tool]] : [];
    });
    const rest = shortLines(others);
    if (tools.length > maxShown || lengthOf(rest) > shortCharacters) return null;
    return [...linesOf(shown), ...(rest.length > 0 ? [shortWords, ...rest] : [])].join('\n');
  };
  const found = (): string =>
    [
      `There are ${tools.length} tools on these servers: ${serverNames(tools)}.`,
      `Some that search, read or fit the goal; ${findTools} gives others.`,
      ...linesOf(fitting(foundCharacters)),
    ].join('\n');
  const named = (query: string): readonly string[] => {
    const exact = aliases.filter(([alias, uri]) => [alias, `tools.${alias}`, uri].includes(query.trim()));
    return exact.length > 0 ? exact.map(([, uri]) => uri) : search.find(query, declaredPerQuery);
  };
  const answer = (call: ModelToolCall): string => {
    const hits = within(takeTurns(queriesOf(call).map(named)), declaredCharacters, declared.whole);
    return hits.length > 0
      ? [...declared.types(hits), ...hits.map(declared.whole)].join('\n')
      : 'No tool fits. Try other words, or the name of a server.';
  };
  return { text: complete ? all : (inShort() ?? found()), complete, offered: [findTool], answer };
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
