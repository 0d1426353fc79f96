import { isObject, parseJson, type JsonObject } from '#shared/json';
import type { ModelTool, ModelToolCall } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import { scriptAliases } from './script-tools';
import { createToolSearch, stepsOf } from './tool-search';
import { toolDeclaration, toolLines, type SeenSchema } from './tool-signature';

/** Up to this many tools, or this many characters (about 3,000 tokens), a planning call is shown all of them. */
const mostShown = 60;
const mostCharacters = 12_000;
/** Found tools: for each step of the goal, and in all (about 1,500 tokens). */
const foundPerStep = 4;
const foundCharacters = 6_000;
/** What one request for more may give. */
const declaredPerQuery = 5;
const mostQueries = 8;
const declaredCharacters = 16_000;

/** The function a planning model asks for further tools with. */
export const findTools = 'find_tools';

/** What a planning call is told of the tools, and how it gets to the rest. */
export interface ToolCatalogue {
  readonly text: string;
  /** Whether every tool is in the text, in full. */
  readonly complete: boolean;
  /** `find_tools`, offered when the text leaves something out. */
  readonly offered: readonly ModelTool[];
  /** The answer to a call of it: full declarations, best match first. */
  readonly answer: (call: ModelToolCall) => string;
}

function shownAtOnce(lines: readonly string[]): boolean {
  const characters = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return characters <= (lines.length <= mostShown ? 2 * mostCharacters : mostCharacters);
}

/** One after another from each list, without repeats. */
function takeTurns(lists: readonly (readonly string[])[]): readonly string[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const taken = Array.from({ length: longest }, (_, rank) =>
    lists.flatMap((list) => list.slice(rank, rank + 1)),
  );
  return [...new Set(taken.flat())];
}

/** As many as fit, the first always. */
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
  description: 'Gives full declarations of tools: the best matches of each query, or the tool named.',
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
  return list.filter((query): query is string => typeof query === 'string').slice(0, mostQueries);
}

/** One line for each of a few tools, else server names and what fits the steps of the goal. Pure. */
export function createToolCatalogue(
  tools: readonly ToolDefinition[],
  goal: string,
  seen: SeenSchema,
): ToolCatalogue {
  const lines = toolLines(tools, seen);
  const aliases = [...scriptAliases(tools.map(({ uri }) => uri))];
  const byUri = new Map(tools.map((tool) => [tool.uri, tool]));
  const search = createToolSearch(tools);
  const complete = shownAtOnce([...lines.values()]);
  const found = (): string => {
    const hits = [goal, ...stepsOf(goal)].map((query) => search.find(query, foundPerStep));
    const shown = within(
      takeTurns(hits).map((uri) => lines.get(uri) ?? ''),
      foundCharacters,
    );
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
    const told = within(hits.map(declaration), declaredCharacters);
    return told.length > 0 ? told.join('\n') : 'No tool fits. Try other words, or the name of a server.';
  };
  return {
    text: complete ? [...lines.values()].join('\n') : found(),
    complete,
    offered:
      complete && ![...lines.values()].some((line) => line.includes('too long to show')) ? [] : [findTool],
    answer,
  };
}
