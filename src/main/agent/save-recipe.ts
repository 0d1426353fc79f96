import { appError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import type { Plan, PlanNode } from '#shared/plan';
import { Recipe, type RecipeParam } from '#shared/recipe';
import { err, ok, type Result } from '#shared/result';
import type { RunState } from '#shared/session-state';
import { rewritten, valuesIn, type CodeValue } from './code-values';
import { withoutApprovals } from './insert-approvals';
import { utteranceTokens } from './intent-pattern';
import { createRecipes } from './recipes';

/** How a run is kept. */
export interface SaveRecipe {
  readonly id: string;
  readonly title?: string;
  /** Other names for parameters, by the name they would get. */
  readonly names?: Readonly<Record<string, string>>;
}

type Value = string | number;
/** Parameters by the value of the goal they stand for. */
type Names = Map<Value, string>;

const refuse = (message: string, hint: string): Result<never> =>
  err(appError('HOST', 'INVALID_INPUT', message, { hint }));

const unquoted = (token: string): string => token.replace(/^(["'`])(.*)\1$/, '$2');
const looksLikePath = (value: string): boolean => /[/\\]|^\.{1,2}$/.test(value) && !value.includes('://');
const isName = (name: string): boolean => /^[a-z][a-zA-Z0-9_]*$/.test(name);

/** A path as the host writes it: `./docs` is `docs`. */
const asWritten = (word: string): string => word.replace(/^\.\/(?=.)/, '').replace(/(?<=.)\/$/, '');

/** What the goal names: each of its words as a value, numbers as numbers and paths as the host writes them, too. */
function valuesOfGoal(goal: string): ReadonlySet<Value> {
  const words = (utteranceTokens(goal) ?? []).map((token) => unquoted(token).replace(/,$/, ''));
  const numbers = words.filter((word) => /^-?\d+(\.\d+)?$/.test(word)).map(Number);
  const paths = words.filter(looksLikePath).map(asWritten);
  return new Set<Value>([...words, ...numbers, ...paths]);
}

/** A word in small letters is part of every sentence; a name, a path or a number is meant. */
const isMeant = (value: Value): boolean => typeof value === 'number' || /[^a-z]/.test(value);

/** A value of the goal in a script: text that could be anything has to stand where a property is given. */
const speaksOfGoal = (goal: ReadonlySet<Value>, { value, key }: CodeValue): boolean =>
  goal.has(value) &&
  isMeant(value) &&
  (key !== undefined || (typeof value === 'string' && looksLikePath(value)));

/** A name nobody has yet. */
function freshName(names: Names, wanted: string | undefined): string {
  const base = wanted !== undefined && isName(wanted) ? wanted : 'value';
  const taken = new Set(names.values());
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  return name;
}

const isPlain = (value: Json): value is Value => typeof value === 'string' || typeof value === 'number';

/** Every value of the goal that the plan works with, with a name: that of the property it is given as. */
function nameValues({ nodes }: Plan, goal: ReadonlySet<Value>): Names {
  const names: Names = new Map();
  const add = (value: Value, key: string | undefined): void => {
    if (!names.has(value)) names.set(value, freshName(names, key));
  };
  for (const { params = {}, code = '' } of nodes) {
    for (const [key, value] of Object.entries(params)) if (isPlain(value) && goal.has(value)) add(value, key);
    for (const found of valuesIn(code).values) if (speaksOfGoal(goal, found)) add(found.value, found.key);
  }
  return names;
}

/** A step that reads its parameters where it had the goal's values written in it. */
function withParams(node: PlanNode, goal: ReadonlySet<Value>, names: Names): PlanNode {
  const { params = {}, code } = node;
  const moved = Object.entries(params).flatMap(([key, value]) => {
    const name = isPlain(value) && goal.has(value) ? names.get(value) : undefined;
    return name === undefined ? [] : [[key, name] as const];
  });
  const nameOfKey = new Map(moved);
  const kept: JsonObject = Object.fromEntries(Object.entries(params).filter(([key]) => !nameOfKey.has(key)));
  if (code === undefined) return { ...node, params: kept };
  const { values, reads } = valuesIn(code);
  const written = values.flatMap((found) => {
    const name = speaksOfGoal(goal, found) ? names.get(found.value) : undefined;
    return name === undefined ? [] : [{ ...found, by: `params.${name}` }];
  });
  const renamed = reads.flatMap((read) => {
    const name = nameOfKey.get(read.name);
    return name === undefined ? [] : [{ ...read, by: `params.${name}` }];
  });
  return { ...node, params: kept, code: rewritten(code, [...written, ...renamed]) };
}

function typeOf(value: Value): RecipeParam['type'] {
  if (typeof value === 'number') return 'number';
  return looksLikePath(value) ? 'path' : 'string';
}

/** The goal with a slot for each value; words that mean something in a pattern stand for nothing in particular. */
function patternOf(goal: string, names: Names): string {
  const words = (utteranceTokens(goal) ?? []).map((token) => {
    const value = unquoted(token).replace(/,$/, '');
    const name = names.get(value) ?? names.get(asWritten(value)) ?? names.get(Number(value));
    return name === undefined ? value.toLowerCase().replace(/[()[\]{}|]/g, '') : `{${name}}`;
  });
  return words.filter((word) => word !== '').join(' ');
}

const saidById = (id: string): string => `run the recipe ${id.replaceAll('_', ' ')}`;

/** The pattern of the goal if it finds the recipe by the goal itself, else one that names the recipe. */
function withPattern(recipe: Recipe, goal: string, pattern: string, project: string): Recipe {
  const tried = { ...recipe, intentPatterns: [pattern] };
  const found = pattern === '' ? null : createRecipes([tried]).match(goal, project);
  if (found?.ok === true && found.value) return { ...tried, example: goal };
  return { ...recipe, intentPatterns: [saidById(recipe.id)], example: saidById(recipe.id) };
}

function asked(names: Names, wanted: SaveRecipe['names'] = {}): Result<Names> {
  const renamed: Names = new Map([...names].map(([value, name]) => [value, wanted[name] ?? name]));
  const known = [...names.values()];
  const stranger = Object.keys(wanted).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const there = known.length > 0 ? `There are: ${known.join(', ')}.` : 'There are none.';
    return refuse(`The recipe would have no parameter "${stranger}".`, there);
  }
  const bad = [...renamed.values()].find((name) => !isName(name));
  if (bad !== undefined) return refuse(`"${bad}" is no name for a parameter.`, 'Write it like ownerName.');
  return new Set(renamed.values()).size === renamed.size
    ? ok(renamed)
    : refuse('Two parameters would have the same name.', 'Give each its own.');
}

/** Why a run cannot become a recipe; null: it can. */
function unfit({ status, plan }: RunState): readonly [message: string, hint: string] | null {
  if (!plan || status !== 'done')
    return ['Only a run that was done to its end can become a recipe.', 'Run it again.'];
  const asks = plan.nodes.some(({ kind }) => kind === 'llm') || typeof plan.answer !== 'string';
  return asks
    ? ['This run asked a model on its way, and a recipe runs with none.', 'Plan it with scripts alone.']
    : null;
}

function checked(made: unknown): Result<Recipe> {
  const parsed = Recipe.safeParse(made);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const what = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
  return refuse(what, 'An id looks like count_todos.');
}

/**
 * A run as a recipe that runs with no model: its plan, with the values its goal names as parameters (their defaults are
 * what they were). HOST/INVALID_INPUT for a run that was not done or asked a model, and for names that cannot be.
 */
export function recipeOf(
  run: RunState,
  { id, title, names: wanted }: SaveRecipe,
  project: string,
): Result<Recipe> {
  const reason = unfit(run);
  if (reason || !run.plan) return refuse(...(reason ?? ['This run had no plan.', 'Run it again.']));
  const plan = withoutApprovals(run.plan, run.announces ?? {});
  const goal = valuesOfGoal(run.goal);
  const names = asked(nameValues(plan, goal), wanted);
  if (!names.ok) return names;
  const params = [...names.value].map(([value, name]): RecipeParam => ({
    name,
    type: typeOf(value),
    required: false,
    default: value,
  }));
  const nodes = plan.nodes.map((node) => withParams(node, goal, names.value));
  const recipe = checked({
    ...{ id, title: title ?? run.goal.slice(0, 120), intentPatterns: [saidById(id)], params },
    plan: { ...plan, nodes },
  });
  if (!recipe.ok) return recipe;
  return ok(withPattern(recipe.value, run.goal, patternOf(run.goal, names.value), project));
}
