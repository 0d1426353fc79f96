import type { JsonObject } from '#shared/json';
import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoringCommands } from '../../store/authoring-commands';

/** What is saved in one go, and the draft it was typed into; a null revision: there is no draft. */
export interface SaveRound {
  readonly workflowId: string;
  readonly revision: string | null;
  readonly fields: JsonObject;
}

export interface Saved {
  readonly saved: JsonObject;
  /** What the draft does not take, with what is wrong about each. */
  readonly refused: readonly FieldError[];
  /** The draft is another one by now, so nothing was saved. */
  readonly stale: boolean;
}

const nothing: Saved = { saved: {}, refused: [], stale: false };

function without(fields: JsonObject, refused: readonly FieldError[]): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => refused.every(({ field }) => field !== name)),
  );
}

async function put(
  commands: AuthoringCommands,
  workflowId: string,
  revision: string,
  fields: JsonObject,
): Promise<Saved> {
  const answer = await commands.saveDraft({ workflowId, revision, fields });
  if (!answer.ok) return { ...nothing, refused: [{ field: '', message: answer.error.message }] };
  switch (answer.value.kind) {
    case 'saved':
      return { ...nothing, saved: fields };
    case 'refused':
      return { ...nothing, refused: answer.value.errors };
    case 'changed-meanwhile':
      return { ...nothing, stale: true };
  }
}

/** Saves what the draft takes; the others come back with what is wrong about each. */
export async function saveRound(
  commands: AuthoringCommands,
  { workflowId, revision, fields }: SaveRound,
): Promise<Saved> {
  if (revision === null || Object.keys(fields).length === 0) return nothing;
  const whole = await put(commands, workflowId, revision, fields);
  const named = whole.refused.every(({ field }) => field in fields);
  const taken = without(fields, whole.refused);
  if (whole.refused.length === 0 || !named || Object.keys(taken).length === 0) return whole;
  const rest = await put(commands, workflowId, revision, taken);
  return { ...rest, refused: [...whole.refused, ...rest.refused] };
}
