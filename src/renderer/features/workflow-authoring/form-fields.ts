import type { JsonObject } from '#shared/json';
import type { GroupShape, Part, Variant } from './form-parts';

const ddrStatuses = {
  kind: 'lines',
  name: 'statuses',
  label: 'Statuses it may have, one a line',
  hint: 'draft, in_review, approved or deprecated',
  rows: 2,
  mono: true,
} as const;
const because: Part = { kind: 'line', name: 'because', label: 'Told when it does not hold' };
const input: Part = { kind: 'line', name: 'input', label: 'Or the input that names it', mono: true };
const path: Part = { kind: 'line', name: 'path', label: 'Path below the project folder', mono: true };
const ddr: Part = { kind: 'line', name: 'ddr', label: 'Design record', mono: true };

const preconditions: readonly Variant[] = [
  {
    kind: 'mode',
    label: 'The mode is',
    blank: { kind: 'mode', modes: [] },
    parts: [
      { kind: 'lines', name: 'modes', label: 'Modes, one a line', rows: 2, mono: true, add: 'modes' },
      because,
    ],
  },
  {
    kind: 'focus',
    label: 'The focus is a',
    blank: { kind: 'focus', entityType: '' },
    parts: [{ kind: 'line', name: 'entityType', label: 'Kind of entity', mono: true }, because],
  },
  {
    kind: 'ddr',
    label: 'A design record has a status',
    blank: { kind: 'ddr', statuses: ['approved'] },
    parts: [ddr, input, ddrStatuses, because],
  },
  {
    kind: 'workflow',
    label: 'Another workflow was completed or is running',
    blank: { kind: 'workflow', workflowId: '', state: 'completed' },
    parts: [
      { kind: 'line', name: 'workflowId', label: 'Workflow', mono: true, suggest: 'workflows' },
      {
        kind: 'choice',
        name: 'state',
        label: 'What it has to be',
        options: [
          ['completed', 'Completed in this session'],
          ['active', 'Running: this one takes over from it'],
        ],
        hint: 'A running workflow also has to name this one in its AllowedTransitions',
      },
      because,
    ],
  },
  {
    kind: 'file',
    label: 'A file is there',
    blank: { kind: 'file', path: '' },
    parts: [path, input, because],
  },
];

const checks: readonly Variant[] = [
  {
    kind: 'tool-called',
    label: 'A tool was called',
    blank: { kind: 'tool-called', tool: '' },
    parts: [
      { kind: 'line', name: 'tool', label: 'Tool', mono: true, suggest: 'tools' },
      {
        kind: 'pairs',
        name: 'arguments',
        label: 'With these arguments',
        single: true,
        hint: 'One a line: operation: create_ddr',
      },
    ],
  },
  { kind: 'file', label: 'A file is there', blank: { kind: 'file' }, parts: [path, input] },
  {
    kind: 'ddr',
    label: 'A design record has a status',
    blank: { kind: 'ddr', statuses: ['approved'] },
    parts: [ddr, input, ddrStatuses],
  },
];

const lengths: readonly Part[] = [
  { kind: 'number', name: 'minLength', label: 'Shortest' },
  { kind: 'number', name: 'maxLength', label: 'Longest' },
];
const rulesByType: Readonly<Record<string, readonly Part[]>> = {
  text: lengths,
  number: [
    { kind: 'number', name: 'min', label: 'From' },
    { kind: 'number', name: 'max', label: 'To' },
  ],
  boolean: [],
  choice: [{ kind: 'lines', name: 'options', label: 'Answers there are, one a line', rows: 3 }],
  path: [{ kind: 'switch', name: 'exists', label: 'It must be there' }],
  ddr: [{ ...ddrStatuses, name: 'ddrStatus' }],
};

function inputShape({ type }: JsonObject): GroupShape {
  const rules = rulesByType[typeof type === 'string' ? type : 'text'] ?? [];
  return {
    parts: [
      { kind: 'line', name: 'name', label: 'Name', mono: true },
      {
        kind: 'choice',
        name: 'type',
        label: 'Type',
        options: [
          ['text', 'Text'],
          ['number', 'Number'],
          ['boolean', 'Yes or no'],
          ['choice', 'One of a list'],
          ['path', 'Path in the project'],
          ['ddr', 'Design record'],
        ],
      },
      { kind: 'line', name: 'question', label: 'Question' },
      { kind: 'switch', name: 'required', label: 'Needs an answer' },
      ...(rules.length > 0
        ? [{ kind: 'group', name: 'validation', label: 'Rules', shape: { parts: rules } } as const]
        : []),
    ],
  };
}

const recognised: readonly Part[] = [
  { kind: 'line', name: 'Title', label: 'Title' },
  { kind: 'text', name: 'Description', label: 'Description', hint: 'One or two sentences.', rows: 2 },
  {
    kind: 'lines',
    name: 'UserIntentPatterns',
    label: 'Sentences that start it, one a line',
    rows: 5,
    hint: 'As a user would say them. Try them under “Try sentences”.',
  },
  {
    kind: 'choice',
    name: 'Visibility',
    label: 'Visibility',
    options: [
      ['public', 'Public'],
      ['experimental', 'Experimental: the user confirms each start'],
      ['hidden', 'Hidden: only by its exact id'],
    ],
  },
  { kind: 'switch', name: 'AutoStart', label: 'A model may start it without asking' },
];

const script: readonly Part[] = [
  {
    kind: 'rows',
    name: 'RequiredInputs',
    label: 'What it asks for first',
    noun: 'input',
    blank: { name: '', question: '', type: 'text', required: true, validation: {} },
    shapeOf: inputShape,
  },
  {
    kind: 'text',
    name: 'InstructionText',
    label: 'Instructions',
    rows: 10,
    hint: 'The model gets this text word for word.',
  },
  { kind: 'text', name: 'Notes', label: 'Notes', rows: 3 },
];

const bounds: readonly Part[] = [
  {
    kind: 'lines',
    name: 'PermittedTools',
    label: 'Permitted tools, one a line',
    rows: 4,
    mono: true,
    add: 'tools',
    hint: 'Exact names. Everything else is refused while it runs.',
  },
  {
    kind: 'rows',
    name: 'RequiredApprovals',
    label: 'Calls that need an approval',
    noun: 'approval',
    blank: { action: '', tool: '' },
    shapeOf: () => ({
      parts: [
        { kind: 'line', name: 'tool', label: 'Tool', mono: true, suggest: 'tools' },
        { kind: 'line', name: 'action', label: 'What happens' },
        {
          kind: 'pairs',
          name: 'when',
          label: 'Only calls with',
          hint: 'One a line: operation: create_ddr, set_goal. Empty: every call.',
        },
      ],
    }),
  },
  {
    kind: 'rows',
    name: 'Preconditions',
    label: 'What must hold before',
    noun: 'precondition',
    blank: { kind: 'mode', modes: [] },
    shapeOf: () => ({ parts: [], variants: { label: 'It holds when', options: preconditions } }),
  },
  {
    kind: 'group',
    name: 'AllowedTransitions',
    label: 'What may happen while it runs',
    shape: {
      parts: [
        {
          kind: 'lines',
          name: 'workflows',
          label: 'Workflows that may take over',
          rows: 2,
          mono: true,
          add: 'workflows',
        },
        {
          kind: 'lines',
          name: 'modes',
          label: 'Modes it may change to',
          rows: 2,
          mono: true,
          add: 'modes',
        },
      ],
    },
  },
];

const ending: readonly Part[] = [
  {
    kind: 'rows',
    name: 'CompletionCriteria',
    label: 'How one sees that it is finished',
    noun: 'criterion',
    blank: { text: '' },
    shapeOf: () => ({
      parts: [
        { kind: 'line', name: 'text', label: 'Criterion' },
        {
          kind: 'group',
          name: 'check',
          label: 'How it is seen',
          shape: { parts: [], variants: { label: 'Seen by', none: 'The user confirms it', options: checks } },
        },
      ],
    }),
  },
  {
    kind: 'rows',
    name: 'FollowUpOptions',
    label: 'What could come next',
    noun: 'follow-up',
    blank: { text: '' },
    shapeOf: () => ({
      parts: [
        { kind: 'line', name: 'text', label: 'Suggestion' },
        { kind: 'line', name: 'workflowId', label: 'Workflow', mono: true, suggest: 'workflows' },
      ],
    }),
  },
];

const governance: readonly Part[] = [
  { kind: 'line', name: 'Version', label: 'Version', mono: true },
  {
    kind: 'choice',
    name: 'Status',
    label: 'Status',
    options: [
      ['active', 'Active'],
      ['deprecated', 'Deprecated: runs, with a warning'],
      ['disabled', 'Disabled: does not run'],
    ],
  },
  {
    kind: 'line',
    name: 'Ddr',
    label: 'Design record',
    mono: true,
    hint: 'It must be approved before anything is published.',
  },
];

/** Every editable field of a definition, in writing order (TUL-006 §4.2, §10.2). */
export const formSections: readonly { readonly title: string; readonly parts: readonly Part[] }[] = [
  { title: 'How it is recognised', parts: recognised },
  { title: 'What the model does', parts: script },
  { title: 'What it may do', parts: bounds },
  { title: 'How it ends', parts: ending },
  { title: 'Who stands for it', parts: governance },
];

/** Optional fields of a manifest: clearing one removes it. */
export const optionalFields: readonly string[] = ['FollowUpOptions', 'Preconditions', 'Notes'];
