import type { JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';

/** Okapi BM25 parameters: saturation of repeated words, and length normalization. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** A word in a tool's name counts more than one in its description. */
const nameWeight = 3;

const common = new Set(
  'a all an and any are as at be by can do each every for from has have how i in into is it its me my of on or our that the their them then there these this those to up use using want was we what when where which who with you your'.split(
    ' ',
  ),
);

const endings: readonly { readonly end: RegExp; readonly by: string; readonly minLength: number }[] = [
  { end: /ing$/, by: '', minLength: 6 },
  { end: /ies$/, by: 'y', minLength: 5 },
  { end: /ed$/, by: '', minLength: 5 },
  { end: /(?<!s)s$/, by: '', minLength: 4 },
  { end: /e$/, by: '', minLength: 5 },
];

/** A rough stem shared by plural, past and progressive forms; applied equally to queries and tools. */
function stem(word: string): string {
  const ending = endings.find(({ end, minLength }) => word.length >= minLength && end.test(word));
  return ending ? word.replace(ending.end, ending.by) : word;
}

/** The words of a text or a name; camel case, snake case and hyphens separate words. */
export function searchWords(text: string): readonly string[] {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '' && !common.has(word)).map((word) => stem(stem(word)));
}

interface Indexed {
  readonly uri: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

function indexed(tool: ToolDefinition): Indexed {
  const names = Object.keys((tool.inputSchema['properties'] ?? {}) as JsonObject).join(' ');
  const named = searchWords(`${tool.server} ${tool.tool}`);
  const descriptionWords = searchWords(`${tool.description.slice(0, 500)} ${names}`);
  const counts = new Map<string, number>();
  for (const word of named) counts.set(word, (counts.get(word) ?? 0) + nameWeight);
  for (const word of descriptionWords) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { uri: tool.uri, counts, length: named.length * nameWeight + descriptionWords.length };
}

/** Finds tools by name and description. */
export interface ToolSearch {
  /**
   * URIs of the best matches, best first; ties in code-unit order. Tools without a common word are left out.
   */
  readonly find: (query: string, limit: number) => readonly string[];
}

/** Indexes the tools once for BM25 search. Pure. */
export function createToolSearch(tools: readonly ToolDefinition[]): ToolSearch {
  const rows = tools.map(indexed);
  const average = rows.reduce((sum, { length }) => sum + length, 0) / Math.max(1, rows.length);
  const having = new Map<string, number>();
  for (const { counts } of rows)
    for (const word of counts.keys()) having.set(word, (having.get(word) ?? 0) + 1);
  const weight = (word: string): number => {
    const known = having.get(word) ?? 0;
    return Math.log(1 + (rows.length - known + 0.5) / (known + 0.5));
  };
  const score = ({ counts, length }: Indexed, words: readonly string[]): number => {
    const weighted = saturation * (1 - lengthWeight + (lengthWeight * length) / average);
    return words.reduce((sum, word) => {
      const count = counts.get(word) ?? 0;
      return count === 0 ? sum : sum + (weight(word) * count * (saturation + 1)) / (count + weighted);
    }, 0);
  };
  return {
    find: (query, limit) => {
      const words = [...new Set(searchWords(query))];
      return rows
        .map((row) => ({ uri: row.uri, score: score(row, words) }))
        .filter((found) => found.score > 0)
        .sort((a, b) => b.score - a.score || (a.uri < b.uri ? -1 : 1))
        .slice(0, limit)
        .map(({ uri }) => uri);
    },
  };
}

/** The likely steps of a goal, one text each: its clauses. */
export function stepsOf(goal: string): readonly string[] {
  return goal
    .slice(0, 4_000)
    .split(/[.;:,!?\n]+|\b(?:and|then|after|before|finally|also|but|while|für|und|dann)\b/iu)
    .map((part) => part.trim())
    .filter((part) => searchWords(part).length > 0);
}
