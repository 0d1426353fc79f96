import { type Json, type JsonObject } from '#shared/json';
import { WorkflowDefinition } from '#shared/workflow';
import type { FieldError } from '#shared/workflow-authoring';
import { didYouMean } from '../../tools/nearest-names';

/**
 * The fields that `update_workflow` may change: the twelve of TUL-006 §10.2, and five that govern a workflow
 * in Patina.
 */
const updatable = [
  'Title',
  'Description',
  'UserIntentPatterns',
  'RequiredInputs',
  'InstructionText',
  'PermittedTools',
  'CompletionCriteria',
  'FollowUpOptions',
  'Preconditions',
  'Version',
  'Status',
  'Visibility',
  'Notes',
  'AutoStart',
  'RequiredApprovals',
  'AllowedTransitions',
  'Ddr',
] as const satisfies readonly (keyof WorkflowDefinition)[];
export const updatableFields: readonly string[] = updatable;

const texts = { type: 'array', items: { type: 'string' } };
const rows = (shape: string): JsonObject => ({
  type: 'array',
  items: { type: 'object' },
  description: shape,
});

/** The shape of each field as models see it; the definition's own schema checks the values. */
export const fieldShapes = {
  Title: { type: 'string' },
  Description: { type: 'string' },
  UserIntentPatterns: { ...texts, description: 'Up to five short phrases a user would say.' },
  RequiredInputs: rows(
    '{name: "file", question, type: "text"|"number"|"boolean"|"choice"|"path"|"ddr", required: boolean, validation: {minLength?, maxLength?, min?, max?, options? (of a choice), exists? (of a path), ddrStatus?}}',
  ),
  InstructionText: { type: 'string', description: 'The steps, in order, naming the permitted tools.' },
  PermittedTools: { ...texts, description: 'Exact names, as agent_ddr_manager or mcp://project.read_text.' },
  CompletionCriteria: rows(
    '{text, check?}; check: {kind: "tool-called", tool, arguments?} | {kind: "file", path | input} | {kind: "ddr", ddr | input, statuses}. Without a check the user confirms it.',
  ),
  FollowUpOptions: rows('{text, workflowId?}'),
  Preconditions: rows(
    '{kind: "mode", modes} | {kind: "focus", entityType} | {kind: "ddr", ddr | input, statuses} | {kind: "workflow", workflowId, state?: "completed"|"active"} | {kind: "file", path | input}; each with because?',
  ),
  Version: { type: 'string', description: 'As 1.0.0.' },
  Status: { type: 'string', enum: ['active', 'deprecated', 'disabled'] },
  Visibility: { type: 'string', enum: ['public', 'hidden', 'experimental'] },
  Notes: { type: 'string' },
  AutoStart: { type: 'boolean' },
  RequiredApprovals: rows('{action, tool, when?: {argument: [values]}}'),
  AllowedTransitions: { type: 'object', description: '{workflows: [ids], modes: [keys]}' },
  Ddr: { type: 'string', description: 'Id of its design record, as WFL-001.' },
} satisfies Record<(typeof updatable)[number], JsonObject>;

/** Optional fields of a manifest; the other fields can be changed but not removed. */
const optional: readonly string[] = ['FollowUpOptions', 'Preconditions', 'Notes'];

/** A new draft: every mandatory field is present, and fields that only the author can fill in are empty. */
export function newDraft(workflowId: string): JsonObject {
  return {
    WorkflowId: workflowId,
    Title: '',
    Description: '',
    UserIntentPatterns: [],
    RequiredInputs: [],
    InstructionText: '',
    PermittedTools: [],
    CompletionCriteria: [],
    Version: '1.0.0',
    Status: 'active',
    Visibility: 'public',
    AutoStart: false,
    RequiredApprovals: [],
    AllowedTransitions: { workflows: [], modes: [] },
    Ddr: '',
  };
}

const empty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Converts a schema issue to an error of its field; `within` names a field whose value was parsed alone. */
function fieldError(issue: Issue, fields: JsonObject, within?: string): FieldError {
  const { path } = issue;
  const whole = within === undefined ? path : [within, ...path];
  const field = String(whole[0] ?? '');
  const value = fields[field];
  // An empty value of another kind is there, but wrong.
  const missing = issue.code === 'invalid_type' ? value === undefined || value === null : empty(value);
  if (missing) return { field, message: `${field} is missing.` };
  const place = whole
    .map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${String(part)}`))
    .join('');
  return { field, message: `${place.slice(1)}: ${issueWords(issue)}.` };
}

function unknownField(field: string): FieldError {
  const near = didYouMean(field, Object.keys(WorkflowDefinition.shape));
  return { field, message: `${field} is not a field of a workflow.${near ? ` ${near}` : ''}` };
}

/** The schema errors of a whole definition, one for each place: a value of another kind is not also too short. */
export function shapeErrors(fields: JsonObject): readonly FieldError[] {
  const issues = WorkflowDefinition.safeParse(fields).error?.issues ?? [];
  const seen = new Set<string>();
  return issues
    .filter(({ path }) => !seen.has(path.join('.')) && seen.add(path.join('.')))
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0
        ? issue.keys.map(unknownField)
        : [fieldError(issue, fields)],
    );
}

function removalError(field: string): FieldError | null {
  if (optional.includes(field)) return null;
  return { field, message: `${field} is mandatory and cannot be removed.` };
}

function valueError(field: (typeof updatable)[number], value: Json): FieldError | null {
  const read = WorkflowDefinition.shape[field].safeParse(value);
  const issue = read.success ? undefined : read.error.issues[0];
  return issue ? fieldError(issue, { [field]: value }, field) : null;
}

function changeError(field: string, value: Json): FieldError | null {
  const known = updatable.find((one) => one === field);
  if (known === undefined) {
    const near = didYouMean(field, updatableFields);
    return { field, message: `${field} is not a field that can be updated.${near ? ` ${near}` : ''}` };
  }
  return value === null ? removalError(field) : valueError(known, value);
}

/**
 * Applies changes to a draft (`null` removes an optional field), or returns the errors of every invalid
 * change. All or nothing.
 */
export function changedFields(
  before: JsonObject,
  changes: JsonObject,
): { readonly fields: JsonObject } | { readonly errors: readonly FieldError[] } {
  const entries = Object.entries(changes);
  const errors = entries.flatMap(([field, value]) => changeError(field, value) ?? []);
  if (entries.length === 0)
    errors.push({ field: 'fields', message: 'fields is empty: there is nothing to change.' });
  if (errors.length > 0) return { errors };
  const merged = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null);
  return { fields: Object.fromEntries(merged) };
}

/** The parts of a schema issue that our own messages use. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly origin?: unknown;
  readonly maximum?: unknown;
  readonly minimum?: unknown;
  readonly values?: unknown;
  readonly expected?: unknown;
}
const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
/** A bound of a number, or of how many entries or characters there are. */
function bound(limit: 'at most' | 'at least', count: unknown, origin: unknown): string {
  const shown = Number(count).toLocaleString('en');
  if (origin === 'number' || origin === 'int') return `must be ${limit} ${shown}`;
  const [one, many] = origin === 'array' ? ['entry', 'entries'] : ['character', 'characters'];
  return `must have ${limit} ${shown} ${count === 1 ? one : many}`;
}
/** A schema issue in plain words; messages of the definition's own rules stay as they are. */
function issueWords({ code, message, origin, maximum, minimum, values, expected }: Issue): string {
  switch (code) {
    case 'too_big':
      return bound('at most', maximum, origin);
    case 'too_small':
      return bound('at least', minimum, origin);
    case 'invalid_value':
      return Array.isArray(values) ? `must be one of ${values.map(String).join(', ')}` : message;
    case 'invalid_type':
      return `must be ${kinds[String(expected)] ?? String(expected)}`;
    default:
      return message;
  }
}
