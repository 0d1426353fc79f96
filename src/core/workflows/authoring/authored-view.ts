import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { WorkflowDefinition, WorkflowId } from '#shared/workflow';
import type {
  AuthoredWorkflow,
  AuthoringList,
  DefinitionComparison,
  WorkflowChange,
  WorkflowHistoryEntry,
} from '#shared/workflow-panel';
import type { WorkflowHistoryRow } from '../../ports/workflow-store';
import { approvalStatusOf } from '../governance';
import { blockedBecause } from '../registry-view';
import { definitionHunks } from './definition-text';
import { findRecord, type WorkflowRecord, type AuthoringDeps } from './authoring-context';
import { draftRow, publishedRow } from './draft-operations';
import { requiredBump } from './version-step';
import { fieldsOf } from '../../control-plane/check-texts';

type Deps = Pick<AuthoringDeps, 'store' | 'ddr'>;

/**
 * The reason why the published version cannot run, other than that its author disabled it; null when it can.
 */
function haltedBecause({ ddr }: Deps, row: NonNullable<WorkflowRecord['row']>): string | null {
  const approval = approvalStatusOf(row, ddr(row.definition.Ddr));
  if (approval.kind === 'approved') return null;
  const blocked = blockedBecause({ ...row, approval }) ?? '';
  return approval.kind === 'unapproved' ? `${blocked} Now ${approval.reason}.` : blocked;
}

/** All workflows and drafts in the order of their ids and all removed workflows (TUL-006 §8.9, §10.2). */
export function listAuthoring(deps: Deps): Result<AuthoringList> {
  const { store } = deps;
  const published = store.published();
  if (!published.ok) return published;
  const drafts = store.drafts();
  if (!drafts.ok) return drafts;
  const removed = store.removed();
  if (!removed.ok) return removed;
  const rows = published.value.rows.map((row) => {
    const halted = haltedBecause(deps, row);
    return { ...publishedRow(row.definition), ...(halted !== null && { halted }) };
  });
  const all = [...rows, ...drafts.value.map(draftRow)];
  return ok({
    rows: all.toSorted((a, b) => (a.workflowId < b.workflowId ? -1 : Number(a.workflowId > b.workflowId))),
    removed: removed.value.map(publishedRow),
    problems: [...published.value.problems, ...store.draftProblems()],
  });
}

const noBump = { step: 'none', demands: [], minVersion: null } as const;

/** The changes that publishing a draft would make, and the version it requires once it is complete. */
function draftChange(row: WorkflowRecord['row'], fields: JsonObject): WorkflowChange {
  const hunks = definitionHunks(row ? fieldsOf(row.definition) : null, fields);
  const parsed = WorkflowDefinition.safeParse(fields);
  if (!row || !parsed.success) return { hunks, ...noBump };
  return { hunks, ...requiredBump(row.definition, parsed.data) };
}

/**
 * What publishing the definition in a file would change; null when the file is the published definition.
 * Errors: HOST/INVALID_INPUT for a file without a valid id, HOST/STORAGE.
 */
export function compareDefinitionFile({ store }: Deps, fields: JsonObject): Result<DefinitionComparison> {
  const id = WorkflowId.safeParse(fields['WorkflowId']);
  if (!id.success) {
    const message = 'WorkflowId must be 3 to 64 lowercase letters, digits and underscores, like create_ddr.';
    return err(appError('HOST', 'INVALID_INPUT', message));
  }
  const found = findRecord(store, id.data);
  if (!found.ok) return found;
  const { row } = found.value;
  const change = draftChange(row, fields);
  return ok({
    workflowId: id.data,
    published: row?.definition.Version ?? null,
    change: change.hunks.length > 0 ? change : null,
  });
}

/** How a published definition differs from the approved one; null when it is the approved one. */
function drift({ store, ddr }: Deps, row: NonNullable<WorkflowRecord['row']>): WorkflowChange | null {
  const { definition } = row;
  const record = ddr(definition.Ddr);
  if (approvalStatusOf(row, record).kind === 'approved') return null;
  const hash = record?.workflows[definition.WorkflowId];
  const approved = hash === undefined ? ok(null) : store.definition(hash);
  const before = approved.ok && approved.value ? fieldsOf(approved.value) : null;
  return { hunks: definitionHunks(before, fieldsOf(definition)), ...noBump };
}

function changeOf(deps: Deps, { row, draft }: WorkflowRecord): WorkflowChange | null {
  if (draft) return draftChange(row, draft.fields);
  return row && drift(deps, row);
}

function entryOf(row: WorkflowHistoryRow, before: WorkflowHistoryRow | undefined): WorkflowHistoryEntry {
  const { what, definition, decision } = row;
  const fields = fieldsOf(definition);
  const hunks =
    what !== 'published' ? [] : definitionHunks(before ? fieldsOf(before.definition) : null, fields);
  return { what, version: definition.Version, ...decision, hunks, fields };
}

function publishedOf(deps: Deps, { row }: WorkflowRecord): AuthoredWorkflow['published'] {
  if (!row) return null;
  const { version, status } = publishedRow(row.definition);
  return { version, status, hash: row.hash, layer: row.layer.kind, halted: haltedBecause(deps, row) };
}

const draftOf = ({ row, draft }: WorkflowRecord): AuthoredWorkflow['draft'] =>
  draft && { hash: draft.hash, outdated: draft.basedOn !== (row?.hash ?? null) };

/** The design record that a definition names, if there is one. */
function ddrOf({ ddr }: Deps, fields: JsonObject | null): AuthoredWorkflow['ddr'] {
  const named = fields?.['Ddr'];
  const record = typeof named === 'string' ? ddr(named) : null;
  return record && { id: record.id, title: record.title, status: record.status };
}

function writtenFields({ row, draft }: WorkflowRecord): JsonObject | null {
  return draft?.fields ?? (row && fieldsOf(row.definition));
}

/** One workflow as its author sees it. Errors: HOST/NOT_FOUND, HOST/STORAGE. */
export function describeWorkflow(deps: Deps, workflowId: string): Result<AuthoredWorkflow> {
  const found = findRecord(deps.store, workflowId);
  if (!found.ok) return found;
  const history = deps.store.history(workflowId);
  if (!history.ok) return history;
  const fields = writtenFields(found.value);
  if (!fields && history.value.length === 0) {
    return err(appError('HOST', 'NOT_FOUND', `Unknown workflow ‘${workflowId}’.`));
  }
  return ok({
    workflowId,
    fields,
    draft: draftOf(found.value),
    published: publishedOf(deps, found.value),
    change: changeOf(deps, found.value),
    ddr: ddrOf(deps, fields),
    history: history.value.map((one, at) => entryOf(one, history.value[at - 1])).toReversed(),
  });
}
