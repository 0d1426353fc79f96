import { appError, type AppError } from '#shared/app-error';
import { withUnknownOutcome } from '#shared/unknown-outcome';

/** Patina never repeats a write with an unknown outcome: a person has to check first. */
export function toWriteError(error: AppError): AppError {
  if (error.outcome !== 'unknown') return error;
  return {
    ...error,
    message: withUnknownOutcome(error.message),
    hint: 'Check whether it happened before you repeat it.',
    retryable: false,
  };
}

/** A read changes nothing, so an unknown outcome counts as a failure. */
export function toReadError({ outcome: _outcome, ...error }: AppError): AppError {
  return error;
}

/** Refuses to repeat a write with an unknown outcome in the same run. */
export function writeNotRepeated(tool: string): AppError {
  const message = `${tool} was already called with these arguments, and the outcome is unknown: the call is not repeated.`;
  const hint = 'Check whether it happened, answer on the card, then resume.';
  return appError('HOST', 'STATE', message, { tool, hint });
}
