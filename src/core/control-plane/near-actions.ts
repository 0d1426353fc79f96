import { windowActionOf, type CommandDefinition } from '#shared/command';
import type { ResolverSource } from '#shared/resolver';
import type { WindowAction } from '#shared/window-action';
import type { ModelClient } from '../ports/llm';
import type { SentenceEncoder } from '../ports/sentence-encoder';
import { compareText, foldedWords } from './fold';
import { parsePattern, type Part, type PatternNouns } from './pattern';
import { actionRequest, proposeAction } from './propose-action';

/** More than the window shows, because some cannot be used there and then. */
const maxNear = 10;
/** Lines of a pattern that are compared; more say the same with other words. */
const formsOfPattern = 4;
/** What all words in common count for; all of the meaning counts 1. */
const wordShare = 0.7;
const filler = new Set(
  'a an the this that my our your in on of to it i we you is are me so from for and or with what which do does can'.split(
    ' ',
  ),
);

/** An action or command, and what it is compared by. */
interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly texts: readonly string[];
  /** Whether it runs recipes: they are what it is called by too. */
  readonly takesRecipe?: boolean;
}

/** What a recipe is compared by; choosing it opens the list of recipes. */
interface NearRecipe {
  readonly title: string;
  readonly description?: string | undefined;
  readonly example?: string | undefined;
}

type Described = Pick<CommandDefinition, 'displayName' | 'intentPatterns'> & {
  readonly description?: string | undefined;
};

/** One of the lines that a pattern matches: the choice at `number`, counted round, of each group. */
const formAt = (parts: readonly Part[], number: number): string =>
  parts
    .map((part) => {
      if (part.kind === 'word') return part.words.join(' ');
      return part.kind === 'slot' ? '' : formAt(part.options[number % part.options.length] ?? [], number);
    })
    .filter((text) => text !== '')
    .join(' ');

/** Lines that a pattern matches; none of one that names items, because they are not what the action is called. */
function formsOf(pattern: string, nouns: PatternNouns | undefined): readonly string[] {
  const parsed = parsePattern(pattern, nouns);
  const splits = parsed.ok ? parsed.value.splits.filter(({ slot }) => !slot) : [];
  return splits.flatMap(({ before }) =>
    Array.from({ length: formsOfPattern }, (_, number) => formAt(before, number)),
  );
}

const textsOf = (
  { displayName, description, intentPatterns }: Described,
  nouns?: PatternNouns,
): readonly string[] => [
  ...new Set([
    displayName,
    ...(description ? [description] : []),
    ...intentPatterns.flatMap((pattern) => formsOf(pattern, nouns)),
  ]),
];

const stemsOf = (text: string): ReadonlySet<string> =>
  new Set(
    foldedWords(text)
      .filter((word) => !filler.has(word))
      .map((word) => word.replace(/(ing|ed|es|s)$/, '')),
  );

/** Scores texts by the words that they share with a line, rare ones above all; from 0 to 1. */
function createWordScore(candidates: readonly Candidate[]) {
  const stems = candidates.map(({ texts }) => texts.map(stemsOf));
  const rows = new Map<string, number>();
  for (const row of stems)
    for (const stem of new Set(row.flatMap((words) => [...words]))) rows.set(stem, (rows.get(stem) ?? 0) + 1);
  const weight = (stem: string): number => Math.log(1 + candidates.length / ((rows.get(stem) ?? 0) + 0.5));
  const sum = (words: readonly string[]): number => words.reduce((all, word) => all + weight(word), 0);
  return (line: ReadonlySet<string>, row: number): number => {
    const all = sum([...line]) || 1;
    const scores = (stems[row] ?? []).map((words) => {
      const shared = [...line].filter((word) => words.has(word));
      return (sum(shared) / all) * (0.7 + 0.3 * (shared.length / (words.size || 1)));
    });
    return Math.max(0, ...scores);
  };
}

export interface NearActionsDeps {
  readonly actions: readonly WindowAction[];
  readonly commands: readonly CommandDefinition[];
  /** What the items of a source are called, which patterns name. */
  readonly nouns: (source: ResolverSource) => PatternNouns | undefined;
  /** The recipes that can run now. */
  readonly recipes: () => readonly NearRecipe[];
  readonly encoder: SentenceEncoder;
  readonly models: Pick<ModelClient, 'stream'>;
}

/**
 * Suggests what a line may have meant: the ids of window actions and of commands with a slash name, nearest first.
 * It reads nothing of a session, and nothing that routes a line uses it.
 */
export function createNearActions({ actions, commands, nouns, recipes, encoder, models }: NearActionsDeps) {
  const known: readonly Candidate[] = [
    ...actions.map((row) => ({ id: row.actionId, name: row.displayName, texts: textsOf(row) })),
    ...commands
      .filter((row) => row.slash !== undefined && windowActionOf(row) === undefined)
      .map((row) => ({
        id: row.commandId,
        name: row.displayName,
        texts: textsOf(row, nouns(row.resolverSource)),
        takesRecipe: row.toolName === 'run_recipe',
      })),
  ];
  /** With the recipes that there are now. */
  const candidates = (): readonly Candidate[] => {
    const ofRecipes = recipes().flatMap(({ title, description = title, example = title }) => [
      ...new Set([title, description, example]),
    ]);
    return known.map((row) => (row.takesRecipe ? { ...row, texts: [...row.texts, ...ofRecipes] } : row));
  };
  /** Nearest first, by words alone where there is no meaning to compare. Exported for its measurement. */
  const rank = (
    line: string,
    closeness: readonly number[] | null,
    rows: readonly Candidate[] = candidates(),
  ): readonly string[] => {
    const stems = stemsOf(line);
    const wordScore = createWordScore(rows);
    let at = 0;
    return rows
      .map((candidate, row) => {
        const own = closeness?.slice(at, (at += candidate.texts.length)) ?? [];
        const meaning = closeness ? Math.max(...own) : 0;
        return { id: candidate.id, score: meaning + wordShare * wordScore(stems, row) };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || compareText(a.id, b.id))
      .slice(0, maxNear)
      .map(({ id }) => id);
  };
  return {
    rank,
    /**
     * Null while the encoder is not available and no model is asked. With the name of a model on this computer, the
     * action that it proposes comes first.
     */
    async near(line: string, localModel?: string): Promise<readonly string[] | null> {
      const rows = candidates();
      const texts = rows.flatMap((row) => row.texts);
      const closeness = await encoder.compare({ query: line, texts, set: 'actions' });
      const ranked = closeness && rank(line, closeness, rows);
      if (localModel === undefined) return ranked;
      const others = ranked ?? [];
      const proposed = await proposeAction(models, actionRequest(line, localModel, rows), rows);
      return proposed === null ? others : [proposed, ...others.filter((id) => id !== proposed)];
    },
  };
}
