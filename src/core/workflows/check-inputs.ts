import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { WorkflowDefinition, WorkflowInput } from '#shared/workflow';
import type { PreconditionContext } from './conditions';

/** A problem with one answer. */
export interface InputProblem {
  readonly name: string;
  readonly message: string;
}

interface InputScope {
  readonly preconditionContext: Pick<PreconditionContext, 'ddr' | 'changedAt'>;
  readonly project: string | null;
}

const maxAnswerLength = 20_000;

function textProblem({ validation }: WorkflowInput, value: string): string | null {
  const { minLength = 0, maxLength = maxAnswerLength } = validation;
  if (value.length < minLength) return `Give at least ${minLength} characters.`;
  return value.length > maxLength ? `Give at most ${maxLength} characters.` : null;
}

function numberProblem({ validation }: WorkflowInput, value: number): string | null {
  const { min, max } = validation;
  if (min !== undefined && value < min) return `Give a number of at least ${min}.`;
  return max !== undefined && value > max ? `Give a number of at most ${max}.` : null;
}

function pathProblem(scope: InputScope, { validation }: WorkflowInput, value: string): string | null {
  if (/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(value)) {
    return 'Give a path inside the project folder, such as src/main.';
  }
  if (validation.exists !== true) return null;
  const there = scope.project !== null && scope.preconditionContext.changedAt(scope.project, value) !== null;
  return there ? null : `There is no ${value} in the project folder.`;
}

function ddrProblem(scope: InputScope, { validation }: WorkflowInput, value: string): string | null {
  const found = scope.preconditionContext.ddr(value);
  if (!found) return `There is no design record ${value}. Give its id, such as AGN-014.`;
  const { ddrStatus } = validation;
  if (!ddrStatus || ddrStatus.includes(found.status)) return null;
  return `${value} is ${found.status.replaceAll('_', ' ')}; it has to be ${ddrStatus.join(' or ').replaceAll('_', ' ')}.`;
}

function asNumber(value: Json): Result<Json, string> {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? ok(number) : err('Give a number.');
}

const booleanWords: ReadonlyMap<Json, boolean> = new Map<Json, boolean>([
  ...([true, 'yes', 'true'] as const).map((spelling) => [spelling, true] as const),
  ...([false, 'no', 'false'] as const).map((spelling) => [spelling, false] as const),
]);

function asBoolean(value: Json): Result<Json, string> {
  const parsed = booleanWords.get(value);
  return parsed === undefined ? err('Answer yes or no.') : ok(parsed);
}

function asText({ type, validation }: WorkflowInput, value: Json): Result<Json, string> {
  if (typeof value !== 'string') return err('Give a text.');
  const trimmed = value.trim();
  const options = validation.options ?? [];
  if (type === 'choice' && !options.includes(trimmed)) return err(`Choose one of: ${options.join(', ')}.`);
  return ok(trimmed);
}

/** Converts a value to the input's type; numbers and booleans may arrive as typed text. */
function converted(input: WorkflowInput, value: Json): Result<Json, string> {
  if (input.type === 'number') return asNumber(value);
  return input.type === 'boolean' ? asBoolean(value) : asText(input, value);
}

function valueProblem(scope: InputScope, input: WorkflowInput, value: Json): string | null {
  if (typeof value === 'number') return numberProblem(input, value);
  if (typeof value !== 'string') return null;
  const length = textProblem(input, value);
  if (length !== null || input.type === 'text' || input.type === 'choice') return length;
  return input.type === 'path' ? pathProblem(scope, input, value) : ddrProblem(scope, input, value);
}

function checkOne(
  scope: InputScope,
  input: WorkflowInput,
  value: Json | undefined,
): Result<Json | undefined, string> {
  const missing = value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  if (missing) return input.required ? err('The workflow needs this before it can continue.') : ok(undefined);
  const read = converted(input, value);
  if (!read.ok) return read;
  const problem = valueProblem(scope, input, read.value);
  return problem === null ? read : err(problem);
}

/**
 * Checks the user's answers to RequiredInputs: returns each in its type and within its rules, or all problems
 * (TUL-006 §6.2).
 */
export function checkInputs(
  { RequiredInputs }: Pick<WorkflowDefinition, 'RequiredInputs'>,
  provided: JsonObject,
  scope: InputScope,
): Result<JsonObject, readonly InputProblem[]> {
  const problems: InputProblem[] = [];
  const inputs: Record<string, Json> = {};
  for (const input of RequiredInputs) {
    const checked = checkOne(
      scope,
      input,
      Object.hasOwn(provided, input.name) ? provided[input.name] : undefined,
    );
    if (!checked.ok) problems.push({ name: input.name, message: checked.error });
    else if (checked.value !== undefined) inputs[input.name] = checked.value;
  }
  for (const name of Object.keys(provided)) {
    if (!RequiredInputs.some((input) => input.name === name)) {
      problems.push({ name, message: 'The workflow does not ask for this.' });
    }
  }
  return problems.length === 0 ? ok(inputs) : err(problems);
}
