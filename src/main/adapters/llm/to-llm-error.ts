import { connectionFailure, type Endpoint, type Failure } from './failure';
import { noError, ReportedError } from './reported-error';
import { reportedFailure } from './reported-failure';
import { limitReset, retryAfter } from '../system/retry-after';

export interface FailedRequest {
  readonly endpoint: Endpoint;
  readonly model: string;
  /** Number of images in the request. */
  readonly images?: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Converts an exception of the SDK into a typed failure: a response with an error status, or no response at
 * all.
 */
export function toLlmError(thrown: unknown, { endpoint, model, images = 0, now }: FailedRequest): Failure {
  const status = statusOf(thrown);
  if (status === undefined) return connectionFailure(thrown, endpoint);
  const body = thrown instanceof Error && 'error' in thrown ? thrown.error : undefined;
  const parsed = ReportedError.safeParse(body);
  // Without an error object the body is a page or plain text, which is not worth quoting.
  const { message, code, retryAfterMs: ownDelay } = parsed.success ? parsed.data : noError;
  const named = thrown instanceof Error && 'headers' in thrown ? thrown.headers : undefined;
  const headers = named instanceof Headers ? named : new Headers();
  const retryAfterMs = retryAfter(headers, now) ?? ownDelay;
  const limitResetMs = limitReset(status, headers, now);
  return reportedFailure({ status, message, code, retryAfterMs, limitResetMs, model, images }, endpoint);
}

function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number'
    ? thrown.status
    : undefined;
}
