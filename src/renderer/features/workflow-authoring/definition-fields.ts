import { z } from 'zod';
import type { JsonObject } from '#shared/json';
import { WorkflowDefinition } from '#shared/workflow';
import type { AuthoringNames } from '#shared/workflow-panel';
import type { FieldText, Schema } from '../../ui/schema-form';

/** The schema that the form is generated from. */
export const definitionSchema: Schema = z.toJSONSchema(WorkflowDefinition, {
  io: 'input',
  unrepresentable: 'any',
});

/** Every editable field of a definition, in writing order (TUL-006 §4.2, §10.2). */
export const formSections: readonly { readonly title: string; readonly fields: readonly string[] }[] = [
  {
    title: 'When it starts',
    fields: ['Title', 'Description', 'UserIntentPatterns', 'Visibility', 'AutoStart'],
  },
  { title: 'What the model does', fields: ['RequiredInputs', 'InstructionText', 'Notes'] },
  {
    title: 'What it may do',
    fields: ['PermittedTools', 'RequiredApprovals', 'Preconditions', 'AllowedTransitions'],
  },
  { title: 'How it ends', fields: ['CompletionCriteria', 'FollowUpOptions'] },
  { title: 'Publishing', fields: ['Version', 'Status', 'Ddr'] },
];

/** Optional fields of a manifest: clearing one removes it. */
export const optionalFields: readonly string[] = ['FollowUpOptions', 'Preconditions', 'Notes'];

/** The rules that an answer of each type can have. */
const rulesOf: Readonly<Record<string, readonly string[]>> = {
  text: ['minLength', 'maxLength'],
  number: ['min', 'max'],
  boolean: [],
  choice: ['options'],
  path: ['exists'],
  ddr: ['ddrStatus'],
};
const rulesOfInput = ({ type }: JsonObject): readonly string[] =>
  rulesOf[typeof type === 'string' ? type : 'text'] ?? [];

const ddrStatuses: FieldText = {
  label: 'Allowed statuses',
  options: { draft: 'Draft', in_review: 'In review', approved: 'Approved', deprecated: 'Deprecated' },
};
const because: FieldText = { label: 'Error message' };
const path: FieldText = { label: 'Path below the project folder', mono: true };
const input: FieldText = { label: 'Or the input that names it', mono: true };
const ddr: FieldText = { label: 'Design record', mono: true };

const texts: Readonly<Record<string, FieldText>> = {
  Title: { label: 'Title' },
  Description: { label: 'Description', hint: 'One or two sentences.', rows: 2 },
  UserIntentPatterns: {
    label: 'Phrases that start it',
    hint: 'One per line, as a user would say them. Test them under “Test phrases”.',
    rows: 5,
  },
  Visibility: {
    label: 'Visibility',
    options: {
      public: 'Public',
      experimental: 'Experimental: the user confirms every start',
      hidden: 'Hidden: starts only by its exact id',
    },
  },
  AutoStart: { label: 'A model may start it without asking' },

  RequiredInputs: { label: 'Questions at the start', item: { name: 'input', add: 'Add an input' } },
  'RequiredInputs.name': { label: 'Name', mono: true },
  'RequiredInputs.question': { label: 'Question' },
  'RequiredInputs.type': {
    label: 'Type',
    options: {
      text: 'Text',
      number: 'Number',
      boolean: 'Yes or no',
      choice: 'One of a list',
      path: 'Path in the project',
      ddr: 'Design record',
    },
  },
  'RequiredInputs.required': { label: 'Required' },
  'RequiredInputs.validation': { label: 'Rules', applies: rulesOfInput },
  'RequiredInputs.validation.minLength': { label: 'Minimum length' },
  'RequiredInputs.validation.maxLength': { label: 'Maximum length' },
  'RequiredInputs.validation.min': { label: 'Minimum' },
  'RequiredInputs.validation.max': { label: 'Maximum' },
  'RequiredInputs.validation.options': { label: 'Options', hint: 'One per line.', rows: 3 },
  'RequiredInputs.validation.exists': { label: 'The path must exist' },
  'RequiredInputs.validation.ddrStatus': ddrStatuses,
  InstructionText: { label: 'Instructions', hint: 'The model gets this text unchanged.', rows: 10 },
  Notes: { label: 'Notes', hint: 'The model gets them after the instructions.', rows: 3 },

  PermittedTools: {
    label: 'Permitted tools',
    hint: 'Exact names, one per line. Every other tool is refused while the workflow runs.',
    rows: 4,
    mono: true,
  },
  RequiredApprovals: {
    label: 'Calls that need your approval',
    item: { name: 'approval', add: 'Add an approval' },
  },
  'RequiredApprovals.tool': { label: 'Tool', mono: true },
  'RequiredApprovals.action': { label: 'What the call does' },
  'RequiredApprovals.when': {
    label: 'Only calls with these arguments',
    hint: 'One per line: operation: create_ddr, set_goal. Empty: every call.',
  },
  Preconditions: { label: 'Preconditions', item: { name: 'precondition', add: 'Add a precondition' } },
  'Preconditions.kind': {
    label: 'Requires',
    options: {
      mode: 'One of these modes',
      focus: 'A kind of item to work on',
      ddr: 'A design record with a status',
      workflow: 'Another workflow, completed or running',
      file: 'A file that exists',
    },
  },
  'Preconditions.modes': { label: 'Modes', hint: 'One per line.', rows: 2, mono: true },
  'Preconditions.entityType': { label: 'Kind of item', mono: true },
  'Preconditions.ddr': ddr,
  'Preconditions.input': input,
  'Preconditions.statuses': ddrStatuses,
  'Preconditions.workflowId': { label: 'Workflow', mono: true },
  'Preconditions.state': {
    label: 'Required state',
    hint: 'A running workflow must also allow the switch to this one.',
    options: {
      completed: 'Completed in this session',
      active: 'Running; this workflow takes over from it',
    },
  },
  'Preconditions.path': path,
  'Preconditions.because': because,
  AllowedTransitions: { label: 'Allowed switches while it runs' },
  'AllowedTransitions.workflows': {
    label: 'To these workflows',
    hint: 'One per line.',
    rows: 2,
    mono: true,
  },
  'AllowedTransitions.modes': { label: 'To these modes', hint: 'One per line.', rows: 2, mono: true },

  CompletionCriteria: {
    label: 'Completion criteria',
    item: { name: 'criterion', add: 'Add a criterion' },
  },
  'CompletionCriteria.text': { label: 'Criterion' },
  'CompletionCriteria.check': { label: 'Check', none: 'The user confirms it' },
  'CompletionCriteria.check.kind': {
    label: 'Checked by',
    options: {
      'tool-called': 'A successful tool call',
      file: 'A file that exists',
      ddr: 'A design record with a status',
    },
  },
  'CompletionCriteria.check.tool': { label: 'Tool', mono: true },
  'CompletionCriteria.check.arguments': {
    label: 'With these arguments',
    hint: 'One per line: operation: create_ddr',
  },
  'CompletionCriteria.check.path': path,
  'CompletionCriteria.check.input': input,
  'CompletionCriteria.check.ddr': ddr,
  'CompletionCriteria.check.statuses': ddrStatuses,
  FollowUpOptions: { label: 'Suggested next steps', item: { name: 'suggestion', add: 'Add a suggestion' } },
  'FollowUpOptions.text': { label: 'Suggestion' },
  'FollowUpOptions.workflowId': { label: 'Workflow', mono: true },

  Version: { label: 'Version', mono: true },
  Status: {
    label: 'Status',
    options: {
      active: 'Active',
      deprecated: 'Deprecated: runs with a warning',
      disabled: 'Disabled: does not run',
    },
  },
  Ddr: {
    label: 'Design record',
    hint: 'It must be approved before the workflow can be published.',
    mono: true,
  },
};

/** Fields that name a tool, a workflow or a mode. */
const namesIn: Readonly<Record<string, keyof AuthoringNames>> = {
  PermittedTools: 'tools',
  'RequiredApprovals.tool': 'tools',
  'CompletionCriteria.check.tool': 'tools',
  'Preconditions.workflowId': 'workflows',
  'AllowedTransitions.workflows': 'workflows',
  'FollowUpOptions.workflowId': 'workflows',
  'Preconditions.modes': 'modes',
  'AllowedTransitions.modes': 'modes',
};

/** The label of a field of the definition; a field without one shows its name. */
export const fieldLabel = (field: string): string => texts[field]?.label ?? field;

/** The texts of every field, with the names that exist as suggestions. */
export const fieldTexts =
  (names: AuthoringNames) =>
  (path: string): FieldText => {
    const kind = namesIn[path];
    const text = texts[path] ?? { label: path };
    return kind === undefined ? text : { ...text, suggestions: names[kind] };
  };
