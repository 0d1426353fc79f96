import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { appError, type AppError } from '#shared/app-error';
import { maskSecretShapes } from '#shared/secret-shapes';
import { stripControls } from '../mcp/text-tail';
import { refusalOf } from './refusal';

const MAX_QUOTED = 200;

/** A few words of another party, safe to show: no keys, no control characters. */
const quoted = (text: string): string =>
  maskSecretShapes(stripControls(text)).replace(/\s+/g, ' ').trim().slice(0, MAX_QUOTED);

const refused = (server: string, reason: string): AppError =>
  appError('TOOL', 'FAILED', `Patina refused to sign in to "${server}": ${reason}.`, {
    hint: 'No key was sent. Report this to the operator of the server.',
  });

/** What an authorisation server calls its own refusals. */
function declined(server: string, { code, message }: OAuthError): AppError {
  if (code === 'access_denied')
    return appError('TOOL', 'FAILED', `The sign-in to "${server}" was declined in the browser.`, {
      hint: 'Sign in again if that was not intended.',
    });
  const serverText = quoted(message);
  const words = serverText === '' || serverText === code ? '' : ` (${serverText})`;
  const hint = 'Sign in again. If it fails again, the server is set up differently than it says.';
  return appError('TOOL', 'FAILED', `The sign-in to "${server}" failed: ${quoted(code)}${words}.`, { hint });
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');

function systemCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    if (cause instanceof AggregateError) return systemCode(cause.errors[0]);
  }
  return '';
}

/** Converts what went wrong while signing in, renewing or signing out into an AppError without any key. */
export function signInFailure(error: unknown, server: string): AppError {
  const refusal = refusalOf(error);
  if (refusal !== null) return refused(server, quoted(refusal.message));
  if (error instanceof IssuerMismatchError)
    return refused(server, 'the answer does not come from the authorisation server that was asked');
  if (error instanceof InsecureTokenEndpointError)
    return refused(server, 'tokens would travel without encryption (http)');
  if (error instanceof RegistrationRejectedError) {
    const hint = 'Register Patina there by hand, and set "oauth": {"clientId": …} in the server registry.';
    const message = `The sign-in to "${server}" does not accept Patina as a new client (${error.status}).`;
    return appError('TOOL', 'FAILED', message, { hint });
  }
  if (error instanceof OAuthError) return declined(server, error);
  if (error instanceof Error && error.name === 'ZodError')
    return refused(server, 'the authorisation server answered with something that is not a token');
  if (error instanceof SyntaxError)
    return refused(server, 'the authorisation server answered with something that is not JSON');
  const code = systemCode(error);
  const why = isTimeout(error) ? 'it did not answer in time' : code === '' ? 'there is no connection' : code;
  return appError('TOOL', 'UNAVAILABLE', `The sign-in of "${server}" could not be reached: ${why}.`, {
    retryable: true,
    hint: 'Check the network connection, then try again.',
  });
}

/** Carries an AppError through the client, which only knows exceptions. */
export const carrying = (failure: AppError): Error => Object.assign(new Error(failure.message), { failure });

/** The AppError that an exception carries, if any. */
export function carriedBy(error: unknown): AppError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('failure' in cause) return cause.failure as AppError;
  }
  return null;
}
