import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '#shared/json';
import { createSchemaCheck } from '../core/tools/schema-check';

/** Checks every `[schema, value]` of a file as main does it, and says how each ended: a process of its own can be stopped by whoever waits. */
const [, , file = ''] = process.argv;
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly (readonly [JsonObject, Json])[];
const check = createSchemaCheck();
const ends = cases.map(([schema, value]) => {
  const checked = check(schema, value);
  return checked.ok ? 'fits' : (checked.error[0] ?? '');
});
process.stdout.write(JSON.stringify(ends));
