import { appError, type AppError, type ErrorCode } from '#shared/app-error';
import { quoted } from './redact';

/** Where a request goes. `key` never leaves this folder except in the Authorization header. */
export interface Endpoint {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | null;
  readonly loopback: boolean;
}

/** Why an attempt failed, and how many times the client may try again by itself. */
export interface Failure {
  readonly error: AppError;
  readonly retries: number;
}

export const manyRetries = 3;

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

/** What the provider says about its own failure, quoted, or ''. */
function words(message: string, endpoint: Endpoint): string {
  const text = quoted(message, endpoint.key);
  return text === '' ? '' : ` It says: ${text}`;
}

/** What a provider reports: with an HTTP status, or inside a stream. */
export interface Reported {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  readonly retryAfterMs?: number | undefined;
  readonly model: string;
}

const contextWords =
  /context[ _-]?(length|window|size|limit)|maximum context|prompt is too long|too many (input )?tokens|exceeds? .{0,40}(context|n_ctx)|exceed_context|input (is )?too long/i;
const quotaWords = /insufficient_quota|billing|credit balance|exceeded your current quota/i;

/** Gives a provider's report its type. The rows are tried in order; the first that holds decides. */
export function reportedFailure(report: Reported, endpoint: Endpoint): Failure {
  const all = `${report.code} ${report.message}`;
  const { status } = report;
  if (status === 401 || status === 403) return refusedKey(report, endpoint);
  if (status === 402 || (status === 429 && quotaWords.test(all))) return outOfCredit(report, endpoint);
  if (status === 429) return rateLimited(report, endpoint);
  if (status === 413 || (status < 500 && contextWords.test(all))) return tooLong(report, endpoint);
  if (status >= 500 || status === 408 || status === 409) return down(report, endpoint);
  if (status >= 300 && status < 400) return redirected(endpoint);
  if (status === 404) return notFound(report, endpoint);
  return failure('UNAVAILABLE', `${endpoint.name} refused the request.${words(report.message, endpoint)}`, {
    hint: 'Choose another model, or check what this provider accepts.',
  });
}

function refusedKey(report: Reported, endpoint: Endpoint): Failure {
  const what = endpoint.key === null ? 'asks for a key' : 'refused the key';
  return failure('AUTH', `${endpoint.name} ${what} (${report.status}).${words(report.message, endpoint)}`, {
    hint:
      endpoint.key === null
        ? 'Give its key in Settings → Models, then send again.'
        : 'Check the key in Settings → Models, and that it may use this model.',
  });
}

function outOfCredit(report: Reported, endpoint: Endpoint): Failure {
  return failure('RATE_LIMITED', `${endpoint.name} has no credit left.${words(report.message, endpoint)}`, {
    hint: 'Look at the account of this provider, or choose another model.',
  });
}

function rateLimited(report: Reported, endpoint: Endpoint): Failure {
  const wait = report.retryAfterMs;
  const message = `${endpoint.name} takes no more requests right now.${words(report.message, endpoint)}`;
  const hint =
    wait === undefined
      ? 'Wait a moment and send again, or choose another model.'
      : `Send again in ${inWords(wait)}, or choose another model.`;
  const details = { hint, retryable: true, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  return failure('RATE_LIMITED', message, details, manyRetries);
}

function tooLong(report: Reported, endpoint: Endpoint): Failure {
  const said = words(report.message, endpoint);
  return failure('CONTEXT_LIMIT', `This conversation is longer than ${report.model} can read.${said}`, {
    hint: 'Start a new session, send less text, or choose a model with a larger context.',
  });
}

function down(report: Reported, endpoint: Endpoint): Failure {
  const message = `${endpoint.name} has trouble (${report.status}).${words(report.message, endpoint)}`;
  const wait = report.retryAfterMs;
  const hint = 'Send again in a moment, or choose another model.';
  const details = { hint, retryable: true, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  return failure('UNAVAILABLE', message, details, manyRetries);
}

function redirected(endpoint: Endpoint): Failure {
  return failure('UNAVAILABLE', `${hostOf(endpoint)} sends requests on to another address.`, {
    hint: 'Put the final address of the provider in Settings → Models; keys are not sent after a redirect.',
  });
}

function notFound(report: Reported, endpoint: Endpoint): Failure {
  const message = `${endpoint.name} has no model "${report.model}" at this address.`;
  return failure('UNAVAILABLE', `${message}${words(report.message, endpoint)}`, {
    hint: 'Choose another model; if none works, check that the base URL ends as the provider says (often /v1).',
  });
}

/** A time-out of ours: `what` is what did not happen, as "did not answer". */
export function lateFailure(what: string, ms: number, endpoint: Endpoint): Failure {
  return failure('UNAVAILABLE', `${endpoint.name} ${what} within ${inWords(ms)}.`, {
    retryable: true,
    hint: endpoint.loopback
      ? 'A local model may still be loading: send again in a moment.'
      : 'Send again, or choose another model.',
  });
}

/** The connection ended before the reply did; what came stays. */
export function brokenFailure(endpoint: Endpoint, retries: number): Failure {
  const hint = 'What came is kept. Send again for a whole reply.';
  return failure(
    'UNAVAILABLE',
    `The reply broke off: ${endpoint.name} closed the connection.`,
    { retryable: true, hint },
    retries,
  );
}

/** Something came that is no reply; `what` completes "sent …". */
export function invalidFailure(what: string, endpoint: Endpoint): Failure {
  return failure('INVALID_REPLY', `${endpoint.name} sent ${what}.`, {
    retryable: true,
    hint: `Check that ${hostOf(endpoint)} speaks the OpenAI chat API at this base URL, then send again.`,
  });
}

interface Cause {
  readonly codes: RegExp;
  readonly say: (endpoint: Endpoint) => Failure;
}

/** What the network said, by the code of the innermost error. */
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
    say: (endpoint) => unreachable(endpoint, `its encryption cannot be trusted`),
  },
  { codes: /^HPE_/, say: (endpoint) => invalidFailure('something that is not HTTP', endpoint) },
  // A connection kept open from before may have been closed by the other side: one more try finds out.
  { codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, say: (endpoint) => brokenFailure(endpoint, 1) },
];

function unreachable(endpoint: Endpoint, why: string): Failure {
  return failure('UNAVAILABLE', `${endpoint.name} cannot be reached: ${why}.`, {
    retryable: true,
    hint: endpoint.loopback
      ? `Start ${endpoint.name} on this computer, then send again.`
      : `Check the network. ${checkSettings}`,
  });
}

function timedOut(endpoint: Endpoint): Failure {
  return unreachable(endpoint, `${hostOf(endpoint)} does not answer`);
}

/** Gives a thrown network error its type; the error's own words are not repeated, they may hold headers. */
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

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
