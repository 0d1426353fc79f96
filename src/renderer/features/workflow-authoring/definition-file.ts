import { isObject, parseJson, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { text } from '../../locales/text';

/** In bytes; a definition with all its texts is far below. */
const maxSize = 1_000_000;

/** The text of a definition's file, which `readDefinition` reads again. */
export const definitionText = (fields: JsonObject): string => `${JSON.stringify(fields, null, 2)}\n`;

/** Reads the fields of a workflow from a file. What they may be is decided where the draft is saved. */
export async function readDefinition(file: File): Promise<Result<JsonObject, string>> {
  const name = file.name;
  if (file.size > maxSize) return err(text('workflowAuthoring.import.tooLarge', { name }));
  const parsed = parseJson(await file.text());
  if (!parsed.ok) return err(text('workflowAuthoring.import.notJson', { name, problem: parsed.error }));
  return isObject(parsed.value) ? ok(parsed.value) : err(text('workflowAuthoring.import.noObject', { name }));
}
