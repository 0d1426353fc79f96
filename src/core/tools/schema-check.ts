import type { Json, JsonObject } from '#shared/json';
import { createJsonSchemaCheck, type CheckValue } from '#shared/json-schema';
import { err, ok, type Result } from '#shared/result';
import { schemaProblem } from '#shared/schema-guard';

/** Checks values against JSON Schemas (draft 2020-12 and those before it); `err` lists what is wrong, in words. */
export interface SchemaCheck {
  (schema: JsonObject, value: Json): Result<null, readonly string[]>;
}

function prepare(schema: JsonObject): Result<CheckValue, string> {
  const problem = schemaProblem(schema);
  return problem === null ? ok(createJsonSchemaCheck(schema)) : err(`the schema ${problem}`);
}

/** Schemas are looked through once, and kept by identity of the object for as long as its owner keeps it. */
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
