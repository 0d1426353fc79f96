import { appError, type AppError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import type { Plan } from '#shared/plan';
import type { Recipe, RecipeParam } from '#shared/recipe';
import { err, ok, type Result } from '#shared/result';
import { didYouMean } from '../tools/nearest-names';
import { matchForm, patternForms, utteranceTokens, type PatternForm } from './intent-pattern';
import { pathInProject } from './project-path';

/** A recipe with its parameters' values. */
export interface RecipeMatch {
  readonly recipe: Recipe;
  readonly params: JsonObject;
}

/** The recipes of this start, with their patterns read once. */
export interface Recipes {
  readonly all: readonly Recipe[];
  /** The recipe a goal names in so many words, or null; an error when its parameters do not hold. */
  readonly match: (goal: string, project: string) => Result<RecipeMatch | null>;
  /** A recipe asked for by its id, parameters checked. HOST/NOT_FOUND, HOST/INVALID_INPUT. */
  readonly byId: (id: string, params: JsonObject, project: string) => Result<RecipeMatch>;
}

const speaksOfFiles = new Set(['file', 'files', 'folder', 'folders', 'directory', 'directories', 'todo', 'todos', 'fixme', 'fixmes']);
const referring = new Set(
  'a an all another any both each every general here it its last my new next no our some that the their them there these this those your'.split(' '),
);

const unquoted = (token: string): string => token.replace(/^(["'`])(.*)\1$/, '$2');

/** `./docs`, `/srv/x`, `a/b`, `"my docs"`: written as a path, whatever stands around it. */
const writtenAsPath = (token: string): boolean => /[/\\]/.test(token) || /^["'`]/.test(token) || /^\.{1,2}$/.test(token);

/** A bare word names a folder only in a sentence about files, and only if it could be a name. */
function couldBePath(token: string, form: PatternForm): boolean {
  if (writtenAsPath(token)) return !/^[a-z][a-z0-9+.-]*:\/\//i.test(token);
  if (!/^[\p{L}\p{N}._-]+$/u.test(token) || referring.has(token.toLowerCase())) return false;
  return form.some((piece) => piece.type === 'word' && speaksOfFiles.has(piece.word));
}

function wrong(param: RecipeParam, reason: string): Result<never> {
  return err(appError('HOST', 'INVALID_INPUT', `The parameter "${param.name}" ${reason}.`));
}

function numberOf(param: RecipeParam, value: Json): Result<Json> {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? ok(number) : wrong(param, 'must be a number');
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

function fillParams(recipe: Recipe, given: JsonObject, project: string): Result<RecipeMatch> {
  const names = recipe.params.map(({ name }) => name);
  const stranger = Object.keys(given).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    const hint = names.length > 0 ? `It has: ${names.join(', ')}.` : 'It has none.';
    const message = `The recipe ${recipe.id} has no parameter "${stranger}".`;
    return err(appError('HOST', 'INVALID_INPUT', message, { hint }));
  }
  const filled: [string, Json][] = [];
  for (const param of recipe.params) {
    const value = Object.hasOwn(given, param.name) ? given[param.name] : param.default;
    if (value === undefined && param.required) return wrong(param, 'is required');
    if (value === undefined) continue;
    const checked = checkedValue(param, value, project);
    if (!checked.ok) return checked;
    filled.push([param.name, checked.value]);
  }
  return ok({ recipe, params: Object.fromEntries(filled) });
}

interface RecipeForm {
  readonly recipe: Recipe;
  readonly form: PatternForm;
}

/** Slots whose text cannot be a value of their parameter make the form no match. */
function slotsHold({ recipe, form }: RecipeForm, slots: ReadonlyMap<string, string>): boolean {
  return [...slots].every(([name, text]) => {
    const type = recipe.params.find((param) => param.name === name)?.type;
    return type !== 'path' || couldBePath(text, form);
  });
}

function formsOf(recipe: Recipe): Result<readonly RecipeForm[]> {
  const names = new Set(recipe.params.map(({ name }) => name));
  const forms: RecipeForm[] = [];
  for (const pattern of recipe.intentPatterns) {
    try {
      for (const form of patternForms(pattern)) {
        const stranger = form.find((piece) => piece.type === 'slot' && !names.has(piece.name));
        if (stranger) throw new Error('a slot is no parameter of the recipe');
        forms.push({ recipe, form });
      }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'is malformed';
      return err(appError('CONFIG', 'INVALID', `The recipe ${recipe.id}: intent pattern "${pattern}": ${reason}.`));
    }
  }
  return ok(forms);
}

/** Reads the recipes' patterns; CONFIG/INVALID names the recipe and the pattern that does not hold. */
export function createRecipes(all: readonly Recipe[]): Result<Recipes> {
  const byLength = new Map<number, RecipeForm[]>();
  for (const recipe of all) {
    const forms = formsOf(recipe);
    if (!forms.ok) return forms;
    for (const one of forms.value) byLength.set(one.form.length, [...(byLength.get(one.form.length) ?? []), one]);
  }
  return ok({
    all,
    match: (goal, project) => {
      const tokens = utteranceTokens(goal);
      for (const one of tokens ? (byLength.get(tokens.length) ?? []) : []) {
        const slots = tokens && matchForm(one.form, tokens);
        if (!slots || !slotsHold(one, slots)) continue;
        const given = Object.fromEntries([...slots].map(([name, text]) => [name, unquoted(text)]));
        return fillParams(one.recipe, given, project);
      }
      return ok(null);
    },
    byId: (id, params, project) => {
      const recipe = all.find((one) => one.id === id);
      if (recipe) return fillParams(recipe, params, project);
      const hint = didYouMean(id, all.map((one) => one.id)) ?? `There are: ${all.map((one) => one.id).join(', ')}.`;
      return err(notFound(id, hint));
    },
  });
}

const notFound = (id: string, hint: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no recipe "${id}".`, { hint });

/** The recipe's plan with its parameters in every node's `params`; a node's own value wins. */
export function toPlan(recipe: Recipe, params: JsonObject): Plan {
  const nodes = recipe.plan.nodes.map((node) => ({ ...node, params: { ...params, ...node.params } }));
  return { ...recipe.plan, nodes };
}
