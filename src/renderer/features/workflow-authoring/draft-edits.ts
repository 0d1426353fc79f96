import { isObject, parseJson, sameJson, type Json, type JsonObject } from '#shared/json';

/** An edit that the draft does not contain yet; a null value means that the field is absent. */
interface Edit {
  readonly value: Json;
  /** The draft's value when the user made the edit: another value in the draft is a remote change. */
  readonly from: Json;
}

/** The unsaved edits of a draft, by field. */
export interface DraftEdits {
  readonly edits: Readonly<Record<string, Edit>>;
  /** The values being saved, or saved last: when the draft returns them, they are not a remote change. */
  readonly sent: JsonObject;
  /**
   * The current draft as known where edits are made. Stored here so that answers and key presses are
   * processed in one order: a key can be handled before an earlier answer has rendered.
   */
  readonly known: JsonObject;
}

/** A field that was edited both here and remotely: both values, until the user chooses. */
export interface Conflict {
  readonly field: string;
  readonly yours: Json;
  readonly theirs: Json;
}

const fieldValue = (fields: JsonObject, field: string): Json => fields[field] ?? null;

function isEdit(value: Json): value is { readonly value: Json; readonly from: Json } {
  return isObject(value) && 'value' in value && 'from' in value;
}

/** Restores stored edits on top of the current draft; unreadable edits are dropped. */
export function readEdits(stored: string, known: JsonObject): DraftEdits {
  const parsed = stored === '' ? null : parseJson(stored);
  const entries = parsed?.ok && isObject(parsed.value) ? Object.entries(parsed.value) : [];
  const edits = entries.flatMap(([field, edit]) => (isEdit(edit) ? [[field, edit] as const] : []));
  return { edits: Object.fromEntries(edits), sent: {}, known };
}

/** The edits as text to store; empty when there are none. */
export const editsText = ({ edits }: DraftEdits): string =>
  Object.keys(edits).length === 0 ? '' : JSON.stringify(edits);

const without = <T>(record: Readonly<Record<string, T>>, field: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

/** Applies one edit of a field. */
export function applyEdit(
  { edits, sent, known }: DraftEdits,
  [field, value]: readonly [string, Json],
): DraftEdits {
  const before = edits[field];
  const from = before ? before.from : fieldValue(known, field);
  return { edits: { ...edits, [field]: { value, from } }, sent: before ? sent : without(sent, field), known };
}

/** Rebases the edits onto a newly read draft. */
export const rebase = (typing: DraftEdits, known: JsonObject): DraftEdits => ({ ...typing, known });

export const markSent = (typing: DraftEdits, fields: JsonObject): DraftEdits => ({ ...typing, sent: fields });

/** Removes edits that the draft now contains; later edits are based on the saved values. */
export function applySaved({ edits, sent, known }: DraftEdits, saved: JsonObject): DraftEdits {
  const left = Object.entries(edits).flatMap(([field, edit]) => {
    if (!(field in saved)) return [[field, edit] as const];
    const from = fieldValue(saved, field);
    return sameJson(edit.value, from) ? [] : [[field, { ...edit, from }] as const];
  });
  return { edits: Object.fromEntries(left), sent, known: { ...known, ...saved } };
}

/** Fields changed both here and remotely: neither value is saved until the user chooses one. */
export function conflictsOf({ edits, sent }: DraftEdits, fields: JsonObject): readonly Conflict[] {
  return Object.entries(edits).flatMap(([field, { value, from }]) => {
    const theirs = fieldValue(fields, field);
    const own = [from, value, ...(field in sent ? [fieldValue(sent, field)] : [])];
    return own.some((known) => sameJson(known, theirs)) ? [] : [{ field, yours: value, theirs }];
  });
}

/** Keeps the local value, which overwrites the draft. */
export function chooseLocal(typing: DraftEdits, { field, yours, theirs }: Conflict): DraftEdits {
  return { ...typing, edits: { ...typing.edits, [field]: { value: yours, from: theirs } } };
}

/** Accepts the remote value and drops the local edit. */
export const acceptRemote = (typing: DraftEdits, { field }: Conflict): DraftEdits => ({
  ...typing,
  edits: without(typing.edits, field),
});

export const discardEdits = (typing: DraftEdits): DraftEdits => ({ ...typing, edits: {}, sent: {} });

/** The values that can be saved now, by field. */
export function savable({ edits }: DraftEdits, conflicts: readonly Conflict[]): JsonObject {
  const open = new Set(conflicts.map(({ field }) => field));
  const free = Object.entries(edits).filter(([field]) => !open.has(field));
  return Object.fromEntries(free.map(([field, { value }]) => [field, value]));
}

/** The draft with the edits applied; a cleared field is absent. */
export function withEdits(fields: JsonObject, { edits }: DraftEdits): JsonObject {
  const values = Object.entries(edits).map(([field, { value }]) => [field, value] as const);
  const shown = Object.entries({ ...fields, ...Object.fromEntries(values) });
  return Object.fromEntries(shown.filter(([, value]) => value !== null));
}
