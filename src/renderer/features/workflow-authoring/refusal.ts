import type { Result } from '#shared/result';
import type { AuthoringAnswer, FieldError } from '#shared/workflow-authoring';
import type { DraftSave } from '#shared/workflow-panel';
import { text } from '../../locales/text';

/** The errors of an answer; a failed call counts as one, too. */
export function errorsOf(answer: Result<AuthoringAnswer>): readonly FieldError[] {
  if (!answer.ok) return [{ field: '', message: answer.error.message }];
  return answer.value.ok ? [] : answer.value.errors;
}

const words = (errors: readonly FieldError[]): string | null =>
  errors.length === 0
    ? null
    : errors.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ');

/** Why an operation was refused, as one text; null if it succeeded. */
export const refusalOf = (answer: Result<AuthoringAnswer>): string | null => words(errorsOf(answer));

/** Why a draft was not saved; null if it was. */
export function saveRefusal(answer: Result<DraftSave>): string | null {
  if (!answer.ok) return answer.error.message;
  if (answer.value.kind === 'saved') return null;
  return answer.value.kind === 'refused'
    ? words(answer.value.errors)
    : text('workflowAuthoring.refusal.changed');
}
