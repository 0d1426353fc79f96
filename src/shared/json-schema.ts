import { isObject, type Json, type JsonObject } from './json';
import {
  ofLists,
  ofObjects,
  valueRules,
  countSteps,
  cut,
  hasAll,
  matches,
  maxDepth,
  maxFindings,
  report,
  spend,
  type Check,
  type Evaluated,
  type Path,
  type PreparedSchema,
  type Rule,
  type RuleFactory,
  type Schema,
} from './json-schema-values';
import { err, ok, type Result } from './result';

function evaluate(
  check: Check,
  schema: Schema | undefined,
  value: Json,
  path: Path,
  evaluated: Evaluated | null,
): boolean {
  if (!spend(check, 1)) return false;
  if (schema === undefined || schema === true) return true;
  if (schema === false) return report(check, path, 'must not be present');
  const rules = rulesOf(check.prepared, schema);
  if (!spend(check, rules.length)) return false;
  if (check.depth >= maxDepth) {
    check.stopped ??= `it goes more than ${maxDepth} levels deep`;
    return false;
  }
  check.depth += 1;
  let fits = true;
  // Rules that depend on what the others evaluated come last.
  for (const rule of rules) fits = rule(check, value, path, evaluated) && fits;
  check.depth -= 1;
  return fits && check.stopped === null;
}

/**
 * Evaluates the same value under another schema; the members and items that this evaluates
 * count only if the value fits.
 */
function evaluateSame(
  check: Check,
  schema: Schema,
  value: Json,
  path: Path,
  evaluated: Evaluated | null,
): boolean {
  const own = evaluated && { properties: new Set<string>(), items: new Set<number>() };
  const fits = evaluate(check, schema, value, path, own);
  if (!fits || !evaluated || !own) return fits;
  if (!spend(check, own.properties.size + own.items.size)) return false;
  for (const name of own.properties) evaluated.properties.add(name);
  for (const index of own.items) evaluated.items.add(index);
  return true;
}

/** Tries a branch with its own findings list; null when they are not needed. */
function trial(check: Check, findings: string[] | null, run: () => boolean): boolean {
  const before = check.findings;
  check.findings = findings;
  const fits = run();
  check.findings = before;
  return fits;
}

const asSchema = (value: Json): Schema => (value === true || value === false ? value : (value as JsonObject));
const asSchemas = (value: Json): readonly Schema[] => value as readonly Schema[];
/** Evaluates one member and marks it as evaluated. */
function evaluateMember(
  check: Check,
  schema: Schema,
  [value, name]: readonly [JsonObject, string],
  path: Path,
  evaluated: Evaluated | null,
): boolean {
  evaluated?.properties.add(name);
  return evaluate(
    check,
    schema,
    value[name] ?? null,
    { parent: path, key: name },
    evaluatedWithin(evaluated),
  );
}

function evaluateItem(
  check: Check,
  schema: Schema,
  [list, index]: readonly [readonly Json[], number],
  path: Path,
  evaluated: Evaluated | null,
): boolean {
  evaluated?.items.add(index);
  return evaluate(
    check,
    schema,
    list[index] ?? null,
    { parent: path, key: index },
    evaluatedWithin(evaluated),
  );
}

const evaluatedWithin = (outer: Evaluated | null): Evaluated | null =>
  outer && { properties: new Set(), items: new Set() };

const propertiesRule: RuleFactory = (argument) => {
  const schemas = Object.entries(argument as JsonObject);
  return ofObjects((check, value, path, evaluated) => {
    if (!spend(check, schemas.length)) return false;
    let fits = true;
    for (const [name, schema] of schemas) {
      if (Object.hasOwn(value, name))
        fits = evaluateMember(check, asSchema(schema), [value, name], path, evaluated) && fits;
    }
    return fits;
  });
};

const patternPropertiesRule: RuleFactory = (argument) => {
  const schemas = Object.entries(argument as JsonObject);
  return ofObjects((check, value, path, evaluated) => {
    let fits = true;
    for (const name of Object.keys(value)) {
      if (!spend(check, 1 + schemas.length)) return false;
      for (const [pattern, schema] of schemas) {
        // Only the server can check this name against the pattern.
        const matched = matches(check, pattern, name);
        if (matched === null) evaluated?.properties.add(name);
        if (matched === true)
          fits = evaluateMember(check, asSchema(schema), [value, name], path, evaluated) && fits;
      }
    }
    return fits;
  });
};

const additionalPropertiesRule: RuleFactory = (argument, { properties = {}, patternProperties = {} }) => {
  const named = new Set(Object.keys(properties as JsonObject));
  const patterns = Object.keys(patternProperties as JsonObject);
  return ofObjects((check, value, path, evaluated) => {
    let fits = true;
    for (const name of Object.keys(value)) {
      if (!spend(check, 1 + patterns.length)) return false;
      if (named.has(name) || patterns.some((pattern) => matches(check, pattern, name) !== false)) continue;
      if (argument === false)
        fits = report(check, path, `must NOT have additional properties (${cut(name)})`);
      else fits = evaluateMember(check, asSchema(argument), [value, name], path, evaluated) && fits;
    }
    return fits;
  });
};

/** `dependentRequired`, `dependentSchemas` and the older `dependencies`, which combines both. */
const dependentRule: RuleFactory = (argument) => {
  const dependents = Object.entries(argument as JsonObject);
  return ofObjects((check, value, path, evaluated) => {
    let fits = true;
    for (const [name, dependent] of dependents) {
      if (!spend(check, 1)) return false;
      if (!Object.hasOwn(value, name)) continue;
      const one = Array.isArray(dependent)
        ? spend(check, dependent.length) && hasAll(check, value, path, dependent as readonly string[])
        : evaluateSame(check, asSchema(dependent), value, path, evaluated);
      fits = one && fits;
    }
    return fits;
  });
};

const propertyNamesRule: RuleFactory = (argument) =>
  ofObjects((check, value, path) => {
    let fits = true;
    for (const name of Object.keys(value)) {
      fits = evaluate(check, asSchema(argument), name, { parent: path, key: name }, null) && fits;
      if (check.stopped !== null) return false;
    }
    return fits;
  });

function itemsFrom(first: number, schema: Schema): Rule {
  return ofLists((check, list, path, evaluated) => {
    if (schema === false && list.length > first)
      return report(check, path, `must NOT have more than ${first} items`);
    let fits = true;
    for (let index = first; index < list.length && check.stopped === null; index += 1)
      fits = evaluateItem(check, schema, [list, index], path, evaluated) && fits;
    return fits;
  });
}

const prefixItemsRule: RuleFactory = (argument) => {
  const schemas = asSchemas(argument);
  return ofLists((check, list, path, evaluated) => {
    let fits = true;
    for (let index = 0; index < Math.min(schemas.length, list.length); index += 1)
      fits = evaluateItem(check, schemas[index] ?? true, [list, index], path, evaluated) && fits;
    return fits;
  });
};

const lengthOf = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0);
const itemsRule: RuleFactory = (argument, schema) =>
  Array.isArray(argument)
    ? prefixItemsRule(argument, schema)
    : itemsFrom(lengthOf(schema['prefixItems']), asSchema(argument));
const additionalItemsRule: RuleFactory = (argument, { items: listed }) =>
  Array.isArray(listed) ? itemsFrom(listed.length, asSchema(argument)) : null;

const containsRule: RuleFactory = (argument, { minContains, maxContains }) => {
  const minContained = typeof minContains === 'number' ? minContains : 1;
  const maxContained = typeof maxContains === 'number' ? maxContains : Infinity;
  return ofLists((check, list, path, evaluated) => {
    let found = 0;
    for (const [index, item] of list.entries()) {
      if (check.stopped !== null) return false;
      const within = evaluatedWithin(evaluated);
      const fits = trial(check, null, () => evaluate(check, asSchema(argument), item, null, within));
      if (fits) evaluated?.items.add(index);
      if (fits) found += 1;
    }
    if (found >= minContained && found <= maxContained) return true;
    const bounds = maxContained === Infinity ? '' : ` and no more than ${maxContained}`;
    return report(check, path, `must contain at least ${minContained}${bounds} valid item(s)`);
  });
};

const allOfRule: RuleFactory = (argument) => (check, value, path, evaluated) => {
  let fits = true;
  for (const schema of asSchemas(argument))
    fits = evaluateSame(check, schema, value, path, evaluated) && fits;
  return fits;
};

const anyOfRule: RuleFactory = (argument) => (check, value, path, evaluated) => {
  const findings: string[] = [];
  let fits = false;
  for (const schema of asSchemas(argument)) {
    // Evaluate every branch when evaluation is tracked: each matching branch contributes.
    if (check.stopped !== null || (fits && !evaluated)) break;
    fits = trial(check, findings, () => evaluateSame(check, schema, value, path, evaluated)) || fits;
  }
  return fits || reportBranches(check, path, findings, 'must match a schema in anyOf');
};

const oneOfRule: RuleFactory = (argument) => (check, value, path, evaluated) => {
  const findings: string[] = [];
  let fitting = 0;
  for (const schema of asSchemas(argument)) {
    if (check.stopped !== null) break;
    if (trial(check, findings, () => evaluateSame(check, schema, value, path, evaluated))) fitting += 1;
  }
  const finding = 'must match exactly one schema in oneOf';
  if (fitting > 1) return report(check, path, finding);
  return fitting === 1 || reportBranches(check, path, findings, finding);
};

function reportBranches(check: Check, path: Path, findings: readonly string[], finding: string): false {
  const left = maxFindings - 1 - (check.findings?.length ?? 0);
  check.findings?.push(...findings.slice(0, Math.max(0, left)));
  return report(check, path, finding);
}

const notRule: RuleFactory = (argument) => (check, value, path, evaluated) => {
  const within = evaluatedWithin(evaluated);
  const fits = trial(check, null, () => evaluate(check, asSchema(argument), value, path, within));
  return !fits || report(check, path, 'must NOT be valid');
};

const ifRule: RuleFactory = (argument, schema) => (check, value, path, evaluated) => {
  const fits = trial(check, null, () => evaluateSame(check, asSchema(argument), value, path, evaluated));
  const branch = schema[fits ? 'then' : 'else'];
  if (branch === undefined || check.stopped !== null) return true;
  const good = evaluateSame(check, asSchema(branch), value, path, evaluated);
  return good || report(check, path, `must match "${fits ? 'then' : 'else'}" schema`);
};

const refRule: RuleFactory = (argument) => (check, value, path, evaluated) => {
  const target = resolve(check.prepared, argument as string);
  if (target === undefined) {
    check.stopped ??= `it refers to ${cut(argument as string)}, which does not exist`;
    return false;
  }
  return evaluateSame(check, target, value, path, evaluated);
};

const unevaluatedPropertiesRule: RuleFactory = (argument) =>
  ofObjects((check, value, path, evaluated) => {
    let fits = true;
    for (const name of Object.keys(value)) {
      if (!spend(check, 1)) return false;
      if (evaluated?.properties.has(name)) continue;
      if (argument === false)
        fits = report(check, path, `must NOT have unevaluated properties (${cut(name)})`);
      else fits = evaluateMember(check, asSchema(argument), [value, name], path, evaluated) && fits;
    }
    return fits;
  });

const unevaluatedItemsRule: RuleFactory = (argument) =>
  ofLists((check, list, path, evaluated) => {
    let fits = true;
    for (const index of list.keys()) {
      if (!spend(check, 1)) return false;
      if (evaluated?.items.has(index)) continue;
      if (argument === false) return report(check, path, 'must NOT have unevaluated items');
      fits = evaluateItem(check, asSchema(argument), [list, index], path, evaluated) && fits;
    }
    return fits;
  });

const evaluatingLast = ['unevaluatedProperties', 'unevaluatedItems'];

/** All checked keywords; the server checks `format` and the content keywords. */
const factories: ReadonlyMap<string, RuleFactory> = new Map<string, RuleFactory>([
  ...valueRules,
  ['prefixItems', prefixItemsRule],
  ['items', itemsRule],
  ['additionalItems', additionalItemsRule],
  ['contains', containsRule],
  ['properties', propertiesRule],
  ['patternProperties', patternPropertiesRule],
  ['additionalProperties', additionalPropertiesRule],
  ['propertyNames', propertyNamesRule],
  ['dependentRequired', dependentRule],
  ['dependentSchemas', dependentRule],
  ['dependencies', dependentRule],
  ['allOf', allOfRule],
  ['anyOf', anyOfRule],
  ['oneOf', oneOfRule],
  ['not', notRule],
  ['if', ifRule],
  ['$ref', refRule],
  ['$dynamicRef', refRule],
  ['$recursiveRef', refRule],
  ['unevaluatedProperties', unevaluatedPropertiesRule],
  ['unevaluatedItems', unevaluatedItemsRule],
]);

function rulesOf({ rules }: PreparedSchema, schema: JsonObject): readonly Rule[] {
  const known = rules.get(schema);
  if (known) return known;
  const names = Object.keys(schema).filter((name) => factories.has(name));
  const ordered = [
    ...names.filter((name) => !evaluatingLast.includes(name)),
    ...names.filter((name) => evaluatingLast.includes(name)),
  ];
  const made = ordered
    .map((name) => factories.get(name)?.(schema[name] ?? null, schema) ?? null)
    .filter((rule) => rule !== null);
  rules.set(schema, made);
  return made;
}

/** Resolves a reference within the schema, by pointer or by anchor. */
function resolve({ root, anchors, references }: PreparedSchema, reference: string): Schema | undefined {
  if (!references.has(reference)) {
    const target = reference.slice(1);
    const found = target === '' || target.startsWith('/') ? pointedAt(root, target) : anchors.get(target);
    references.set(reference, found);
  }
  return references.get(reference);
}

function pointedAt(root: JsonObject, pointer: string): Schema | undefined {
  let node: Json | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (node === null || typeof node !== 'object' || !Object.hasOwn(node, name)) return undefined;
    node = (node as JsonObject)[name];
  }
  return typeof node === 'boolean' || (node !== undefined && isObject(node)) ? node : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function collectAnchors(node: Json, anchors: Map<string, JsonObject>): void {
  if (node === null || typeof node !== 'object') return;
  if (isObject(node)) {
    for (const name of ['$anchor', '$dynamicAnchor']) {
      const anchor = node[name];
      if (typeof anchor === 'string' && !anchors.has(anchor)) anchors.set(anchor, node);
    }
  }
  for (const inner of Object.values(node)) collectAnchors(inner, anchors);
}

const asksEvaluated = (node: Json): boolean =>
  node !== null &&
  typeof node === 'object' &&
  (evaluatingLast.some((name) => Object.hasOwn(node, name)) || Object.values(node).some(asksEvaluated));

/** Checks one value: returns `null` or the findings as text; `err` says why the value cannot be checked. */
export type CheckValue = (value: Json) => Result<readonly string[] | null, string>;

/**
 * Creates a check for a schema within the limits of `schemaProblem` (draft 2020-12 and earlier). Compiles
 * nothing in advance. A step count bounds the work of every check in proportion to the value, however the
 * schema is written.
 */
export function createJsonSchemaCheck(root: JsonObject): CheckValue {
  const anchors = new Map<string, JsonObject>();
  collectAnchors(root, anchors);
  const prepared: PreparedSchema = {
    root,
    rules: new Map(),
    anchors,
    patterns: new Map(),
    references: new Map(),
  };
  const tracked = asksEvaluated(root);
  return (value) => {
    const findings: string[] = [];
    const check: Check = { prepared, ...countSteps(value), depth: 0, stopped: null, findings };
    const evaluated = tracked ? { properties: new Set<string>(), items: new Set<number>() } : null;
    const fits = evaluate(check, root, value, null, evaluated);
    if (check.stopped !== null) return err(check.stopped);
    return ok(fits ? null : findings);
  };
}
