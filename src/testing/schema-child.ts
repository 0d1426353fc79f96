import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '#shared/json';
import { createSchemaCheck } from '../core/tools/schema-check';

/**
 * Validates every `[schema, value]` of a file as main does and reports each result. A separate process can be
 * stopped by the caller.
 */
const [, , file = ''] = process.argv;
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly (readonly [JsonObject, Json])[];
const check = createSchemaCheck();
const ends = cases.map(([schema, value]) => {
  const checked = check(schema, value);
  return checked.ok ? 'fits' : (checked.error[0] ?? '');
});
process.stdout.write(JSON.stringify(ends));
