import { canonicalJson, isObject, sameJson, type Json, type JsonObject } from './json';
import { compilePattern, type LinearPattern } from './linear-pattern';

/**
 * Maximum cost of one check. A step is one rule applied to one value, one value comparison, or one character
 * matched in one pattern state.
 */
const maxCheckSteps = 4_000_000;
/** Base budget of every check: a script may make many checks at once, and they block main. */
const baseSteps = 300_000;
/**
 * Additional budget per unit of the value's size (8 characters, or one value), because legitimate
 * work grows with the value.
 */
const stepsPerUnit = 400;
/** Maximum depth of nested schema evaluation, far deeper than legitimate values. */
export const maxDepth = 1_000;
export const maxFindings = 8;
const maxShownCharacters = 300;
const maxPathCharacters = 1_000;

export type Schema = boolean | JsonObject;
export type Path = { readonly parent: Path; readonly key: string | number } | null;

/**
 * Members and items of one value that a rule has evaluated; used by `unevaluatedProperties` and
 * `unevaluatedItems`.
 */
export interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

export interface Check {
  readonly prepared: PreparedSchema;
  /** The whole value under check. */
  readonly value: Json;
  /** Remaining steps. */
  steps: number;
  /** Total step budget; grows once, when the base budget is used up. */
  allowed: number;
  depth: number;
  /** Why the value cannot be checked; ends the check. */
  stopped: string | null;
  /** Null when findings are not needed. */
  findings: string[] | null;
}

export type Rule = (check: Check, value: Json, path: Path, evaluated: Evaluated | null) => boolean;
export type RuleFactory = (argument: Json, schema: JsonObject) => Rule | null;

export interface PreparedSchema {
  readonly root: JsonObject;
  /** Rules by schema, created on first use. */
  readonly rules: Map<JsonObject, readonly Rule[]>;
  readonly anchors: Map<string, JsonObject>;
  readonly patterns: Map<string, LinearPattern | null>;
  readonly references: Map<string, Schema | undefined>;
}

/** Starts the step count for a check of `value`, which is measured only if the base budget runs out. */
export const countSteps = (value: Json): Pick<Check, 'value' | 'steps' | 'allowed'> => ({
  value,
  steps: baseSteps,
  allowed: baseSteps,
});

export function spend(check: Check, steps: number): boolean {
  check.steps -= steps;
  if (check.steps < 0 && check.allowed === baseSteps) {
    check.allowed += stepsPerUnit * sizeOf(check.value, maxCheckSteps / stepsPerUnit);
    check.allowed = Math.min(maxCheckSteps, check.allowed);
    check.steps += check.allowed - baseSteps;
  }
  if (check.steps < 0)
    check.stopped ??= `it would take more than ${check.allowed.toLocaleString('en')} steps`;
  return check.stopped === null;
}

function describePath(path: Path): string {
  const keys: string[] = [];
  for (let at = path; at !== null; at = at.parent) keys.push(String(at.key).slice(0, maxShownCharacters));
  return ['arguments', ...keys.reverse()].join('.').slice(0, maxPathCharacters);
}

export const cut = (text: string): string =>
  text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;

/** Records a finding, bounded by the length of its path, whose cost is counted. */
export function report(check: Check, path: Path, finding: string): false {
  const { findings } = check;
  if (findings === null || findings.length >= maxFindings || !spend(check, check.depth)) return false;
  const text = `${describePath(path)} ${finding}`;
  if (!findings.includes(text)) findings.push(text);
  return false;
}

export const ofObjects =
  (rule: (check: Check, value: JsonObject, path: Path, evaluated: Evaluated | null) => boolean): Rule =>
  (check, value, path, evaluated) =>
    !isObject(value) || rule(check, value, path, evaluated);
export const ofLists =
  (rule: (check: Check, value: readonly Json[], path: Path, evaluated: Evaluated | null) => boolean): Rule =>
  (check, value, path, evaluated) =>
    !Array.isArray(value) || rule(check, value as readonly Json[], path, evaluated);
const ofNumbers =
  (accepts: (value: number) => boolean, finding: string): Rule =>
  (check, value, path) =>
    typeof value !== 'number' || accepts(value) || report(check, path, finding);
/** A size measure of a value, null where it does not apply; `cost` is the work of measuring. */
interface Size {
  readonly what: string;
  readonly of: (value: Json) => number | null;
  readonly cost: (value: Json) => number;
}

function codePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1) {
    const high = (text.charCodeAt(at) & 0xfc00) === 0xd800;
    if (high && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) pairs += 1;
  }
  return text.length - pairs;
}

const characters: Size = {
  what: 'characters',
  of: (value) => (typeof value === 'string' ? codePoints(value) : null),
  cost: (value) => (typeof value === 'string' ? value.length >> 4 : 0),
};
const items: Size = {
  what: 'items',
  of: (value) => (Array.isArray(value) ? value.length : null),
  cost: () => 0,
};
const members: Size = {
  what: 'properties',
  of: (value) => (isObject(value) ? Object.keys(value).length : null),
  cost: (value) => (isObject(value) ? Object.keys(value).length : 0),
};

const ofSizes =
  ({ of, cost }: Size, accepts: (size: number) => boolean, finding: string): Rule =>
  (check, value, path) => {
    if (!spend(check, cost(value))) return false;
    const size = of(value);
    return size === null || accepts(size) || report(check, path, finding);
  };

const typeTests: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  object: isObject,
};

function typeRule(argument: Json, { nullable }: JsonObject): Rule {
  const named = (Array.isArray(argument) ? argument : [argument]) as readonly string[];
  const names = nullable === true && !named.includes('null') ? [...named, 'null'] : named;
  const tests = names.map((name) => typeTests[name]);
  const finding = `must be ${names.join(',')}`;
  return (check, value, path) => tests.some((test) => test?.(value)) || report(check, path, finding);
}

/** Deep equality whose cost is the size of both sides; texts of different lengths cost nothing. */
function equals(check: Check, a: Json, b: Json): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    return a.length === b.length && spend(check, a.length >> 3) && a === b;
  }
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  return spend(check, sizeOf(a, check.steps) + sizeOf(b, check.steps)) && sameJson(a, b);
}

/** Size of a value for comparison; stops counting at `limit`. */
function sizeOf(value: Json, limit: number): number {
  if (typeof value === 'string') return 1 + (value.length >> 3);
  if (value === null || typeof value !== 'object') return 1;
  let size = 1;
  for (const [name, inner] of Object.entries(value)) {
    size += 1 + (name.length >> 3) + sizeOf(inner, limit - size);
    if (size > limit) return size;
  }
  return size;
}

function enumRule(argument: Json): Rule {
  const allowed = argument as readonly Json[];
  const scalars = new Set<Json>(allowed.filter((one) => one === null || typeof one !== 'object'));
  const others = allowed.filter((one) => one !== null && typeof one === 'object');
  const finding = `must be equal to one of the allowed values: ${cut(JSON.stringify(allowed))}`;
  return (check, value, path) =>
    scalars.has(value) ||
    others.some((one) => spend(check, 1) && equals(check, one, value)) ||
    report(check, path, finding);
}

function patternOf({ prepared }: Check, pattern: string): LinearPattern | null {
  const known = prepared.patterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = compilePattern(pattern);
  const made = compiled.ok ? compiled.value : null;
  prepared.patterns.set(pattern, made);
  return made;
}

/** Null when only the server can check the pattern. */
export function matches(check: Check, pattern: string, text: string): boolean | null {
  const compiled = patternOf(check, pattern);
  if (compiled === null) return null;
  return spend(check, 1 + text.length * compiled.size) && compiled.test(text);
}

const patternRule: RuleFactory = (pattern) => (check, value, path) =>
  typeof value !== 'string' ||
  matches(check, pattern as string, value) !== false ||
  report(check, path, `must match pattern "${cut(pattern as string)}"`);

function uniqueRule(argument: Json): Rule | null {
  if (argument !== true) return null;
  return ofLists((check, list, path) => {
    const known = new Set<string>();
    for (const item of list) {
      const text = canonicalJson(item);
      if (!spend(check, 1 + (text.length >> 3))) return false;
      if (known.has(text)) return report(check, path, 'must NOT have duplicate items');
      known.add(text);
    }
    return true;
  });
}

const requiredRule: RuleFactory = (argument) => {
  const names = argument as readonly string[];
  return ofObjects((check, value, path) => spend(check, names.length) && hasAll(check, value, path, names));
};

export function hasAll(check: Check, value: JsonObject, path: Path, names: readonly string[]): boolean {
  const missing = names.filter((name) => !Object.hasOwn(value, name));
  for (const name of missing.slice(0, maxFindings))
    report(check, path, `must have required property '${name.slice(0, maxShownCharacters)}'`);
  return missing.length === 0;
}

/** A bound; the oldest dialect makes it exclusive by a sibling `exclusiveMinimum: true`. */
const minimumRule: RuleFactory = (minimum, { exclusiveMinimum }) =>
  exclusiveMinimum === true
    ? ofNumbers((value) => value > Number(minimum), `must be > ${Number(minimum)}`)
    : ofNumbers((value) => value >= Number(minimum), `must be >= ${Number(minimum)}`);
const maximumRule: RuleFactory = (maximum, { exclusiveMaximum }) =>
  exclusiveMaximum === true
    ? ofNumbers((value) => value < Number(maximum), `must be < ${Number(maximum)}`)
    : ofNumbers((value) => value <= Number(maximum), `must be <= ${Number(maximum)}`);

const minSize =
  (size: Size): RuleFactory =>
  (minimum) =>
    ofSizes(
      size,
      (counted) => counted >= Number(minimum),
      `must NOT have fewer than ${Number(minimum)} ${size.what}`,
    );
const maxSize =
  (size: Size): RuleFactory =>
  (maximum) =>
    ofSizes(
      size,
      (counted) => counted <= Number(maximum),
      `must NOT have more than ${Number(maximum)} ${size.what}`,
    );

/** Keywords that check a value itself and not its children. */
export const valueRules: readonly (readonly [string, RuleFactory])[] = [
  ['type', typeRule],
  ['enum', enumRule],
  [
    'const',
    (constant) => (check, value, path) =>
      equals(check, constant, value) || report(check, path, 'must be equal to constant'),
  ],
  ['pattern', patternRule],
  ['minLength', minSize(characters)],
  ['maxLength', maxSize(characters)],
  ['minimum', minimumRule],
  ['maximum', maximumRule],
  [
    'exclusiveMinimum',
    (minimum) =>
      typeof minimum === 'number' ? ofNumbers((value) => value > minimum, `must be > ${minimum}`) : null,
  ],
  [
    'exclusiveMaximum',
    (maximum) =>
      typeof maximum === 'number' ? ofNumbers((value) => value < maximum, `must be < ${maximum}`) : null,
  ],
  [
    'multipleOf',
    (part) =>
      ofNumbers((value) => Number.isInteger(value / Number(part)), `must be multiple of ${Number(part)}`),
  ],
  ['minItems', minSize(items)],
  ['maxItems', maxSize(items)],
  ['uniqueItems', uniqueRule],
  ['minProperties', minSize(members)],
  ['maxProperties', maxSize(members)],
  ['required', requiredRule],
];
