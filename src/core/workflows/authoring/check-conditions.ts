import type {
  CompletionCheck,
  WorkflowDefinition,
  WorkflowInput,
  WorkflowPrecondition,
} from '#shared/workflow';
import type { FieldError } from '#shared/workflow-authoring';
import type { AuthoringFacts } from './authoring-facts';

/** The validation rules that fit each input type. */
const rulesOf: Readonly<Record<WorkflowInput['type'], readonly string[]>> = {
  text: ['minLength', 'maxLength'],
  number: ['min', 'max'],
  boolean: [],
  choice: ['options'],
  path: ['exists'],
  ddr: ['ddrStatus'],
};

const beyond = (min: number | undefined, max: number | undefined): boolean =>
  min !== undefined && max !== undefined && min > max;

function inputErrors({ name, type, validation }: WorkflowInput): readonly string[] {
  const foreign = Object.keys(validation).filter((rule) => !rulesOf[type].includes(rule));
  return [
    ...foreign.map((rule) => `${name}: ${rule} does not fit an input of type ${type}.`),
    ...(type === 'choice' && !validation.options ? [`${name}: a choice needs options.`] : []),
    ...(beyond(validation.minLength, validation.maxLength) || beyond(validation.min, validation.max)
      ? [`${name}: its minimum is above its maximum, so no answer is valid.`]
      : []),
  ];
}

function checkInputs({ RequiredInputs }: WorkflowDefinition): readonly FieldError[] {
  const names = RequiredInputs.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return [...twice.map((name) => `${name} is declared twice.`), ...RequiredInputs.flatMap(inputErrors)].map(
    (message) => ({ field: 'RequiredInputs', message }),
  );
}

interface Target {
  readonly fixed: string | undefined;
  readonly input: string | undefined;
  readonly type: 'ddr' | 'path';
}

function targetOf(row: WorkflowPrecondition | CompletionCheck): Target | null {
  if (row.kind === 'ddr') return { fixed: row.ddr, input: row.input, type: 'ddr' };
  return row.kind === 'file' ? { fixed: row.path, input: row.input, type: 'path' } : null;
}

/** A row must name its target exactly once: directly, or by an input that will have an answer. */
function targetErrors(target: Target, inputs: readonly WorkflowInput[]): readonly string[] {
  const { fixed, input, type } = target;
  if ((fixed === undefined) === (input === undefined)) {
    return [`a row of kind ${type === 'ddr' ? 'ddr' : 'file'} must name either ${type} or input.`];
  }
  if (input === undefined) return [];
  const found = inputs.find(({ name }) => name === input);
  if (!found) return [`there is no input ${input}.`];
  return found.type === type ? [] : [`the input ${input} is not of type ${type}.`];
}

function modeErrors(definition: WorkflowDefinition, { modes }: AuthoringFacts): readonly string[] {
  const known = modes.map(({ key }) => key);
  const rows = (definition.Preconditions ?? []).flatMap((row) => (row.kind === 'mode' ? [row.modes] : []));
  const unknown = rows.flat().filter((mode) => !known.includes(mode));
  if (unknown.length > 0) return unknown.map((mode) => `There is no mode ${mode}.`);
  const possible = known.some((mode) => rows.every((row) => row.includes(mode)));
  return rows.length > 0 && !possible ? ['No mode meets all of its rows of kind mode.'] : [];
}

function statusErrors({ Preconditions = [] }: WorkflowDefinition): readonly string[] {
  const rows = Preconditions.flatMap((row) => (row.kind === 'ddr' ? [row] : []));
  const targets = [...new Set(rows.map(targetName))];
  return targets.flatMap((target) => {
    const [first = [], ...rest] = rows
      .filter((row) => targetName(row) === target)
      .map(({ statuses }) => statuses);
    const possible = first.some((status) => rest.every((statuses) => statuses.includes(status)));
    return possible ? [] : [`${target} cannot meet all of its rows: they require different statuses.`];
  });
}

const targetName = (row: {
  readonly ddr?: string | undefined;
  readonly input?: string | undefined;
}): string => row.ddr ?? `the input ${row.input ?? ''}`;

/**
 * A workflow that must be running has to let this one take over, or this one can never start (TUL-006 §7.5).
 */
function workflowErrors(
  { workflowId, state }: Extract<WorkflowPrecondition, { kind: 'workflow' }>,
  own: string,
  { published }: AuthoringFacts,
): readonly string[] {
  const named = published.find((one) => one.WorkflowId === workflowId);
  if (!named) return [`there is no workflow ‘${workflowId}’.`];
  if (state !== 'active' || named.AllowedTransitions.workflows.includes(own)) return [];
  return [
    `‘${workflowId}’ does not let ‘${own}’ take over: add it to the AllowedTransitions of that workflow.`,
  ];
}

function checkPreconditions(definition: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  const { Preconditions = [], RequiredInputs, WorkflowId } = definition;
  const rows = Preconditions.flatMap((row, index) => {
    const target = targetOf(row);
    const errors = target ? [...targetErrors(target, RequiredInputs)] : [];
    if (row.kind === 'workflow' && row.workflowId === WorkflowId) errors.push('it depends on itself.');
    else if (row.kind === 'workflow') errors.push(...workflowErrors(row, WorkflowId, facts));
    return errors.map((error) => `[${index + 1}]: ${error}`);
  });
  return [...rows, ...modeErrors(definition, facts), ...statusErrors(definition)].map((message) => ({
    field: 'Preconditions',
    message,
  }));
}

/** A criterion that no session can meet would keep its workflow open permanently. */
function checkCompletion({ CompletionCriteria, RequiredInputs }: WorkflowDefinition): readonly FieldError[] {
  return CompletionCriteria.flatMap(({ text, check }) => {
    const target = check ? targetOf(check) : null;
    if (!target) return [];
    const errors = [...targetErrors(target, RequiredInputs)];
    const input = RequiredInputs.find(({ name }) => name === target.input);
    if (input && !input.required) errors.push(`the input ${input.name} may be left empty.`);
    return errors.map((error) => ({
      field: 'CompletionCriteria',
      message: `“${text}” can never be met: ${error}`,
    }));
  });
}

function checkNamed(definition: WorkflowDefinition, facts: AuthoringFacts): readonly FieldError[] {
  const { FollowUpOptions = [], AllowedTransitions, WorkflowId } = definition;
  const known = new Set(facts.published.map((one) => one.WorkflowId));
  const modes = new Set(facts.modes.map(({ key }) => key));
  const unknown = (id: string): boolean => id !== WorkflowId && !known.has(id);
  const followUps = FollowUpOptions.flatMap(({ workflowId: id }) =>
    id !== undefined && unknown(id)
      ? [{ field: 'FollowUpOptions', message: `There is no workflow ‘${id}’.` }]
      : [],
  );
  const field = 'AllowedTransitions';
  return [
    ...followUps,
    ...AllowedTransitions.workflows
      .filter(unknown)
      .map((id) => ({ field, message: `There is no workflow ‘${id}’.` })),
    ...AllowedTransitions.modes
      .filter((mode) => !modes.has(mode))
      .map((mode) => ({ field, message: `There is no mode ${mode}.` })),
  ];
}

/**
 * Checks inputs, preconditions, completion criteria, follow-ups and transitions against the current facts
 * (TUL-006 §7.4, §10.2).
 */
export function checkConditions(
  definition: WorkflowDefinition,
  facts: AuthoringFacts,
): readonly FieldError[] {
  return [
    ...checkInputs(definition),
    ...checkPreconditions(definition, facts),
    ...checkCompletion(definition),
    ...checkNamed(definition, facts),
  ];
}

/** What an author should know about a criterion that can be met without the work that it is about. */
function adviceFor({ text, check }: WorkflowDefinition['CompletionCriteria'][number]): readonly string[] {
  switch (check?.kind) {
    case 'tool-called':
      return Object.keys(check.arguments ?? {}).length > 0
        ? []
        : [`“${text}” is met by any successful call of ${check.tool}; name the arguments that matter.`];
    case 'file':
      return [
        `“${text}”: if the file exists and has not changed since the start, the user has to confirm it.`,
      ];
    case 'ddr':
    case undefined:
      return [];
  }
}

/** Sentences for the author about completion criteria that prove little; they do not block publishing. */
export const conditionAdvice = ({ CompletionCriteria }: WorkflowDefinition): readonly string[] =>
  CompletionCriteria.flatMap(adviceFor);
