import { isObject, parseJson, sameJson, type Json, type JsonObject } from '#shared/json';

/** A field that is not in the draft as it was typed; null: there is none. */
interface Edit {
  readonly value: Json;
  /** What the draft held when this was typed: another value there is somebody else's. */
  readonly from: Json;
}

/** The unsaved edits of a draft, by field. */
export interface DraftEdits {
  readonly edits: Readonly<Record<string, Edit>>;
  /** What is being saved from here, or was last: it comes back as the draft's own and is nobody else's. */
  readonly sent: JsonObject;
  /**
   * The draft as it is known where it is typed into. Kept in here, so that an answer and a key are taken in one order: a
   * key may be handled before the answer that came first was drawn.
   */
  readonly known: JsonObject;
}

/** A field that was typed into here and changed by somebody else: both values, until a person chooses. */
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
  const held = parsed?.ok && isObject(parsed.value) ? Object.entries(parsed.value) : [];
  const edits = held.flatMap(([field, edit]) => (isEdit(edit) ? [[field, edit] as const] : []));
  return { edits: Object.fromEntries(edits), sent: {}, known };
}

/** The edits as text to store; empty when there are none. */
export const editsText = ({ edits }: DraftEdits): string =>
  Object.keys(edits).length === 0 ? '' : JSON.stringify(edits);

const without = <T>(record: Readonly<Record<string, T>>, field: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

/** After a key was pressed in a field. */
export function applyEdit(
  { edits, sent, known }: DraftEdits,
  [field, value]: readonly [string, Json],
): DraftEdits {
  const before = edits[field];
  const from = before ? before.from : fieldValue(known, field);
  return { edits: { ...edits, [field]: { value, from } }, sent: before ? sent : without(sent, field), known };
}

/** The draft was read again. */
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
export function keepLocal(typing: DraftEdits, { field, yours, theirs }: Conflict): DraftEdits {
  return { ...typing, edits: { ...typing.edits, [field]: { value: yours, from: theirs } } };
}

/** Accepts the remote value and drops the local edit. */
export const acceptRemote = (typing: DraftEdits, { field }: Conflict): DraftEdits => ({
  ...typing,
  edits: without(typing.edits, field),
});

export const discardEdits = (typing: DraftEdits): DraftEdits => ({ ...typing, edits: {}, sent: {} });

/** What can be saved now, by field. */
export function savable({ edits }: DraftEdits, conflicts: readonly Conflict[]): JsonObject {
  const open = new Set(conflicts.map(({ field }) => field));
  const free = Object.entries(edits).filter(([field]) => !open.has(field));
  return Object.fromEntries(free.map(([field, { value }]) => [field, value]));
}

/** The draft with what was typed on top; an emptied field is not there. */
export function withEdits(fields: JsonObject, { edits }: DraftEdits): JsonObject {
  const values = Object.entries(edits).map(([field, { value }]) => [field, value] as const);
  const shown = Object.entries({ ...fields, ...Object.fromEntries(values) });
  return Object.fromEntries(shown.filter(([, value]) => value !== null));
}
