import type { JsonObject } from '#shared/json';
import type { WorkflowDefinition } from '#shared/workflow';
import type { WorkflowDraft } from '../../ports/workflow-store';
import type { AuthoringAnswer, AuthoringRow, FieldError } from '#shared/workflow-authoring';
import { changedFields, newDraft } from './definition-fields';
import { definitionHunks, hunksText } from './definition-text';
import {
  declined,
  failed,
  recordOf,
  refused,
  writtenOf,
  type WorkflowRecord,
  type AuthoringArguments,
  type AuthoringContext,
} from './authoring-context';
import { withRequiredVersion } from './version-step';
import { fieldsOf } from '../../control-plane/check-texts';

const detailOf = (before: JsonObject | null, after: JsonObject): string =>
  hunksText(definitionHunks(before, after));

async function write(
  context: AuthoringContext,
  { workflowId, row, draft }: WorkflowRecord,
  fields: JsonObject,
): Promise<AuthoringAnswer> {
  const basedOn = draft ? draft.basedOn : (row?.hash ?? null);
  const written = await context.store.writeDraft({ workflowId, fields, basedOn }, draft?.hash ?? null);
  return written.ok ? { ok: true, workflow: written.value.fields } : failed(written.error);
}

const wordsOf = ({ title = '', description = '' }: AuthoringArguments): JsonObject => ({
  Title: title.trim(),
  Description: description.trim(),
});

/** Errors for a missing title or description. */
function missingWords({ title, description }: AuthoringArguments): readonly FieldError[] {
  const texts = { title, description };
  return Object.entries(texts)
    .filter(([, text]) => text === undefined || text.trim() === '')
    .map(([field]) => ({ field, message: `${field} is missing.` }));
}

/**
 * `draft_workflow`: drafts a new workflow or the next version of a published one. A draft is only a document,
 * so nothing can start it.
 */
export async function draftWorkflow(
  context: AuthoringContext,
  args: AuthoringArguments,
): Promise<AuthoringAnswer> {
  const found = recordOf(context, args);
  if (!found.ok) return found.error;
  const missing = missingWords(args);
  if (missing.length > 0) return refused(...missing);
  const { workflowId: id, row, draft } = found.value;
  if (draft) {
    const message = `A draft of ‘${id}’ already exists. Change it with update_workflow.`;
    return refused({ field: 'workflowId', message });
  }
  const begun = row ? fieldsOf(row.definition) : newDraft(id);
  const changed = changedFields(begun, wordsOf(args));
  if ('errors' in changed) return refused(...changed.errors);
  const what = row ? `a new version of ‘${id}’` : `the new workflow ‘${id}’`;
  const question = {
    text: `Draft ${what}? It cannot run before you publish it.`,
    detail: detailOf(row ? begun : null, changed.fields),
  };
  if (!(await context.consentsToDraft(id, question))) return declined;
  const next = withRequiredVersion(row?.definition, changed.fields, {});
  const written = await write(context, found.value, next);
  return withMessage(
    written,
    row ? `This draft is based on version ${row.definition.Version}.` : 'This is a draft.',
  );
}

function withMessage(answer: AuthoringAnswer, ...messages: readonly string[]): AuthoringAnswer {
  return answer.ok ? { ...answer, messages } : answer;
}

function sourceWords({ row, draft }: WorkflowRecord): string {
  if (!draft) return 'This is the published definition.';
  return row
    ? `This is a draft; version ${row.definition.Version} is published.`
    : 'This is a draft; no version is published.';
}

/** `get_workflow`: returns the draft if there is one, otherwise the published definition. */
export function getWorkflow(context: AuthoringContext, args: AuthoringArguments): AuthoringAnswer {
  const found = writtenOf(context, args);
  if (!found.ok) return found.error;
  return { ok: true, workflow: found.value.fields, messages: [sourceWords(found.value.record)] };
}

/**
 * `update_workflow`: changes a draft. For a published workflow it starts a new draft and leaves the published
 * version unchanged.
 */
export async function updateWorkflow(
  context: AuthoringContext,
  args: AuthoringArguments,
): Promise<AuthoringAnswer> {
  const found = writtenOf(context, args);
  if (!found.ok) return found.error;
  if (args.fields === undefined) return refused({ field: 'fields', message: 'fields is missing.' });
  const { record, fields } = found.value;
  const changed = changedFields(fields, args.fields);
  if ('errors' in changed) return refused(...changed.errors);
  const question = {
    text: `Let the model change the draft of ‘${record.workflowId}’? The published version does not change.`,
    detail: detailOf(fields, changed.fields),
  };
  if (!(await context.consentsToDraft(record.workflowId, question))) return declined;
  const next = withRequiredVersion(record.row?.definition, changed.fields, args.fields);
  const written = await write(context, record, next);
  const version = text(next['Version']);
  return withMessage(
    written,
    'The draft was changed. Call validate_workflow before you publish it.',
    ...(version === changed.fields['Version']
      ? []
      : [`Its version is now ${version}, as the change requires.`]),
  );
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A published workflow as a row of the authoring list. */
export const publishedRow = (one: WorkflowDefinition): AuthoringRow => ({
  workflowId: one.WorkflowId,
  title: one.Title,
  status: one.Status === 'active' ? 'published' : one.Status,
  version: one.Version,
  visibility: one.Visibility,
});

/** A draft as a row of the authoring list, as far as it is complete. */
export const draftRow = ({ workflowId, fields }: WorkflowDraft): AuthoringRow => ({
  workflowId,
  title: text(fields['Title']),
  status: 'draft',
  version: text(fields['Version']),
  visibility: text(fields['Visibility']),
});

/** `list_authoring_workflows`: lists all published workflows and all drafts in the order of their ids. */
export function listWorkflows({ store }: AuthoringContext): AuthoringAnswer {
  const published = store.published();
  if (!published.ok) return failed(published.error);
  const drafts = store.drafts();
  if (!drafts.ok) return failed(drafts.error);
  const rows: readonly AuthoringRow[] = [
    ...published.value.rows.map(({ definition }) => publishedRow(definition)),
    ...drafts.value.map(draftRow),
  ];
  const unread = store.draftProblems().map(({ file, field, reason }) => {
    const place = `${file.split(/[\\/]/).at(-1) ?? ''}${field && `, ${field}`}`;
    return `A draft cannot be read: ${place}: ${reason}`;
  });
  return {
    ok: true,
    workflows: rows.toSorted((a, b) => (a.workflowId < b.workflowId ? -1 : 1)),
    ...(unread.length > 0 && { messages: unread }),
  };
}
