import type { Ddr } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { WorkflowDefinition, type WorkflowRow } from '#shared/workflow';
import type { AuthoringAnswer, FieldError } from '#shared/workflow-authoring';
import { canonicalHash } from '../../tools/canonical-hash';
import { conditionAdvice } from './check-conditions';
import { checkDefinition, type DefinitionSource } from './check-definition';
import { definitionHunks, hunksText } from './definition-text';
import {
  recordOf,
  declined,
  factsOf,
  failed,
  refused,
  writtenOf,
  type WorkflowRecord,
  type AuthoringArguments,
  type AuthoringContext,
} from './authoring-context';
import { shapeErrors } from './definition-fields';
import { asShown, changedSince } from './shown';
import { meetsMinimumVersion, requiredBump } from './version-step';
import { fieldsOf } from '../../control-plane/check-texts';

/** Errors for too small a version step, with the fields that require a larger one (TUL-006 §8.4). */
function versionErrors(row: WorkflowRow | null, after: WorkflowDefinition): readonly FieldError[] {
  if (!row) return [];
  const before = row.definition;
  const { minVersion, demands, step } = requiredBump(before, after);
  if (minVersion === null) {
    return [{ field: '', message: `There are no changes since the published version ${before.Version}.` }];
  }
  if (meetsMinimumVersion(after.Version, minVersion)) return [];
  const why = demands.filter((demand) => demand.step === step);
  return [
    {
      field: 'Version',
      message: `Version must be ${minVersion} or later; ${before.Version} is published.`,
    },
    ...why.map(({ field, because }) => ({
      field,
      message: `This change requires a ${step} version: ${because}.`,
    })),
  ];
}

/** The reasons why a design record does not allow publishing (TUL-006 §8.2); empty when it does. */
export function recordErrors(ddr: Ddr | null, id: string): readonly FieldError[] {
  const wrong = (message: string) => [{ field: 'Ddr', message }];
  if (!ddr) return wrong(`There is no design record ${id}. Create it first.`);
  if (ddr.changedSinceApproval) return wrong(`${id} was changed after its approval. Approve it again first.`);
  return ddr.status === 'approved' ? [] : wrong(`${id} is not approved. Have it approved first.`);
}

/** The remaining obstacles to publishing a valid definition, apart from the user's yes. */
function blocking(context: AuthoringContext, { row, draft }: WorkflowRecord, definition: WorkflowDefinition) {
  const step = draft ? versionErrors(row, definition) : [];
  return [...step, ...recordErrors(context.ddr(definition.Ddr), definition.Ddr)];
}

/** Parses and checks a definition, or returns all its problems. */
async function checked(
  context: AuthoringContext,
  fields: JsonObject,
  source?: DefinitionSource,
): Promise<Result<WorkflowDefinition, AuthoringAnswer>> {
  const facts = await factsOf(context);
  if (!facts.ok) return err(failed(facts.error));
  const { definition, errors } = checkDefinition(fields, facts.value, source);
  return definition ? ok(definition) : err(refused(...errors));
}

/**
 * `validate_workflow`: checks a draft's completeness and correctness, and lists the remaining obstacles to
 * publishing.
 */
export async function validateWorkflow(
  context: AuthoringContext,
  args: AuthoringArguments,
): Promise<AuthoringAnswer> {
  const found = writtenOf(context, args);
  if (!found.ok) return found.error;
  const definition = await checked(context, found.value.fields);
  return definition.ok ? validAnswer(context, found.value.record, definition.value) : definition.error;
}

/** The answer for a valid definition: the remaining obstacles to publishing, and advice. */
function validAnswer(
  context: AuthoringContext,
  record: WorkflowRecord,
  definition: WorkflowDefinition,
): AuthoringAnswer {
  const left = blocking(context, record, definition).map(
    ({ field, message }) =>
      `Before publishing: ${message.startsWith(field) ? message : `${field}: ${message}`}`,
  );
  const advice = conditionAdvice(definition).map((one) => `Consider: ${one}`);
  return { ok: true, messages: ['The definition is valid.', ...left, ...advice] };
}

/** A workflow whose draft is the definition in a file; the draft is stored nowhere. */
function withFileAsDraft(record: WorkflowRecord, fields: JsonObject): WorkflowRecord {
  const basedOn = record.row?.hash ?? null;
  const { workflowId } = record;
  return { ...record, draft: { workflowId, fields, basedOn, changedAt: 0, hash: canonicalHash(fields) } };
}

/**
 * Checks the definition in a file as `validate_workflow` checks a draft, and stores nothing. A missing design
 * record is not an error of the file, because the record may exist only where the workflow is published.
 */
export async function checkDefinitionFile(
  context: AuthoringContext,
  fields: JsonObject,
): Promise<AuthoringAnswer> {
  const definition = await checked(context, fields, 'file');
  if (!definition.ok) return definition.error;
  const found = recordOf(context, { workflowId: definition.value.WorkflowId });
  if (!found.ok) return found.error;
  if (found.value.row?.hash === canonicalHash(definition.value)) {
    return { ok: true, messages: ['The definition is valid, and it is the published one.'] };
  }
  return validAnswer(context, withFileAsDraft(found.value, fields), definition.value);
}

/** A reason is a sentence for the history. */
const maxReasonLength = 1_000;

function questionOf(row: WorkflowRow | null, definition: WorkflowDefinition) {
  const { WorkflowId: id, Version, Ddr } = definition;
  const before = row ? fieldsOf(row.definition) : null;
  const hunks = definitionHunks(before, fieldsOf(definition));
  const text = `Publish ‘${id}’ ${Version}? Your yes approves exactly this definition in ${Ddr}.`;
  return { text, detail: hunks.length > 0 ? hunksText(hunks) : 'The published definition, unchanged.' };
}

/**
 * Publishes a definition. Writes its hash into the design record first: if a later step fails, the workflow
 * halts instead of running unapproved, and the record is restored.
 */
async function publish(
  context: AuthoringContext,
  record: WorkflowRecord,
  definition: WorkflowDefinition,
  reason = '',
): Promise<AuthoringAnswer> {
  const { WorkflowId: id, Ddr, Version } = definition;
  const hash = canonicalHash(definition);
  const before = context.ddr(Ddr)?.workflows[id] ?? null;
  const recorded = await context.recordHash(Ddr, id, hash);
  if (!recorded.ok) return failed(recorded.error);
  const { row, draft } = record;
  if (draft || !row) {
    const decision = {
      by: context.userName(),
      at: context.localTime(),
      reason: reason.trim().slice(0, maxReasonLength) || `Version ${Version}`,
      ddr: Ddr,
    };
    const done = await context.store.publish(definition, row?.hash ?? null, decision);
    if (!done.ok) {
      await context.recordHash(Ddr, id, before);
      return failed(done.error);
    }
  }
  const messages = [
    `Version ${Version} is published. Open sessions use it after "reload workflows".`,
    `${Ddr} contains the hash of its definition.`,
  ];
  return { ok: true, workflow: fieldsOf(definition), messages };
}

/** The reason why there is nothing to publish; null when there is something. */
function nothingToPublish(
  context: AuthoringContext,
  { workflowId: id, row, draft }: WorkflowRecord,
): FieldError | null {
  const approved = row ? context.ddr(row.definition.Ddr)?.workflows[id] : undefined;
  if (!draft && row && approved === row.hash) {
    return { field: 'workflowId', message: `There is no draft of ‘${id}’ to publish.` };
  }
  if (draft && draft.basedOn !== (row?.hash ?? null)) {
    const message =
      'The published version changed since this draft was started. Compare the two, then discard the draft and start again.';
    return { field: 'workflowId', message };
  }
  return null;
}

/**
 * Ensures that Patina publishes exactly what it showed: draft and published version may have changed while
 * the question was open.
 */
function stillThere(
  context: AuthoringContext,
  { workflowId, row, draft }: WorkflowRecord,
): Result<WorkflowRecord, AuthoringAnswer> {
  const now = recordOf(context, { workflowId });
  if (!now.ok) return now;
  if (now.value.draft?.hash === draft?.hash && now.value.row?.hash === row?.hash) return now;
  const message = 'The draft changed in the meantime. Review it again.';
  return err(refused({ field: 'workflowId', message }));
}

/**
 * `publish_workflow` (TUL-006 §8.2, §8.4, §10.2): requires a valid draft with a sufficient version, an
 * approved design record, and the user's yes to the difference shown. Without a draft it resolves drift: the
 * user approves the published definition as it is.
 */
export async function publishWorkflow(
  context: AuthoringContext,
  args: AuthoringArguments,
): Promise<AuthoringAnswer> {
  const found = writtenOf(context, args);
  if (!found.ok) return found.error;
  const { record, fields } = found.value;
  if (args.shown && !asShown(record, args.shown)) return changedSince;
  const nothing = nothingToPublish(context, record);
  if (nothing) return refused(nothing);
  return publishReviewed(context, record, record, { fields, reason: args.reason });
}

/** Publishes `proposed` with the user's yes, if `stored` is unchanged by then. */
async function publishReviewed(
  context: AuthoringContext,
  stored: WorkflowRecord,
  proposed: WorkflowRecord,
  { fields, reason }: { readonly fields: JsonObject; readonly reason: string | undefined },
): Promise<AuthoringAnswer> {
  const definition = await checked(context, fields);
  if (!definition.ok) return definition.error;
  const left = blocking(context, proposed, definition.value);
  if (left.length > 0) return refused(...left);
  if (!(await context.consents(questionOf(proposed.row, definition.value)))) return declined;
  const now = stillThere(context, stored);
  return now.ok ? publish(context, proposed, definition.value, reason) : now.error;
}

/**
 * Publishes the definition in a file, under the same conditions as a draft (TUL-006 §8.2, §8.4). Refuses it
 * while there is a draft of the same workflow, because publishing would end that draft.
 */
export async function publishDefinitionFile(
  context: AuthoringContext,
  fields: JsonObject,
  reason: string | undefined,
): Promise<AuthoringAnswer> {
  const shape = WorkflowDefinition.safeParse(fields);
  if (!shape.success) return refused(...shapeErrors(fields));
  const found = recordOf(context, { workflowId: shape.data.WorkflowId });
  if (!found.ok) return found.error;
  const { draft, workflowId } = found.value;
  if (draft) {
    const message = `There is a draft of ‘${workflowId}’. Publish or discard it first.`;
    return refused({ field: 'WorkflowId', message });
  }
  return publishReviewed(context, found.value, withFileAsDraft(found.value, fields), { fields, reason });
}
