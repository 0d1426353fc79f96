import { sameJson, type Json, type JsonObject } from '#shared/json';
import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoredWorkflow } from '#shared/workflow-panel';
import { useCallback, useMemo, useState } from 'react';
import { useCommands } from '../../store/app-context';
import type { AuthoringCommands } from '../../store/authoring-commands';
import { useLatest } from '../../ui/use-latest';
import {
  conflictsOf,
  forgotten,
  keptMine,
  knowing,
  readTyping,
  savable,
  sending,
  settled,
  tookTheirs,
  typed,
  typingText,
  withTyped,
  type Conflict,
  type Typing,
} from './draft-edits';
import { optionalFields } from './form-fields';
import { errorsOf } from './refusal';

/** What was found about a definition, by field; null: not known yet. */
export interface Findings {
  readonly errors: readonly FieldError[];
  /** What a valid definition still lacks to be published. */
  readonly blockers: readonly string[];
}

/** Has the workflow read again; `then` is called together with showing it. */
export type Reload = (then?: () => void) => Promise<void>;

export interface DraftForm {
  /** The draft with what was typed on top. */
  readonly values: JsonObject;
  readonly findings: Findings | null;
  /** Fields whose value the draft does not take yet; what was typed is kept. */
  readonly unsaved: readonly string[];
  readonly saving: boolean;
  /** Fields that were typed into here and changed by somebody else; neither is saved over the other. */
  readonly conflicts: readonly Conflict[];
  /** Other fields that somebody else changed while this is open. */
  readonly elsewhere: readonly string[];
  readonly change: (field: string, value: Json | undefined) => void;
  readonly keepMine: (conflict: Conflict) => void;
  readonly takeTheirs: (conflict: Conflict) => void;
  /** Drops everything that was typed and is in no draft. */
  readonly forget: () => void;
}

async function validate(commands: AuthoringCommands, workflowId: string): Promise<Findings> {
  const answer = await commands.callAuthoring({ operation: 'validate_workflow', workflowId });
  // The first message says that it is valid; each other one names what publishing waits for.
  const blockers = answer.ok && answer.value.ok ? (answer.value.messages ?? []).slice(1) : [];
  return { errors: errorsOf(answer), blockers };
}

interface Asked {
  readonly revision: string | null;
  readonly fields: JsonObject;
}

/** Saves and checks, one round at a time, of what is newest. */
function useRounds(asked: Asked | null, workflowId: string, round: RoundDeps) {
  const commands = useCommands();
  const { change, reload } = round;
  const ask = useCallback(
    async ({ revision, fields }: Asked) => {
      if (Object.keys(fields).length > 0) change((held) => sending(held, fields));
      const { saved, refused, stale } = await saveRound(commands, { workflowId, revision, fields });
      const { errors, blockers } = await validate(commands, workflowId);
      if (stale || Object.keys(saved).length > 0) {
        await reload(() => change((held) => settled(held, saved)));
      }
      const said = new Set(refused.map(({ field }) => field));
      return {
        refused,
        findings: { errors: [...refused, ...errors.filter(({ field }) => !said.has(field))], blockers },
      };
    },
    [commands, workflowId, change, reload],
  );
  return useLatest(asked, ask);
}

interface RoundDeps {
  readonly change: ReturnType<typeof useTyping>[1];
  readonly reload: Reload;
}

/** What is saved and checked next; the same while nothing about it changes. Null: there is nothing that could be published. */
function useAsked({ draft, change }: AuthoredWorkflow, fields: JsonObject): Asked | null {
  const wanted = draft !== null || change !== null;
  const revision = draft === null ? null : draft.hash;
  const waiting = JSON.stringify(fields);
  return useMemo(
    () => (wanted ? { revision, fields: JSON.parse(waiting) as JsonObject } : null),
    [wanted, revision, waiting],
  );
}

/** A field that was emptied is taken out of the draft, if it can be. */
function draftValue(field: string, value: Json | undefined): Json {
  const gone = value === undefined || (value === '' && optionalFields.includes(field));
  return gone ? null : value;
}

function unsavedFields(
  { edits }: Typing,
  conflicts: readonly Conflict[],
  refused: readonly FieldError[],
): readonly string[] {
  const fields = [...conflicts, ...refused].map(({ field }) => field);
  return [...new Set(fields)].filter((field) => field in edits);
}

const none: JsonObject = {};

/**
 * A draft while it is written. Every change is kept, saved into the draft it was typed into, and checked. What a model or
 * the command line changes meanwhile is shown, and where it is the same field, a person chooses.
 */
export function useDraft(workflow: AuthoredWorkflow, reload: Reload): DraftForm {
  const { workflowId, draft } = workflow;
  const fields = workflow.fields ?? none;
  const [typing, change] = useTyping(workflowId, fields);
  const { fields: elsewhere, seen } = useElsewhere(fields, typing.sent);
  const conflicts = draft ? conflictsOf(typing, fields) : [];
  const asked = useAsked(workflow, draft ? savable(typing, conflicts) : {});
  const latest = useRounds(asked, workflowId, { change, reload });
  const { refused = [], findings = null } = latest?.output ?? {};
  return {
    values: draft ? withTyped(fields, typing) : fields,
    findings,
    unsaved: unsavedFields(typing, conflicts, refused),
    saving: latest?.input !== asked,
    conflicts,
    elsewhere: elsewhere.filter((name) => conflicts.every(({ field }) => field !== name)),
    change: (field, value) => {
      seen();
      change((held) => typed(held, [field, draftValue(field, value)]));
    },
    keepMine: (conflict) => change((held) => keptMine(held, conflict)),
    takeTheirs: (conflict) => change((held) => tookTheirs(held, conflict)),
    forget: () => change(forgotten),
  };
}

/** What is saved in one go, and the draft it was typed into; a null revision: there is no draft. */
interface SaveRound {
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
async function saveRound(
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

/** Fields that are different now, but for those that hold what was saved from here. */
function changedElsewhere(before: JsonObject, now: JsonObject, own: JsonObject): readonly string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const same = (one: JsonObject, field: string): boolean => sameJson(one[field] ?? null, now[field] ?? null);
  return fields.filter((field) => !same(before, field) && !(field in own && same(own, field)));
}

export interface Elsewhere {
  /** Fields somebody else changed while the draft is open: a model, the command line. */
  readonly fields: readonly string[];
  readonly seen: () => void;
}

/** Tells what others change in a draft that is open; `own` is what was saved from here. */
function useElsewhere(now: JsonObject, own: JsonObject): Elsewhere {
  const [known, setKnown] = useState(now);
  const [changed, setChanged] = useState<readonly string[]>([]);
  if (known !== now) {
    setKnown(now);
    const more = changedElsewhere(known, now, own);
    if (more.length > 0) setChanged([...new Set([...changed, ...more])]);
  }
  return { fields: changed, seen: useCallback(() => setChanged([]), []) };
}

/** What was typed into a draft and is not in it yet; kept at once, so that it outlives the panel and the window. */
function useTyping(workflowId: string, fields: JsonObject) {
  const commands = useCommands();
  const [typing, setTyping] = useState(() => readTyping(commands.unsavedEdits(workflowId), fields));
  if (typing.known !== fields) setTyping((held) => knowing(held, fields));
  const change = useCallback(
    (next: (held: Typing) => Typing) =>
      setTyping((held) => {
        const after = next(held);
        commands.keepEdits(workflowId, typingText(after));
        return after;
      }),
    [commands, workflowId],
  );
  return [typing, change] as const;
}
