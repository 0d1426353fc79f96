import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';

/** The error an abort stands for: its reason when that is one of ours, else HOST/CANCELLED. */
export function abortError(signal: AbortSignal): AppError {
  const reason: unknown = signal.reason;
  const typed = reason as Partial<AppError> | undefined;
  if (typeof typed?.kind === 'string' && typeof typed.code === 'string') return reason as AppError;
  return appError('HOST', 'CANCELLED', 'the run was cancelled');
}
