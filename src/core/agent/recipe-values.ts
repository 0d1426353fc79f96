import type { Json, JsonObject } from '#shared/json';
import type { Plan, PlanNode } from '#shared/plan';
import type { RecipeParam } from '#shared/recipe';
import type { RecipeCandidate } from '#shared/recipe-draft';
import { rewritten, valuesIn, type CodeValue } from './code-values';
import { utteranceTokens } from './intent-pattern';

/** A string or number literal in a plan. */
export type Value = string | number;
/** Parameter names by the value they replace. */
export type Names = ReadonlyMap<Value, string>;

/** Maximum number of candidates besides the values that the goal names. */
const maxOtherValues = 40;
/** A longer text is content and not a parameter. */
const maxValueLength = 200;

export const unquoted = (token: string): string => token.replace(/^(["'`])(.*)\1$/, '$2');
export const isParamName = (name: string): boolean => /^[a-z][a-zA-Z0-9_]*$/.test(name);
const looksLikePath = (value: string): boolean => /[/\\]|^\.{1,2}$/.test(value) && !value.includes('://');

/** Normalizes a path as the host writes it: `./docs` becomes `docs`. */
export const asWritten = (word: string): string => word.replace(/^\.\/(?=.)/, '').replace(/(?<=.)\/$/, '');

/**
 * The values that the goal names, by kind: a lower-case word can be part of any sentence, while a name, a
 * path or a number is intentional.
 */
export type GoalValues = ReadonlyMap<Value, 'word' | 'name' | 'path'>;

/** Each word of the goal as a value; also numbers as numbers, and paths as the host writes them. */
export function valuesOfGoal(goal: string): GoalValues {
  const words = (utteranceTokens(goal) ?? []).map((token) => unquoted(token).replace(/,$/, ''));
  const numbers = words.filter((word) => /^-?\d+(\.\d+)?$/.test(word)).map(Number);
  const paths = words.filter(looksLikePath).flatMap((word) => [word, asWritten(word)]);
  return new Map<Value, 'word' | 'name' | 'path'>([
    ...words.map((word) => [word, /[^a-z]/.test(word) ? 'name' : 'word'] as const),
    ...numbers.map((number) => [number, 'name'] as const),
    ...paths.map((path) => [path, 'path'] as const),
  ]);
}

/** The property of a script's own result text, which is not an input. */
const resultKey = 'summary';

/** Whether a literal may become a parameter; one that could be ordinary text must be a property's value. */
const mayBeParam = (goal: GoalValues, { value, key }: CodeValue): boolean =>
  key === undefined
    ? goal.get(value) === 'path' && looksLikePath(String(value))
    : goal.get(value) !== 'word' && (goal.has(value) || key !== resultKey);

const isPlain = (value: Json): value is Value =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= maxValueLength);

/** A name that is not taken yet. */
function freshName(taken: ReadonlySet<string>, wanted: string | undefined): string {
  const base = wanted !== undefined && isParamName(wanted) ? wanted : 'value';
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  return name;
}

/** Every property value in the plan with its property name, in the plan's order. */
function writtenIn({ nodes }: Plan, goal: GoalValues) {
  return nodes.flatMap(({ params = {}, code = '' }) => [
    ...Object.entries(params).flatMap(([key, value]) => (isPlain(value) ? [{ key, value }] : [])),
    ...valuesIn(code).values.filter((found) => isPlain(found.value) && mayBeParam(goal, found)),
  ]);
}

function typeOf(value: Value, goal: GoalValues): RecipeParam['type'] {
  if (typeof value === 'number') return 'number';
  return goal.get(value) === 'path' || looksLikePath(value) ? 'path' : 'string';
}

/**
 * The values of a plan that can become parameters, each with a name; those that the goal names come first and
 * are chosen by default.
 */
export function candidatesOf(plan: Plan, goal: GoalValues): readonly RecipeCandidate[] {
  const keyOf = new Map<Value, string | undefined>();
  for (const { key, value } of writtenIn(plan, goal)) if (!keyOf.has(value)) keyOf.set(value, key);
  const named = [...keyOf].filter(([value]) => goal.has(value));
  const others = [...keyOf].filter(([value]) => !goal.has(value)).slice(0, maxOtherValues);
  const taken = new Set<string>();
  return [...named, ...others].map(([value, key]) => {
    const name = freshName(taken, key);
    taken.add(name);
    const inGoal = goal.has(value);
    return { key: name, name, type: typeOf(value, goal), value, fallback: value, chosen: inGoal, inGoal };
  });
}

/** Replaces the literals of a step with reads of its parameters. */
export function withParams(node: PlanNode, goal: GoalValues, names: Names): PlanNode {
  const { params = {}, code } = node;
  const moved = Object.entries(params).flatMap(([key, value]) => {
    const name = isPlain(value) ? names.get(value) : undefined;
    return name === undefined ? [] : [[key, name] as const];
  });
  const nameOfKey = new Map(moved);
  const fixedParams: JsonObject = Object.fromEntries(
    Object.entries(params).filter(([key]) => !nameOfKey.has(key)),
  );
  if (code === undefined) return { ...node, params: fixedParams };
  const { values, reads } = valuesIn(code);
  const written = values.flatMap((found) => {
    const name = mayBeParam(goal, found) ? names.get(found.value) : undefined;
    return name === undefined ? [] : [{ ...found, by: `params.${name}` }];
  });
  const renamed = reads.flatMap((read) => {
    const name = nameOfKey.get(read.name);
    return name === undefined ? [] : [{ ...read, by: `params.${name}` }];
  });
  return { ...node, params: fixedParams, code: rewritten(code, [...written, ...renamed]) };
}
