import type { z } from 'zod';
import type { DdrApproval } from '#shared/ddr';
import type { Json } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { DdrStore } from '../ports/ddr-store';
import type { BuiltInToolContext } from '../ports/built-in-tool';
import { changeDocument, type Change, type Changed } from './change-document';
import type { DdrDocument } from './document';
import type { Library } from './library';
import { refuse, refuseFailure, type Refusal } from './refusal';

/** A question to the user: what a model wants to have approved or removed. */
export interface DdrQuestion {
  readonly text: string;
  /** The content in question, as data. */
  readonly detail: string;
}

/** The dependencies of an operation. */
export interface OperationContext {
  readonly library: Library;
  readonly store: DdrStore;
  /** The user's name, and the local time with its offset from UTC. */
  readonly approval: () => DdrApproval;
  /** Whether the user consents: a user's own call implies consent, a model's call asks. */
  readonly consents: (question: DdrQuestion) => Promise<boolean>;
}

export type Answer = Result<Json, Refusal>;

/**
 * A row of the operation table: a one-line description for the model, and the implementation,
 * which checks its payload.
 */
export interface Operation {
  readonly usage: string;
  readonly run: (payload: unknown, context: OperationContext) => Promise<Answer>;
}

/** The first problem of a payload, with its field name. */
function wrongPayload(name: string, { issues }: z.ZodError): Answer {
  const [issue] = issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : null;
  if (unknown !== null) return refuse('invalid_payload', `${name}: payload has no field "${unknown}".`);
  const field = ['payload', ...(issue?.path ?? [])].map(String).join('.');
  return refuse('invalid_payload', `${name}: ${field}: ${issue?.message ?? 'is not valid'}.`);
}

interface OperationRow<S extends z.ZodType> {
  readonly name: string;
  readonly usage: string;
  readonly payload: S;
  readonly run: (payload: z.output<S>, context: OperationContext) => Promise<Answer> | Answer;
}

/** Wraps a row so that its payload is checked before it runs. */
export function operation<S extends z.ZodType>(row: OperationRow<S>): readonly [string, Operation] {
  return [
    row.name,
    {
      usage: row.usage,
      run: async (payload, context) => {
        const read = row.payload.safeParse(payload);
        return read.success ? row.run(read.data, context) : wrongPayload(row.name, read.error);
      },
    },
  ];
}

/**
 * An edit: its change, the question that a model's call asks first, and results returned besides the summary.
 */
export interface Edit {
  readonly change: Change;
  readonly question?: DdrQuestion;
  readonly extraResult?: (after: DdrDocument) => Json;
}

export interface EditRules {
  /** Whether this edit may change a deprecated document. */
  readonly deprecatedToo?: boolean;
}

function noteOf(reverted: readonly string[]): string | null {
  if (reverted.length === 0) return null;
  const are = reverted.length === 1 ? 'is a draft again and needs' : 'are drafts again and need';
  return `${reverted.join(', ')} ${are} a new approval, because the text changed.`;
}

async function store(
  context: OperationContext,
  before: DdrDocument,
  after: DdrDocument,
): Promise<Result<null, Refusal>> {
  const { text, origin, file } = before.stored;
  if (after.stored.text === text) return ok(null);
  const wasApproved = before.ddr.status === 'approved' ? text : null;
  const written = await context.store.write({
    id: after.ddr.id,
    file: origin === 'home' ? file : null,
    text: after.stored.text,
    expected: origin === 'home' ? text : null,
    previous: text,
    approved: after.ddr.status === 'approved' ? after.stored.text : wasApproved,
  });
  return written.ok ? ok(null) : refuseFailure(written.error);
}

function found(
  context: OperationContext,
  id: string,
  { deprecatedToo }: EditRules,
): Result<DdrDocument, Refusal> {
  const document = context.library.find(id);
  if (!document.ok || deprecatedToo || document.value.known.status !== 'deprecated') return document;
  return refuse('conflict', `${id} is deprecated. Set its status to draft before you change it.`);
}

/** The document as it would be written. */
function changed(before: DdrDocument, edit: Edit): Result<Changed, Refusal> {
  const after = changeDocument(before, edit.change);
  if (after.ok) return after;
  const { field, reason } = after.error;
  return refuse('conflict', `${before.stored.file}${field && `, ${field}`}: ${reason}`);
}

async function requireConsent(context: OperationContext, { question }: Edit): Promise<Result<null, Refusal>> {
  if (!question || (await context.consents(question))) return ok(null);
  return refuse('approval_required', `Only the user decides this, and did not say yes: ${question.text}`);
}

function answer({ document, reverted }: Changed, { extraResult }: Edit): Answer {
  const {
    goal: _goal,
    chapters: _chapters,
    markdown: _markdown,
    workflows: _workflows,
    ...ddr
  } = document.ddr;
  return ok({
    ddr,
    note: noteOf(reverted),
    ...(extraResult?.(document) as Record<string, Json> | undefined),
  });
}

/**
 * Changes one document. The question covers exactly the text that is then written; if the document
 * changes while the user decides, the result is a conflict. Returns `{ddr, note, …}`; `note` lists
 * what became a draft again.
 */
export async function editDocument(
  context: OperationContext,
  id: string,
  plan: (document: DdrDocument) => Result<Edit, Refusal>,
  rules: EditRules = {},
): Promise<Answer> {
  const before = found(context, id, rules);
  if (!before.ok) return before;
  const edit = plan(before.value);
  if (!edit.ok) return edit;
  const after = changed(before.value, edit.value);
  if (!after.ok) return after;
  const consent = await requireConsent(context, edit.value);
  if (!consent.ok) return consent;
  const written = await store(context, before.value, after.value.document);
  return written.ok ? answer(after.value, edit.value) : written;
}

/** Asks the user a question of an operation, in the context of its call. */
export type AskUser = (question: DdrQuestion, context: BuiltInToolContext) => Promise<boolean>;
