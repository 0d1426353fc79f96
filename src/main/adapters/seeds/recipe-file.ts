import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '#shared/json';
import { StagedPlan } from '#shared/plan';
import { Recipe } from '#shared/recipe';
import type { Result } from '#shared/result';

/** Reads the script file of a recipe by its name; the error is a reason that a person can read. */
export type ReadScript = (name: string) => Result<string, string>;

interface Finding {
  readonly path: (string | number)[];
  readonly message: string;
}

/**
 * The recipe in a file, as one value. In the file, a step may name its script (`"code": {"file": "count.js"}`),
 * and a pattern may use a phrase that the recipe defines once (`"aliases": {"here": "in (this|the) folder"}`,
 * used as `{here}`).
 */
export const recipeFile = (readScript: ReadScript) =>
  z.preprocess((value, context) => {
    const findings: Finding[] = [];
    const whole = fill(value as Json, readScript, findings);
    for (const finding of findings) context.addIssue({ code: 'custom', ...finding });
    return whole;
  }, Recipe);

function fill(value: Json, readScript: ReadScript, findings: Finding[]): Json {
  if (!isObject(value)) return value;
  const { aliases = {}, ...recipe } = value;
  const { plan, intentPatterns: patterns } = recipe;
  if (Object.hasOwn(recipe, 'following')) findings.push({ path: ['following'], message: followingInFile });
  const phrases = readAliases(aliases, recipe['params'] ?? [], findings);
  return {
    ...recipe,
    ...(Array.isArray(patterns) && {
      intentPatterns: patterns.map((pattern: Json, at) =>
        typeof pattern === 'string' ? expandPattern(pattern, at, phrases, findings) : pattern,
      ),
    }),
    ...(plan !== undefined && readPlan(plan, readScript, findings)),
  };
}

const followingInFile =
  'is not a field of a recipe file. Write the stages as "plan": {"stages": [...], "answer": ...}';

/** The plan of a recipe: one stage, or the first of several with those that follow it. */
function readPlan(plan: Json, readScript: ReadScript, findings: Finding[]): JsonObject {
  const stages = isObject(plan) ? plan['stages'] : undefined;
  if (!isObject(plan) || stages === undefined)
    return { plan: withScripts(plan, readScript, findings, ['plan']) };
  const filled = Array.isArray(stages)
    ? stages.map((stage: Json, at) => withScripts(stage, readScript, findings, ['plan', 'stages', at]))
    : stages;
  const parsed = StagedPlan.safeParse({ ...plan, stages: filled });
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues)
      findings.push({
        path: ['plan', ...path.map((part) => (typeof part === 'symbol' ? '' : part))],
        message,
      });
    return {};
  }
  const { answer } = parsed.data;
  const last = parsed.data.stages.length - 1;
  const [first, ...following] = parsed.data.stages.map((stage, at) => ({
    ...stage,
    answer: at === last ? answer : '',
  }));
  return {
    plan: first as unknown as Json,
    ...(following.length > 0 && { following: following as unknown as Json }),
  };
}

type Phrases = ReadonlyMap<string, string>;

function readAliases(aliases: Json, params: Json, findings: Finding[]): Phrases {
  const report = (path: Finding['path'], message: string) => findings.push({ path, message });
  if (!isObject(aliases)) {
    report(['aliases'], 'must be an object of phrases by name');
    return new Map();
  }
  const taken = new Set(Array.isArray(params) ? params.map((param: Json) => nameOf(param)) : []);
  const phrases = new Map<string, string>();
  for (const [name, phrase] of Object.entries(aliases)) {
    if (!/^[a-z][a-zA-Z0-9_]*$/.test(name)) report(['aliases', name], 'is not a name like in_folder');
    else if (taken.has(name)) report(['aliases', name], 'is also the name of a parameter');
    else if (typeof phrase !== 'string') report(['aliases', name], 'must be a text');
    else phrases.set(name, phrase);
  }
  return phrases;
}

const nameOf = (param: Json): Json | undefined => (isObject(param) ? param['name'] : undefined);

/** Far longer than any useful pattern; aliases inside aliases could otherwise grow without limit. */
const maxPatternLength = 20_000;

/** A pattern with each `{alias}` replaced by its phrase; names of parameters stay. */
function expandPattern(pattern: string, at: number, phrases: Phrases, findings: Finding[]): string {
  let expanded = pattern;
  for (let depth = 0; depth <= phrases.size; depth += 1) {
    const next = expanded.replace(/\{([^{}]*)\}/g, (slot, name: string) => phrases.get(name) ?? slot);
    if (next === expanded) return expanded;
    if (next.length > maxPatternLength) break;
    expanded = next;
  }
  const message = 'its aliases contain each other, or make it longer than 20,000 characters';
  findings.push({ path: ['intentPatterns', at], message });
  return pattern;
}

function withScripts(plan: Json, readScript: ReadScript, findings: Finding[], path: Finding['path']): Json {
  if (!isObject(plan) || !Array.isArray(plan['nodes'])) return plan;
  return {
    ...plan,
    nodes: plan['nodes'].map((node: Json, at) =>
      withScript(node, [...path, 'nodes', at, 'code'], readScript, findings),
    ),
  };
}

function withScript(node: Json, path: Finding['path'], readScript: ReadScript, findings: Finding[]): Json {
  const code = isObject(node) ? node['code'] : undefined;
  if (!isObject(node) || code === undefined || !isObject(code)) return node;
  const script = scriptNamed(code, readScript);
  if (script.ok) return { ...node, code: script.value };
  findings.push({ path, message: script.error });
  return node;
}

function scriptNamed({ file, ...others }: JsonObject, readScript: ReadScript): Result<string, string> {
  const plain = typeof file === 'string' && /^[A-Za-z0-9_-][A-Za-z0-9_.-]*\.js$/.test(file);
  if (plain && Object.keys(others).length === 0) return readScript(file);
  return { ok: false, error: 'must be a script, or {"file": "NAME.js"} with a file beside the recipe' };
}
