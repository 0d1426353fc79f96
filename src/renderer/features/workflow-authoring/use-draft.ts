import { isObject, parseJson, type Json, type JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { AuthoringAnswer, FieldError } from '#shared/workflow-authoring';
import type { AuthoredWorkflow } from '#shared/workflow-panel';
import { useCallback, useMemo, useState } from 'react';
import { useCommands } from '../../store/app-context';
import type { AuthoringCommands } from '../../store/authoring-commands';
import { useLatest } from '../../ui/use-latest';
import { optionalFields } from './form-fields';
import { useElsewhere } from './use-elsewhere';

/** What was found about a definition, by field; null: not known yet. */
export interface Findings {
  readonly errors: readonly FieldError[];
  /** What a valid definition still lacks to be published. */
  readonly blockers: readonly string[];
}

export interface DraftForm {
  /** The draft with what was typed on top. */
  readonly values: JsonObject;
  readonly findings: Findings | null;
  /** Fields whose value the draft does not take yet; what was typed is kept. */
  readonly unsaved: readonly string[];
  readonly saving: boolean;
  /** Fields that somebody else changed while this is open; none of what was typed is lost by it. */
  readonly elsewhere: readonly string[];
  readonly change: (field: string, value: Json | undefined) => void;
}

type Edits = JsonObject;
const nothing: Edits = {};

function readEdits(stored: string): Edits {
  const parsed = stored === '' ? null : parseJson(stored);
  return parsed?.ok && isObject(parsed.value) ? parsed.value : nothing;
}

/** An answer as its errors; a call that failed is one, too. */
function errorsOf(answer: Result<AuthoringAnswer>): readonly FieldError[] {
  if (!answer.ok) return [{ field: '', message: answer.error.message }];
  return answer.value.ok ? [] : answer.value.errors;
}

const without = (edits: Edits, fields: readonly string[]): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([field]) => !fields.includes(field)));

/** Saves what the draft takes; the others come back with what is wrong about each. */
async function save(
  commands: AuthoringCommands,
  workflowId: string,
  edits: Edits,
): Promise<{ readonly saved: Edits; readonly refused: readonly FieldError[] }> {
  const update = async (fields: Edits) =>
    errorsOf(await commands.callAuthoring({ operation: 'update_workflow', workflowId, fields }));
  const refused = await update(edits);
  if (refused.length === 0) return { saved: edits, refused };
  const taken = without(
    edits,
    refused.map(({ field }) => field),
  );
  const named = refused.every(({ field }) => field in edits);
  if (!named || Object.keys(taken).length === 0) return { saved: nothing, refused };
  const left = await update(taken);
  return { saved: left.length === 0 ? taken : nothing, refused: [...refused, ...left] };
}

async function validate(commands: AuthoringCommands, workflowId: string): Promise<Findings> {
  const answer = await commands.callAuthoring({ operation: 'validate_workflow', workflowId });
  const errors = errorsOf(answer);
  // The first message says that it is valid; each other one names what publishing waits for.
  const blockers = answer.ok && answer.value.ok ? (answer.value.messages ?? []).slice(1) : [];
  return { errors, blockers };
}

/** What a person types, kept at once, and dropped when the draft has it. */
function useEdits(commands: AuthoringCommands, workflowId: string) {
  const [edits, setEdits] = useState(() => readEdits(commands.unsavedEdits(workflowId)));
  const keep = useCallback(
    (next: Edits): Edits => {
      commands.keepEdits(workflowId, Object.keys(next).length === 0 ? '' : JSON.stringify(next));
      return next;
    },
    [commands, workflowId],
  );
  const drop = useCallback(
    (saved: Edits) =>
      setEdits((held) =>
        keep(
          without(
            held,
            Object.keys(held).filter((field) => held[field] === saved[field]),
          ),
        ),
      ),
    [keep],
  );
  const put = useCallback(
    (field: string, value: Json) => setEdits((held) => keep({ ...held, [field]: value })),
    [keep],
  );
  return { edits, drop, put };
}

/**
 * A draft while it is written. Every change is kept, saved by the same operation a model's call uses, and checked; one
 * round at a time, of what is newest. `reload` has the draft read again.
 */
export function useDraft(workflow: AuthoredWorkflow, reload: () => Promise<void>): DraftForm {
  const commands = useCommands();
  const { workflowId, fields, draft, change: difference } = workflow;
  const { edits, drop, put } = useEdits(commands, workflowId);
  const { fields: elsewhere, saving, seen } = useElsewhere(fields);
  const hash = draft?.hash ?? null;
  const wanted = hash !== null || difference !== null;
  const asked = useMemo(() => (wanted ? { hash, edits } : null), [wanted, hash, edits]);
  const ask = useCallback(
    async (input: { readonly hash: string | null; readonly edits: Edits }) => {
      const pending = input.hash !== null && Object.keys(input.edits).length > 0;
      if (pending) saving(input.edits);
      const { saved, refused } = pending
        ? await save(commands, workflowId, input.edits)
        : { saved: nothing, refused: [] };
      const { errors, blockers } = await validate(commands, workflowId);
      if (Object.keys(saved).length > 0) {
        await reload();
        drop(saved);
      }
      const said = new Set(refused.map(({ field }) => field));
      return {
        refused,
        findings: { errors: [...refused, ...errors.filter(({ field }) => !said.has(field))], blockers },
      };
    },
    [commands, workflowId, reload, drop, saving],
  );
  const latest = useLatest(asked, ask);
  const change = useCallback(
    (field: string, value: Json | undefined) => {
      seen();
      const gone = value === undefined || (value === '' && optionalFields.includes(field));
      put(field, gone ? null : value);
    },
    [put, seen],
  );
  const shown = Object.entries({ ...fields, ...(draft && edits) }).filter(([, value]) => value !== null);
  return {
    values: Object.fromEntries(shown),
    findings: latest?.output.findings ?? null,
    unsaved: (latest?.output.refused ?? []).map(({ field }) => field).filter((field) => field in edits),
    saving: latest?.input !== asked,
    elsewhere,
    change,
  };
}
