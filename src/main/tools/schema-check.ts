import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/ajv.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';

const longestPatternText = 4_096;
/** Nobody can say of a longer pattern, in no time, how long it may run. */
const longestPattern = 512;
const largestSchema = 262_144;
const mostFindings = 8;

/** A quantified group that holds a quantifier or a choice: the shapes that can make matching exponential. */
function explosive(pattern: string): boolean {
  if (pattern.length > longestPattern) return true;
  return /\([^()]*[*+}|][^()]*\)\s*[*+{]/.test(pattern) || /\)[*+]?\)\s*[*+{]/.test(pattern);
}

/**
 * A schema's author is not trusted with our time: a pattern that could run long, or would meet a very long text,
 * is left for the server itself to check.
 */
const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const regExp = explosive(pattern) ? null : new RegExp(pattern, flags);
    return {
      test: (text: string) => !regExp || text.length > longestPatternText || regExp.test(text),
      // The validator tells its patterns apart by this text.
      toString: () => `/${pattern}/${flags}`,
    };
  },
  { code: 'boundedRegExp' },
);

const options: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  code: { regExp: boundedRegExp },
};

function describe(error: ErrorObject): string {
  const at = error.instancePath === '' ? 'arguments' : `arguments${error.instancePath.replaceAll('/', '.')}`;
  const extra =
    error.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : '';
  const allowed = error.keyword === 'enum' ? `: ${JSON.stringify(error.params['allowedValues'])}` : '';
  return `${at} ${error.message ?? 'is not valid'}${extra}${allowed}`;
}

function compile(schema: JsonObject): Result<ValidateFunction, string> {
  try {
    const text = JSON.stringify(schema);
    if (text.length > largestSchema) return err('the schema is larger than 256 kB');
    const { $schema: dialect, ...rest } = schema;
    const old = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect);
    return ok(old ? new Ajv(options).compile(rest) : new Ajv2020(options).compile(rest));
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : 'the schema does not compile');
  }
}

let metaSchema: Ajv2020 | null = null;

/** Why a value is no JSON Schema (draft 2020-12), in words; null when it is one. Compiles nothing, so that thousands can be looked at. */
export function schemaFault({ $schema: _dialect, ...schema }: JsonObject): string | null {
  metaSchema ??= new Ajv2020(options);
  if (metaSchema.validateSchema(schema) === true) return null;
  const [first] = metaSchema.errors ?? [];
  return first ? describe(first).replace(/^arguments/, 'it') : 'it is no JSON Schema';
}

/** Checks values against JSON Schemas (draft 2020-12, or 07 where a schema says so); `err` lists what is wrong, in words. */
export interface SchemaCheck {
  (schema: JsonObject, value: Json): Result<null, readonly string[]>;
}

/** Compiled schemas are kept by identity of the schema object, for as long as its owner keeps it. */
export function createSchemaCheck(): SchemaCheck {
  const compiled = new WeakMap<JsonObject, Result<ValidateFunction, string>>();
  return (schema, value) => {
    const known = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, known);
    if (!known.ok) return err([`cannot be checked: ${known.error}`]);
    if (known.value(value)) return ok(null);
    const findings = (known.value.errors ?? []).map(describe);
    return err([...new Set(findings)].slice(0, mostFindings));
  };
}
