import type { Result } from '#shared/result';
import type { AuthoringAnswer } from '#shared/workflow-authoring';

/** Why an operation was not done, in one text; null: it was. */
export function refusalOf(answer: Result<AuthoringAnswer>): string | null {
  if (!answer.ok) return answer.error.message;
  if (answer.value.ok) return null;
  return answer.value.errors
    .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
    .join(' ');
}
