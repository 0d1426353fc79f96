import type { ConfigProblem } from '#shared/app-error';
import { isObject, type Json, type JsonObject } from '#shared/json';
import type { WorkflowDefinition } from '#shared/workflow';
import type { FieldError } from '#shared/workflow-authoring';
import type { SeedRow } from '../ports/seed-layer';

/** Invisible characters: control characters and lone surrogates. Line breaks and tabs are allowed. */
const controlOrLoneSurrogate = /[\p{Cc}\p{Cs}]/u;
const seenAsSpace = /[\n\r\t]/gu;
/** Direction overrides, embeddings and isolates, which display a text differently from how it is stored. */
const turning = /[\u202a-\u202e\u2066-\u2069]/u;

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function wrongIn(field: string, value: Json): FieldError | null {
  const texts = textsIn(value);
  if (texts.some((text) => turning.test(text))) {
    const message = `${field} contains invisible characters that change the text direction. Remove them: the approved text must be the text that people read.`;
    return { field, message };
  }
  if (texts.some((text) => controlOrLoneSurrogate.test(text.replace(seenAsSpace, ' ')))) {
    return { field, message: `${field} contains invisible control characters. Remove them.` };
  }
  return null;
}

/**
 * A person approves what the screen shows (TUL-006 §8.2), so a definition must not look different from its
 * content.
 */
export const checkTexts = (definition: JsonObject): readonly FieldError[] =>
  Object.entries(definition).flatMap(([field, value]) => wrongIn(field, value) ?? []);

/** Applies the same check to definitions from files, because a person reads these too. */
export const textProblems = (rows: readonly SeedRow<WorkflowDefinition>[]): readonly ConfigProblem[] =>
  rows.flatMap(({ file, row }) =>
    checkTexts(fieldsOf(row)).map(({ field, message }) => ({ file, field, rule: 'text', reason: message })),
  );

/** A definition as plain JSON, as drafts store it. */
export function fieldsOf(definition: WorkflowDefinition): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(definition));
  return isObject(copy as Json) ? (copy as JsonObject) : {};
}
