import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import type { Plan } from '#shared/plan';
import type { Recipe, RecipeParam, RecipeSummary } from '#shared/recipe';
import { err, ok, type Result } from '#shared/result';
import { didYouMean } from '../tools/nearest-names';
import {
  matchPattern,
  parsePattern,
  slotNames,
  utteranceTokens,
  type PatternMatch,
  type Piece,
} from './intent-pattern';
import { pathInProject } from './project-path';

/** A recipe with its parameters' values. */
export interface RecipeMatch {
  readonly recipe: Recipe;
  readonly params: JsonObject;
}

/** The recipes loaded at startup, with their patterns parsed once. */
export interface Recipes {
  readonly all: readonly Recipe[];
  /** Invalid patterns, which match nothing; each is a defect of its row. */
  readonly problems: readonly ConfigProblem[];
  /** The recipe that a text would start, as a list of at most one; its parameters are not checked. */
  readonly suggest: (text: string) => readonly RecipeSummary[];
  /** The recipe whose pattern matches a goal, or null; an error when its parameters are invalid. */
  readonly match: (goal: string, project: string) => Result<RecipeMatch | null>;
  /** Finds a recipe by id and checks its parameters. HOST/NOT_FOUND, HOST/INVALID_INPUT. */
  readonly byId: (id: string, params: JsonObject, project: string) => Result<RecipeMatch>;
}

const fileWords = new Set([
  'file',
  'files',
  'folder',
  'folders',
  'directory',
  'directories',
  'todo',
  'todos',
  'fixme',
  'fixmes',
]);
const referring = new Set(
  'a an all another any both each every general here it its last my new next no our some that the their them there these this those your'.split(
    ' ',
  ),
);

const unquoted = (token: string): string => token.replace(/^(["'`])(.*)\1$/, '$2');

/** `./docs`, `/srv/x`, `a/b`, `"my docs"`: written as a path, whatever the sentence. */
const writtenAsPath = (token: string): boolean =>
  /[/\\]/.test(token) || /^["'`]/.test(token) || /^\.{1,2}$/.test(token);

/** A bare word counts as a folder only in a sentence about files, and only if it could be a name. */
function couldBePath(token: string, words: readonly string[]): boolean {
  if (writtenAsPath(token)) return !/^[a-z][a-z0-9+.-]*:\/\//i.test(token);
  if (!/^[\p{L}\p{N}._-]+$/u.test(token) || referring.has(token.toLowerCase())) return false;
  return words.some((word) => fileWords.has(word));
}

function wrong(param: RecipeParam, reason: string): Result<never> {
  return err(appError('HOST', 'INVALID_INPUT', `The parameter "${param.name}" ${reason}.`));
}

function numberOf(param: RecipeParam, value: Json): Result<Json> {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number)
    ? ok(number)
    : wrong(param, 'must be a number');
}

function booleanOf(param: RecipeParam, value: Json): Result<Json> {
  if (typeof value === 'boolean') return ok(value);
  return value === 'true' || value === 'false' ? ok(value === 'true') : wrong(param, 'must be true or false');
}

function checkedValue(param: RecipeParam, value: Json, project: string): Result<Json> {
  if (param.type === 'number') return numberOf(param, value);
  if (param.type === 'boolean') return booleanOf(param, value);
  if (typeof value !== 'string') return wrong(param, 'must be text');
  return param.type === 'path' ? pathInProject(value, project) : ok(value);
}

function fillParams(recipe: Recipe, provided: JsonObject, project: string): Result<RecipeMatch> {
  const names = recipe.params.map(({ name }) => name);
  const stranger = Object.keys(provided).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    const hint = names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none.';
    const message = `The recipe ${recipe.id} has no parameter "${stranger}".`;
    return err(appError('HOST', 'INVALID_INPUT', message, { hint }));
  }
  const filled: [string, Json][] = [];
  for (const param of recipe.params) {
    const value = Object.hasOwn(provided, param.name) ? provided[param.name] : param.default;
    if (value === undefined && param.required) return wrong(param, 'is required');
    if (value === undefined) continue;
    const checked = checkedValue(param, value, project);
    if (!checked.ok) return checked;
    filled.push([param.name, checked.value]);
  }
  return ok({ recipe, params: Object.fromEntries(filled) });
}

interface RecipePattern {
  readonly recipe: Recipe;
  readonly pieces: readonly Piece[];
}

/** Rejects a match when a slot's text cannot be a value of its parameter. */
function slotsFit(recipe: Recipe, { slots, words }: PatternMatch): boolean {
  return [...slots].every(([name, text]) => {
    const type = recipe.params.find((param) => param.name === name)?.type;
    return type !== 'path' || couldBePath(text, words);
  });
}

function readPattern(recipe: Recipe, pattern: string, field: string): RecipePattern | ConfigProblem {
  const problem = (reason: string) => ({
    file: `recipes/${recipe.id}.json`,
    field,
    rule: 'intent-pattern',
    reason,
  });
  try {
    const pieces = parsePattern(pattern);
    const stranger = slotNames(pieces).find((name) => !recipe.params.some((param) => param.name === name));
    return stranger === undefined
      ? { recipe, pieces }
      : problem(`{${stranger}} is neither a parameter nor an alias of the recipe`);
  } catch (cause) {
    return problem(cause instanceof Error ? cause.message : 'it is malformed');
  }
}

function findMatch(patterns: readonly RecipePattern[], goal: string) {
  const tokens = utteranceTokens(goal);
  if (tokens === null) return null;
  for (const { recipe, pieces } of patterns) {
    const match = matchPattern(pieces, tokens).find((one) => slotsFit(recipe, one));
    if (match) return { recipe, slots: match.slots };
  }
  return null;
}

/** Parses the patterns of all recipes once. */
export function createRecipes(all: readonly Recipe[]): Recipes {
  const read = all.flatMap((recipe) =>
    recipe.intentPatterns.map((pattern, index) => readPattern(recipe, pattern, `intentPatterns.${index}`)),
  );
  const patterns = read.filter((one) => 'pieces' in one);
  return {
    all,
    problems: read.filter((one) => 'reason' in one),
    suggest: (text) => {
      const found = findMatch(patterns, text);
      return found ? [recipeSummary(found.recipe)] : [];
    },
    match: (goal, project) => {
      const found = findMatch(patterns, goal);
      if (!found) return ok(null);
      const slotValues = Object.fromEntries([...found.slots].map(([name, text]) => [name, unquoted(text)]));
      return fillParams(found.recipe, slotValues, project);
    },
    byId: (id, params, project) => {
      const recipe = all.find((one) => one.id === id);
      if (recipe) return fillParams(recipe, params, project);
      const ids = all.map((one) => one.id);
      const there = ids.length === 0 ? 'There are no recipes.' : `There are: ${ids.join(', ')}.`;
      return err(notFound(id, didYouMean(id, ids) ?? there));
    },
  };
}

/** The details of a recipe shown before it runs. */
export function recipeSummary(recipe: RecipeSummary): RecipeSummary {
  const { id, title, description, example, params } = recipe;
  return { id, title, description, example, params };
}

const notFound = (id: string, hint: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no recipe "${id}".`, { hint });

const withParams = (plan: Plan, params: JsonObject): Plan => ({
  ...plan,
  nodes: plan.nodes.map((node) => ({ ...node, params: { ...params, ...node.params } })),
});

/** The recipe's first stage with the parameters added to every node's `params`; a node's own value wins. */
export const toPlan = ({ plan }: Recipe, params: JsonObject): Plan => withParams(plan, params);

/** All stages of a recipe with the parameters, in order. */
export const toStages = ({ plan, following = [] }: Recipe, params: JsonObject): readonly Plan[] =>
  [plan, ...following].map((stage) => withParams(stage, params));
