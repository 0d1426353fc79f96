import { sameJson, type Json, type JsonObject } from '#shared/json';
import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoredWorkflow } from '#shared/workflow-panel';
import { useCallback, useMemo, useState } from 'react';
import { useCommands } from '../../store/app-context';
import type { AuthoringCommands } from '../../store/authoring-commands';
import { useLatest } from '../../ui/use-latest';
import {
  conflictsOf,
  discardEdits,
  chooseLocal,
  rebase,
  readEdits,
  savable,
  markSent,
  applySaved,
  acceptRemote,
  applyEdit,
  editsText,
  withEdits,
  type Conflict,
  type DraftEdits,
} from './draft-edits';
import { optionalFields } from './definition-fields';
import { errorsOf } from './refusal';

/** The findings about a definition, by field; null until known. */
export interface Findings {
  readonly errors: readonly FieldError[];
  /** What a valid definition still needs before publishing. */
  readonly blockers: readonly string[];
  /** What the author should know; it does not block publishing. */
  readonly advice: readonly string[];
}

/** Reloads the workflow; `then` runs in the same render. */
export type Reload = (then?: () => void) => Promise<void>;

export interface DraftForm {
  /** The draft with the edits applied. */
  readonly values: JsonObject;
  readonly findings: Findings | null;
  /** Fields whose value the draft refuses so far; their edits are preserved. */
  readonly unsaved: readonly string[];
  readonly saving: boolean;
  /** Fields edited both here and remotely; neither value overwrites the other. */
  readonly conflicts: readonly Conflict[];
  /** Other fields changed remotely while the draft is open. */
  readonly remotelyChanged: readonly string[];
  readonly change: (field: string, value: Json | undefined) => void;
  readonly chooseLocal: (conflict: Conflict) => void;
  readonly acceptRemote: (conflict: Conflict) => void;
  /** Drops all unsaved edits. */
  readonly forget: () => void;
}

/** The messages that begin with these words, without them. */
const textsAfter = (words: string, messages: readonly string[]): readonly string[] =>
  messages.flatMap((message) => (message.startsWith(words) ? [message.slice(words.length)] : []));

async function validate(commands: AuthoringCommands, workflowId: string): Promise<Findings> {
  const answer = await commands.callAuthoring({ operation: 'validate_workflow', workflowId });
  const messages = answer.ok && answer.value.ok ? (answer.value.messages ?? []) : [];
  return {
    errors: errorsOf(answer),
    blockers: textsAfter('Before publishing: ', messages),
    advice: textsAfter('Consider: ', messages),
  };
}

interface RoundInput {
  readonly revision: string | null;
  readonly fields: JsonObject;
}

/** Saves and checks the newest input, one round at a time. */
function useRounds(input: RoundInput | null, workflowId: string, round: RoundDeps) {
  const commands = useCommands();
  const { change, reload } = round;
  const ask = useCallback(
    async ({ revision, fields }: RoundInput) => {
      if (Object.keys(fields).length > 0) change((current) => markSent(current, fields));
      const { saved, refused, stale } = await saveRound(commands, { workflowId, revision, fields });
      const { errors, ...valid } = await validate(commands, workflowId);
      if (stale || Object.keys(saved).length > 0) {
        await reload(() => change((current) => applySaved(current, saved)));
      }
      const refusedFields = new Set(refused.map(({ field }) => field));
      return {
        refused,
        findings: {
          errors: [...refused, ...errors.filter(({ field }) => !refusedFields.has(field))],
          ...valid,
        },
      };
    },
    [commands, workflowId, change, reload],
  );
  return useLatest(input, ask);
}

interface RoundDeps {
  readonly change: ReturnType<typeof useEdits>[1];
  readonly reload: Reload;
}

/**
 * The input of the next round; the same object while nothing in it changes. Null: there is nothing to
 * publish.
 */
function useRoundInput({ draft, change }: AuthoredWorkflow, fields: JsonObject): RoundInput | null {
  const wanted = draft !== null || change !== null;
  const revision = draft === null ? null : draft.hash;
  const waiting = JSON.stringify(fields);
  return useMemo(
    () => (wanted ? { revision, fields: JSON.parse(waiting) as JsonObject } : null),
    [wanted, revision, waiting],
  );
}

/** The value to save for a field; null, which removes the field, if it is absent or empty and optional. */
function draftValue(field: string, value: Json | undefined): Json {
  const removed = value === undefined || (value === '' && optionalFields.includes(field));
  return removed ? null : value;
}

function unsavedFields(
  { edits }: DraftEdits,
  conflicts: readonly Conflict[],
  refused: readonly FieldError[],
): readonly string[] {
  const fields = [...conflicts, ...refused].map(({ field }) => field);
  return [...new Set(fields)].filter((field) => field in edits);
}

const none: JsonObject = {};

/**
 * An open draft. Every edit is stored, saved into its draft, and checked. Remote changes by a model or the
 * command line appear immediately; if both sides changed the same field, the user chooses.
 */
export function useDraft(workflow: AuthoredWorkflow, reload: Reload): DraftForm {
  const { workflowId, draft } = workflow;
  const fields = workflow.fields ?? none;
  const [draftEdits, change] = useEdits(workflowId, fields);
  const { fields: remotelyChanged, acknowledge } = useRemoteChanges(fields, draftEdits.sent);
  const conflicts = draft ? conflictsOf(draftEdits, fields) : [];
  const input = useRoundInput(workflow, draft ? savable(draftEdits, conflicts) : {});
  const latest = useRounds(input, workflowId, { change, reload });
  const { refused = [], findings = null } = latest?.output ?? {};
  return {
    values: draft ? withEdits(fields, draftEdits) : fields,
    findings,
    unsaved: unsavedFields(draftEdits, conflicts, refused),
    saving: latest?.input !== input,
    conflicts,
    // Saving raises the version that the change requires: that is no change by somebody else.
    remotelyChanged: remotelyChanged.filter(
      (name) => name !== 'Version' && conflicts.every(({ field }) => field !== name),
    ),
    change: (field, value) => {
      acknowledge();
      change((current) => applyEdit(current, [field, draftValue(field, value)]));
    },
    chooseLocal: (conflict) => change((current) => chooseLocal(current, conflict)),
    acceptRemote: (conflict) => change((current) => acceptRemote(current, conflict)),
    forget: () => change(discardEdits),
  };
}

/** The edits of one save and the draft they belong to; a null revision: there is no draft. */
interface SaveRound {
  readonly workflowId: string;
  readonly revision: string | null;
  readonly fields: JsonObject;
}

export interface Saved {
  readonly saved: JsonObject;
  /** The edits that the draft refused, with their errors. */
  readonly refused: readonly FieldError[];
  /** The draft has changed meanwhile, so nothing was saved. */
  readonly stale: boolean;
}
const nothingSaved: Saved = { saved: {}, refused: [], stale: false };
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
  if (!answer.ok) return { ...nothingSaved, refused: [{ field: '', message: answer.error.message }] };
  switch (answer.value.kind) {
    case 'saved':
      return { ...nothingSaved, saved: answer.value.fields };
    case 'refused':
      return { ...nothingSaved, refused: answer.value.errors };
    case 'changed-meanwhile':
      return { ...nothingSaved, stale: true };
  }
}

/** Saves the edits that the draft accepts; returns the others with their errors. */
async function saveRound(
  commands: AuthoringCommands,
  { workflowId, revision, fields }: SaveRound,
): Promise<Saved> {
  if (revision === null || Object.keys(fields).length === 0) return nothingSaved;
  const first = await put(commands, workflowId, revision, fields);
  const named = first.refused.every(({ field }) => field in fields);
  const accepted = without(fields, first.refused);
  if (first.refused.length === 0 || !named || Object.keys(accepted).length === 0) return first;
  const rest = await put(commands, workflowId, revision, accepted);
  return { ...rest, refused: [...first.refused, ...rest.refused] };
}

/** Fields that have changed, except those that contain values saved from here. */
function remotelyChangedFields(before: JsonObject, now: JsonObject, own: JsonObject): readonly string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const same = (one: JsonObject, field: string): boolean => sameJson(one[field] ?? null, now[field] ?? null);
  return fields.filter((field) => !same(before, field) && !(field in own && same(own, field)));
}

export interface RemoteChanges {
  /** Fields changed remotely, by a model or the command line, while the draft is open. */
  readonly fields: readonly string[];
  readonly acknowledge: () => void;
}

/** Tracks remote changes to an open draft; `own` contains the values saved from here. */
function useRemoteChanges(now: JsonObject, own: JsonObject): RemoteChanges {
  const [known, setKnown] = useState(now);
  const [changed, setChanged] = useState<readonly string[]>([]);
  if (known !== now) {
    setKnown(now);
    const more = remotelyChangedFields(known, now, own);
    if (more.length > 0) setChanged([...new Set([...changed, ...more])]);
  }
  return { fields: changed, acknowledge: useCallback(() => setChanged([]), []) };
}

/** Unsaved edits of a draft; stored immediately, so that they survive closing the panel and the window. */
function useEdits(workflowId: string, fields: JsonObject) {
  const commands = useCommands();
  const [draftEdits, setEdits] = useState(() => readEdits(commands.unsavedEdits(workflowId), fields));
  if (draftEdits.known !== fields) setEdits((current) => rebase(current, fields));
  const change = useCallback(
    (next: (current: DraftEdits) => DraftEdits) =>
      setEdits((current) => {
        const after = next(current);
        commands.saveEdits(workflowId, editsText(after));
        return after;
      }),
    [commands, workflowId],
  );
  return [draftEdits, change] as const;
}
