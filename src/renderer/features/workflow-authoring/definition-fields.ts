import { z } from 'zod';
import type { JsonObject } from '#shared/json';
import { WorkflowDefinition } from '#shared/workflow';
import type { AuthoringNames } from '#shared/workflow-panel';
import { findText } from '../../locales/text';
import type { FieldText, Schema } from '../../ui/schema-form';

/** The schema that the form is generated from. */
export const definitionSchema: Schema = z.toJSONSchema(WorkflowDefinition, {
  io: 'input',
  unrepresentable: 'any',
});

/** Every editable field of a definition, in writing order (TUL-006 §4.2, §10.2). */
export const formSections: readonly {
  readonly section: 'start' | 'script' | 'limits' | 'end' | 'publishing';
  readonly fields: readonly string[];
}[] = [
  {
    section: 'start',
    fields: ['Title', 'Description', 'UserIntentPatterns', 'Visibility', 'AutoStart'],
  },
  { section: 'script', fields: ['RequiredInputs', 'InstructionText', 'Notes'] },
  {
    section: 'limits',
    fields: ['PermittedTools', 'RequiredApprovals', 'Preconditions', 'AllowedTransitions'],
  },
  { section: 'end', fields: ['CompletionCriteria', 'FollowUpOptions'] },
  { section: 'publishing', fields: ['Version', 'Status', 'Ddr'] },
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

/** How a field is shown, where its schema does not say it. */
type FieldLook = Pick<FieldText, 'rows' | 'mono' | 'applies'>;
const looks: Readonly<Record<string, FieldLook>> = {
  Description: { rows: 2 },
  UserIntentPatterns: { rows: 5 },
  'RequiredInputs.name': { mono: true },
  'RequiredInputs.validation': { applies: rulesOfInput },
  'RequiredInputs.validation.options': { rows: 3 },
  InstructionText: { rows: 10 },
  Notes: { rows: 3 },
  PermittedTools: { rows: 4, mono: true },
  'RequiredApprovals.tool': { mono: true },
  'Preconditions.modes': { mono: true },
  'Preconditions.entityType': { mono: true },
  'Preconditions.ddr': { mono: true },
  'Preconditions.input': { mono: true },
  'Preconditions.workflowId': { mono: true },
  'Preconditions.path': { mono: true },
  'AllowedTransitions.workflows': { mono: true },
  'AllowedTransitions.modes': { mono: true },
  'CompletionCriteria.check.tool': { mono: true },
  'CompletionCriteria.check.path': { mono: true },
  'CompletionCriteria.check.input': { mono: true },
  'CompletionCriteria.check.ddr': { mono: true },
  'FollowUpOptions.workflowId': { mono: true },
  Version: { mono: true },
  Ddr: { mono: true },
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

/** The label of a field; a field without a text shows its path. */
export const fieldLabel = (path: string): string =>
  findText(`workflowAuthoring.fields.${toName(path)}.label`) ?? path;

/** The message file has no dots inside a name. */
const toName = (path: string): string => path.replaceAll('.', '_');

/** The texts of a field by its path, with the names that exist as suggestions. */
export function fieldTexts(names: AuthoringNames): (path: string) => FieldText {
  return (path) => {
    const name = toName(path);
    const kind = namesIn[path];
    return {
      ...looks[path],
      label: fieldLabel(path),
      hint: findText(`workflowAuthoring.fields.${name}.hint`),
      none: findText(`workflowAuthoring.fields.${name}.none`),
      item: findText(`workflowAuthoring.fields.${name}.item.name`),
      add: findText(`workflowAuthoring.fields.${name}.item.add`),
      option: (value) => findText(`workflowAuthoring.fields.${name}.options.${value}`),
      suggestions: kind && names[kind],
    };
  };
}
