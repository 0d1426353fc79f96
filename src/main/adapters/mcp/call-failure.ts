import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { appError, type AppError } from '#shared/app-error';
import { carriedBy } from '../oauth/sign-in-failure';
import { retryLaterOf, type RetryLater } from './retry-later';
import { recognise, shortMessage } from './tool-result';

export interface CallSpot {
  readonly server: string;
  /** `mcp://server.tool`, or the step (`initialize`, `tools/list`) that failed. */
  readonly tool: string;
  /** How the server ended in the meantime; null while it runs. */
  readonly end: string | null;
  readonly cancelled: boolean;
}

/** Replaces an answer that is not an MCP message. */
export const unreadableAnswer = {
  code: -32700,
  message: 'It answered, but not with an MCP message.',
} as const;

const isUnreadable = (error: ProtocolError): boolean =>
  error.code === unreadableAnswer.code && error.message.endsWith(unreadableAnswer.message);

/**
 * Converts an exception of the client into an AppError. Every failed call passes here: the client's API
 * rejects instead of returning an error.
 */
export function callFailure(error: unknown, spot: CallSpot): AppError {
  const { server, tool } = spot;
  if (spot.cancelled) return appError('HOST', 'CANCELLED', 'The call was cancelled.', { tool });
  if (spot.end !== null) {
    return appError('TOOL', 'UNAVAILABLE', `Server "${server}" ${spot.end}.`, { tool, retryable: true });
  }
  const wait = retryLaterOf(error);
  if (wait) return tooBusy(wait, spot);
  const carried = carriedBy(error);
  if (carried !== null) return { ...carried, tool };
  const blocked = blockedCall(error, spot);
  if (blocked !== null) return blocked;
  if (error instanceof ProtocolError && isUnreadable(error)) {
    return appError(
      'TOOL',
      'INVALID_OUTPUT',
      `Server "${server}" answered ${tool}, but not with an MCP message.`,
      {
        tool,
      },
    );
  }
  if (error instanceof ProtocolError) {
    return appError('TOOL', recognise(`${error.code} ${error.message}`), shortMessage(error.message), {
      tool,
    });
  }
  if (error instanceof SdkError) return sdkFailure(error, spot);
  const message = error instanceof Error ? error.message : String(error);
  return appError('TOOL', 'UNAVAILABLE', `Server "${server}": ${shortMessage(message)}`, {
    tool,
    retryable: true,
  });
}

/** The failure of a server that requires a sign-in or a key; null for any other failure. */
function blockedCall(error: unknown, spot: CallSpot): AppError | null {
  if (asksForSignIn(error)) return signInNeeded(error, spot);
  const status = statusOf(error);
  return status === 401 || status === 403 ? notLetIn(status, spot) : null;
}

/** The connection has tokens or could have them, and the server wants other ones. */
function asksForSignIn(error: unknown): boolean {
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) return true;
  return error instanceof SdkHttpError && error.code === SdkErrorCode.ClientHttpAuthentication;
}

function signInNeeded(error: unknown, { server, tool }: CallSpot): AppError {
  const more = error instanceof InsufficientScopeError;
  const scope = more ? shortMessage(error.requiredScope ?? '') : '';
  const wants = more ? `more permissions${scope === '' ? '' : ` (${scope})`}` : 'a sign-in (401)';
  const hint = `Sign in under Settings → Servers or with "patina server sign-in ${server}", or give it a key in an "Authorization" header.`;
  return appError('TOOL', 'SIGN_IN', `Server "${server}" asks for ${wants}.`, { tool, hint });
}

function statusOf(error: unknown): number | undefined {
  if (asksForSignIn(error)) return error instanceof InsufficientScopeError ? 403 : 401;
  return error instanceof SdkHttpError ? error.status : retryLaterOf(error)?.status;
}

function tooBusy({ status, message, retryAfterMs }: RetryLater, { server, tool }: CallSpot): AppError {
  const short = shortMessage(message);
  const why = `Server "${server}" is too busy (HTTP ${status})${short === '' ? '' : `: ${short}`}`;
  const hint = `Retry in ${Math.ceil(retryAfterMs / 1_000)} s, as it asks.`;
  return appError('TOOL', 'UNAVAILABLE', why, { tool, retryable: true, retryAfterMs, hint });
}

/** A retry with the same key would be refused again. */
function notLetIn(status: number, { server, tool }: CallSpot): AppError {
  const message = `Server "${server}" denied access (${status}).`;
  const hint = `Give it an "Authorization" header with the key as a secret, then test it again.`;
  return appError('TOOL', 'UNAVAILABLE', message, { tool, hint });
}

function sdkFailure(error: SdkError, { server, tool }: CallSpot): AppError {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return appError('TOOL', 'TIMEOUT', `Server "${server}" did not answer ${tool} in time.`, {
        tool,
        retryable: true,
        hint: timeoutHint(server, tool),
      });
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.InputRequiredRoundsExceeded:
      return appError(
        'TOOL',
        'INVALID_OUTPUT',
        `Server "${server}": ${shortMessage(describeIssues(error.message))}`,
        {
          tool,
        },
      );
    default:
      return appError('TOOL', 'UNAVAILABLE', `Server "${server}": ${shortMessage(httpReason(error))}`, {
        tool,
        retryable: true,
      });
  }
}

/** The client's message, plus the HTTP status that it omits. */
function httpReason(error: SdkError): string {
  if (!(error instanceof SdkHttpError) || error.status === undefined) return error.message;
  return `HTTP ${error.status}: ${error.message.replace(/^Error POSTing to endpoint: /, '')}`;
}

function timeoutHint(server: string, tool: string): string {
  const fields = tool.startsWith('mcp://') ? '"timeoutMs" or "maxTimeoutMs"' : '"startTimeoutMs"';
  return `Set ${fields} of "${server}" in the server registry to give it more time.`;
}

/** Converts the client's JSON report on a result into text: which field, and what is wrong with it. */
function describeIssues(message: string): string {
  const start = message.indexOf('[');
  const issues = start < 0 ? null : parsedIssues(message.slice(start));
  if (issues === null) return message;
  const named = issues
    .slice(0, 3)
    .map(({ path = [], message: why = 'is not right' }) => `${path.join('.')}: ${why}`);
  const more = issues.length > named.length ? `; and ${issues.length - named.length} more` : '';
  return `${message.slice(0, start)}${named.join('; ')}${more}.`;
}

interface Issue {
  readonly path?: readonly (string | number)[];
  readonly message?: string;
}

function parsedIssues(text: string): readonly Issue[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as readonly Issue[]) : null;
  } catch {
    return null;
  }
}

/** Causes of a request that was never sent: no connection, no host name, no trusted certificate. */
const NEVER_LEFT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_INVALID_URL)/;

function neverLeft(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string' && NEVER_LEFT.test(code)) return true;
    // Two addresses of one host name were tried, and both refused the connection.
    if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(neverLeft);
  }
  return false;
}

/**
 * Whether the server may have executed a failed request. It has not if it answered with an error, refused the
 * request (4xx), or was never reached; when in doubt, it may have.
 */
export function mayHaveExecuted(error: unknown): boolean {
  if (error instanceof ProtocolError) return isUnreadable(error);
  const status = statusOf(error);
  if (status !== undefined && status >= 400 && status < 500) return status === 408;
  if (error instanceof SdkError && error.code === SdkErrorCode.NotConnected) return false;
  return !(error instanceof Error && error.message === 'Not connected') && !neverLeft(error);
}
