import type { Json, JsonObject } from '#shared/json';
import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoredWorkflow } from '#shared/workflow-panel';
import { useCallback, useMemo } from 'react';
import { useCommands } from '../../store/app-context';
import type { AuthoringCommands } from '../../store/authoring-commands';
import { useLatest } from '../../ui/use-latest';
import {
  conflictsOf,
  forgotten,
  keptMine,
  savable,
  sending,
  settled,
  tookTheirs,
  typed,
  withTyped,
  type Conflict,
  type Typing,
} from './draft-edits';
import { optionalFields } from './form-fields';
import { errorsOf } from './refusal';
import { saveRound } from './save-round';
import { useElsewhere } from './use-elsewhere';
import { useTyping } from './use-typing';

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
