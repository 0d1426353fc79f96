import { appError, type AppError, type ErrorCode } from '#shared/app-error';
import type { WireName } from '#shared/model';
import type { CallIdForm, ModelDetails, OptionalPart } from '#shared/provider-row';
import type { ModelEvent } from '../../../core/ports/llm';

/** The target of a request. `key` never leaves this folder except in the header of its protocol. */
export interface Endpoint {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | null;
  readonly loopback: boolean;
  readonly wire: WireName;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Limits of this provider in place of the general ones. */
  readonly limits?: { readonly headersMs?: number; readonly idleMs?: number } | undefined;
  /** An HTTP proxy that the requests go through. */
  readonly proxy?: string | undefined;
  /** Parts that this provider is known to refuse. */
  readonly omits?: readonly OptionalPart[] | undefined;
  /** The form of the ids of calls in chat completions, by how the name of the model begins. */
  readonly callIds?: Readonly<Record<string, CallIdForm>> | undefined;
  /** How the names of models begin whose requests name the parts to cache. */
  readonly cacheMarks?: readonly string[] | undefined;
  /** Removed from the start of each listed model name. */
  readonly listPrefix?: string | undefined;
  /** Where the server says what its models can do, besides the list. */
  readonly details?: ModelDetails | undefined;
}

/** Why an attempt failed, and how many times the client may retry on its own. */
export interface Failure extends Omit<Extract<ModelEvent, { type: 'error' }>, 'type'> {
  readonly retries: number;
}

export const maxRetries = 3;

type Details = Pick<AppError, 'hint' | 'retryAfterMs' | 'retryable'>;

export function failure(
  code: ErrorCode<'LLM'>,
  message: string,
  details: Partial<Details>,
  retries = 0,
): Failure {
  return { error: appError('LLM', code, message, details), retries };
}

export function cancelled(): Failure {
  return { error: appError('HOST', 'CANCELLED', 'Stopped.'), retries: 0 };
}

const checkSettings = 'Check the provider in Settings → Models.';

export function hostOf(endpoint: Endpoint): string {
  return new URL(endpoint.baseUrl).host;
}

/** A timeout on our side: `what` describes the missing event, such as "did not answer". */
export function timeoutError(what: string, ms: number, endpoint: Endpoint): Failure {
  return failure('UNAVAILABLE', `${endpoint.name} ${what} within ${formatDuration(ms)}.`, {
    retryable: true,
    hint: endpoint.loopback
      ? 'A local model may still be loading: send again in a moment.'
      : 'Send again, or choose another model.',
  });
}

/** The connection ended before the reply did; the text received so far is kept. */
export function brokenFailure(endpoint: Endpoint, retries: number): Failure {
  const hint = 'The received part is kept. Send again for a complete reply.';
  return failure(
    'UNAVAILABLE',
    `The reply broke off: ${endpoint.name} closed the connection.`,
    { retryable: true, hint },
    retries,
  );
}

/** The connection ended before any part of a reply arrived. */
export function closedFailure(endpoint: Endpoint, retries: number): Failure {
  const hint = endpoint.loopback
    ? `Check that ${endpoint.name} is still running, then send again.`
    : 'Send again, or choose another model.';
  return failure(
    'UNAVAILABLE',
    `${endpoint.name} closed the connection before it answered.`,
    { retryable: true, hint },
    retries,
  );
}

/** The names of the protocols in messages. */
const titles: Readonly<Record<WireName, string>> = {
  chat: 'OpenAI chat',
  responses: 'OpenAI Responses',
  anthropic: 'Anthropic Messages',
};

/** The server sent something that is not a reply; `what` completes "sent …". */
export function invalidFailure(what: string, endpoint: Endpoint): Failure {
  return failure('INVALID_REPLY', `${endpoint.name} sent ${what}.`, {
    retryable: true,
    hint: `Check that ${hostOf(endpoint)} speaks the ${titles[endpoint.wire]} API at this base URL, then send again.`,
  });
}

interface Cause {
  readonly codes: RegExp;
  readonly say: (endpoint: Endpoint) => Failure;
}

/** Network failures by the code of the innermost error. */
const causes: readonly Cause[] = [
  {
    codes: /^ECONNREFUSED$/,
    say: (endpoint) => unreachable(endpoint, `nothing answers at ${hostOf(endpoint)}`),
  },
  {
    codes: /^(ENOTFOUND|EAI_\w+)$/,
    say: (endpoint) => unreachable(endpoint, `the name ${hostOf(endpoint)} cannot be found`),
  },
  { codes: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT)$/, say: timedOut },
  {
    codes: /CERT|SELF_SIGNED|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_/,
    say: untrusted,
  },
  { codes: /^HPE_/, say: (endpoint) => invalidFailure('something that is not HTTP', endpoint) },
  // The other side may have closed an idle keep-alive connection: one retry finds out.
  { codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, say: (endpoint) => closedFailure(endpoint, 1) },
];

function unreachable(endpoint: Endpoint, why: string): Failure {
  return failure('UNAVAILABLE', `${endpoint.name} cannot be reached: ${why}.`, {
    retryable: true,
    hint: endpoint.loopback
      ? `Start ${endpoint.name} on this computer, then send again.`
      : `Check the network. ${checkSettings}`,
  });
}

function untrusted(endpoint: Endpoint): Failure {
  return failure('UNAVAILABLE', `${endpoint.name} cannot be reached: its certificate cannot be trusted.`, {
    retryable: true,
    hint: `Make this computer trust the certificate of ${hostOf(endpoint)} (NODE_EXTRA_CA_CERTS can name a certificate file), or check the address.`,
  });
}

function timedOut(endpoint: Endpoint): Failure {
  return unreachable(endpoint, `${hostOf(endpoint)} does not answer`);
}

/**
 * Converts a thrown network error into a typed failure; omits the error's message, which may contain headers.
 */
export function connectionFailure(thrown: unknown, endpoint: Endpoint): Failure {
  const code = codeOf(thrown);
  const cause = causes.find(({ codes }) => codes.test(code));
  return cause === undefined ? unreachable(endpoint, 'the connection failed') : cause.say(endpoint);
}

function codeOf(thrown: unknown): string {
  let code = '';
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth++) {
    if ('code' in error && typeof error.code === 'string') code = error.code;
  }
  return code;
}

/** Formats a delay for people. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
