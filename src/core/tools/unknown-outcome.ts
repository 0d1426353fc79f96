import { appError, type AppError } from '#shared/app-error';
import { withUnknownOutcome } from '#shared/unknown-outcome';

/** Patina never repeats a write with an unknown outcome: a person has to check first. */
export function toWriteError(error: AppError): AppError {
  if (error.outcome !== 'unknown') return error;
  return {
    ...error,
    message: withUnknownOutcome(error.message),
    hint: 'Look whether it happened before it is made again.',
    retryable: false,
  };
}

/** A read changes nothing, so an unknown outcome counts as a failure. */
export function toReadError({ outcome: _outcome, ...error }: AppError): AppError {
  return error;
}

/** Refuses to repeat a write with an unknown outcome in the same run. */
export function writeNotRepeated(tool: string): AppError {
  const message = `${tool} was called with these arguments before, and nobody saw how that ended: it is not made again.`;
  const hint = 'Look whether it happened, say so on the card, then resume.';
  return appError('HOST', 'STATE', message, { tool, hint });
}
