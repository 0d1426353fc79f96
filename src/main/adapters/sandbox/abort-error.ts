import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';

/** The error for an abort: its reason if that is an AppError, else HOST/CANCELLED. */
export function abortError(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  const thrownError = reason as Partial<AppError> | undefined;
  if (typeof thrownError?.kind === 'string' && typeof thrownError.code === 'string')
    return reason as AppError;
  return appError('HOST', 'CANCELLED', 'The run was cancelled.');
}
