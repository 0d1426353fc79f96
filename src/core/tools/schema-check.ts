import type { Json, JsonObject } from '#shared/json';
import { createJsonSchemaCheck, type CheckValue } from '#shared/json-schema';
import { err, ok, type Result } from '#shared/result';
import { schemaProblem } from '#shared/schema-guard';

/** Checks values against JSON Schemas (draft 2020-12 and earlier); `err` lists the problems as text. */
export interface SchemaCheck {
  (schema: JsonObject, value: Json): Result<null, readonly string[]>;
}

function prepare(schema: JsonObject): Result<CheckValue, string> {
  const problem = schemaProblem(schema);
  return problem === null ? ok(createJsonSchemaCheck(schema)) : err(`the schema ${problem}`);
}

/** Prepares each schema once and caches it by object identity while the object is alive. */
export function createSchemaCheck(): SchemaCheck {
  const prepared = new WeakMap<JsonObject, Result<CheckValue, string>>();
  return (schema, value) => {
    const known = prepared.get(schema) ?? prepare(schema);
    prepared.set(schema, known);
    const checked = known.ok ? known.value(value) : known;
    if (!checked.ok) return err([`cannot be checked: ${checked.error}`]);
    return checked.value === null ? ok(null) : err(checked.value);
  };
}
