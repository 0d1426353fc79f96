import { isSecretHeader } from '#shared/provider-row';
import { failure, hostOf, formatDuration, maxRetries, type Endpoint, type Failure } from './failure';

/** The provider's own error message, quoted, or ''. */
function words(message: string, endpoint: Endpoint): string {
  const text = quoted(message, secretsOf(endpoint));
  return text === '' ? '' : ` It says: ${text}`;
}

/** The key, and what headers may hold in its place: also without the scheme before it (`Bearer`). */
function secretsOf({ key, headers = {} }: Endpoint): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []));
  const bare = values.map((value) => value.trim().replace(/^\S+\s+/, ''));
  return [...(key === null ? [] : [key]), ...values, ...bare];
}

/** A provider's report of a failure, with an HTTP status or inside a stream. */
interface Reported {
  readonly status: number;
  /** The provider sent no status; this one was derived from its message. */
  readonly guessed?: boolean;
  readonly message: string;
  readonly code: string;
  readonly retryAfterMs?: number | undefined;
  /** Until the rate limits are renewed, in milliseconds; says nothing about a quota of a day or a month. */
  readonly limitResetMs?: number | undefined;
  readonly model: string;
  /** Number of images in the request. */
  readonly images?: number;
}

/** Messages of servers whose model or wire format does not support images. */
const imageWords =
  /image|multi-?modal|vision|mmproj|\bcontent\b.{0,40}\bstring\b|expected (a )?string|not a valid string/i;
const contextWords =
  /context[ _-]?(length|window|size|limit)|maximum context|prompt is too long|too many (input )?tokens|exceeds? .{0,40}(context|n_ctx)|exceed_context|input (is )?too long/i;
const creditWords =
  /insufficient_quota|billing_(hard_limit|not_active)|credit balance|out of credits?|exceeded your current quota/i;
/** Google and xAI refuse a key with status 400. */
const keyWords =
  /API_KEY_INVALID|\b(incorrect|invalid|missing) api[ _-]?key\b|\bapi[ _-]?key (is )?(not valid|not found|invalid|incorrect|expired)\b|\bmissing or invalid authorization header\b/i;
/** A limit that no short wait ends. */
const quotaWords =
  /\bper[ _-]?(day|week|month)\b|\b(daily|weekly|monthly|usage|spend(ing)?) (limit|quota)\b|PerDay/i;
const overloadWords = /\boverloaded(_error)?\b|\bcapacity\b.{0,40}\bexceeded\b|service_unavailable_overload/i;

interface Row {
  readonly holds: (report: Reported) => boolean;
  readonly say: (report: Reported, endpoint: Endpoint) => Failure;
}

const between = (low: number, high: number) => (report: Reported) =>
  report.status >= low && report.status <= high;
const among =
  (...statuses: readonly number[]) =>
  (report: Reported) =>
    statuses.includes(report.status);
const matches = (pattern: RegExp) => (report: Reported) => pattern.test(`${report.code} ${report.message}`);

/** Maps reports to failures; the first matching row decides. */
const rows: readonly Row[] = [
  { holds: (report) => among(400, 403)(report) && matches(creditWords)(report), say: outOfCredit },
  { holds: among(401, 403), say: refusedKey },
  { holds: (report) => among(400)(report) && matches(keyWords)(report), say: refusedKey },
  { holds: among(402), say: outOfCredit },
  { holds: (report) => among(429)(report) && matches(quotaWords)(report), say: quotaUsedUp },
  { holds: endsSoon, say: rateLimited },
  { holds: (report) => among(429)(report) && matches(creditWords)(report), say: outOfCredit },
  { holds: among(429), say: rateLimited },
  { holds: aboutImages, say: refusedImages },
  { holds: among(413), say: tooLong },
  { holds: matches(contextWords), say: tooLong },
  { holds: among(529), say: overloaded },
  { holds: (report) => between(500, 599)(report) && matches(overloadWords)(report), say: overloaded },
  { holds: between(500, 599), say: down },
  { holds: among(408, 409), say: down },
  { holds: between(300, 399), say: redirected },
  { holds: among(404, 405), say: notFound },
];

/** Converts a provider's report into a typed failure. */
export function reportedFailure(report: Reported, endpoint: Endpoint): Failure {
  return (rows.find(({ holds }) => holds(report))?.say ?? refusedRequest)(report, endpoint);
}

/** Google reports every limit as a quota; one that names its end is renewed by the minute. */
function endsSoon(report: Reported): boolean {
  return among(429)(report) && /RESOURCE_EXHAUSTED/.test(report.code) && report.retryAfterMs !== undefined;
}

/** Only for a request with images: then a message about images is about these. */
function aboutImages(report: Reported): boolean {
  if (!report.images) return false;
  return among(413)(report) || (between(400, 501)(report) && matches(imageWords)(report));
}

function refusedImages(report: Reported, endpoint: Endpoint): Failure {
  const { images = 0, model } = report;
  const many = images === 1 ? 'the image' : `the ${images} images`;
  const message = `${endpoint.name} rejected ${many} of the instructions (prompt pack) for ${model}.`;
  return failure('UNAVAILABLE', `${message}${words(report.message, endpoint)}`, {
    hint: 'Choose a model that accepts images, or instructions without them (/pack), then send again.',
  });
}

function refusedRequest(report: Reported, endpoint: Endpoint): Failure {
  return failure('UNAVAILABLE', `${endpoint.name} refused the request.${words(report.message, endpoint)}`, {
    hint: 'Choose another model, or check what this provider accepts.',
  });
}

function refusedKey(report: Reported, endpoint: Endpoint): Failure {
  const what = endpoint.key === null ? 'asks for a key' : 'refused the key';
  return failure(
    'AUTH',
    `${endpoint.name} ${what}${report.guessed ? '' : ` (${report.status})`}.${words(report.message, endpoint)}`,
    {
      hint:
        endpoint.key === null
          ? 'Give its key in Settings → Models, then send again.'
          : 'Check the key in Settings → Models, and that it may use this model.',
    },
  );
}

function outOfCredit(report: Reported, endpoint: Endpoint): Failure {
  return failure('QUOTA', `${endpoint.name} has no credit left.${words(report.message, endpoint)}`, {
    hint: 'Waiting does not help: check your account with this provider, or choose another model.',
  });
}

function quotaUsedUp(report: Reported, endpoint: Endpoint): Failure {
  const wait = report.retryAfterMs;
  const message = `The quota of your account with ${endpoint.name} is used up.${words(report.message, endpoint)}`;
  const until =
    wait === undefined || wait === 0
      ? 'It is renewed by the day or the month'
      : `It is renewed in ${formatDuration(wait)}`;
  const hint = `${until}: choose another model until then, or raise the quota with the provider.`;
  return failure('QUOTA', message, { hint, ...(wait === undefined ? {} : { retryAfterMs: wait }) });
}

/** Too many requests of everybody, not of this user. */
function overloaded(report: Reported, endpoint: Endpoint): Failure {
  const message = `${endpoint.name} is overloaded right now.${words(report.message, endpoint)}`;
  return failure('RATE_LIMITED', message, limitDetails(report, 'Send again in a moment'), maxRetries);
}

function rateLimited(report: Reported, endpoint: Endpoint): Failure {
  const message = `${endpoint.name} accepts no more requests right now.${words(report.message, endpoint)}`;
  return failure('RATE_LIMITED', message, limitDetails(report, 'Wait a moment and send again'), maxRetries);
}

/** As `laterDetails`; a server that asks for no delay may have named the end of its limits. */
const limitDetails = (report: Reported, soon: string) =>
  laterDetails({ ...report, retryAfterMs: report.retryAfterMs ?? report.limitResetMs }, soon);

/** What the user can do after the delay that the server asks for; `soon`: it asks for none. */
function laterDetails({ retryAfterMs }: Reported, soon: string) {
  // A retry without a delay was tried and failed too.
  const when = retryAfterMs ? `Send again in ${formatDuration(retryAfterMs)}` : soon;
  const hint = `${when}, or choose another model.`;
  return { hint, retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function tooLong(report: Reported, endpoint: Endpoint): Failure {
  const reason = words(report.message, endpoint);
  return failure('CONTEXT_LIMIT', `This conversation is longer than ${report.model} can read.${reason}`, {
    hint: 'Start a new session, send less text, or choose a model with a larger context.',
  });
}

function down(report: Reported, endpoint: Endpoint): Failure {
  const status = report.guessed ? '' : ` (${report.status})`;
  const message = `${endpoint.name} reported a server error${status}.${words(report.message, endpoint)}`;
  return failure('UNAVAILABLE', message, laterDetails(report, 'Send again in a moment'), maxRetries);
}

function redirected(_report: Reported, endpoint: Endpoint): Failure {
  return failure('UNAVAILABLE', `${hostOf(endpoint)} redirects requests to another address.`, {
    hint: 'Put the final address of the provider in Settings → Models; keys are not sent after a redirect.',
  });
}

function notFound(report: Reported, endpoint: Endpoint): Failure {
  const message = `${endpoint.name} has no model "${report.model}" at this address.`;
  return failure('UNAVAILABLE', `${message}${words(report.message, endpoint)}`, {
    hint: 'Choose another model; if none works, check that the base URL ends as the provider says (often /v1).',
  });
}
const mask = '[key]';

/** A shorter "key" is a word that any sentence may contain. */
const minKeyLength = 6;
const maxQuoteLength = 300;

/**
 * Makes a provider's text safe to display: masks the secrets it may echo (plain, URL-encoded or in base64),
 * removes control and direction characters, joins lines, and limits it to 300 characters.
 */
export function quoted(text: string, secrets: readonly string[]): string {
  const line = secrets
    .reduce(withoutKey, text)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return line.length > maxQuoteLength ? `${line.slice(0, maxQuoteLength - 1)}…` : line;
}

/** Masks every form of the key in the text. */
function withoutKey(text: string, key: string): string {
  if (key.length < minKeyLength) return text;
  const base64 = Buffer.from(key, 'utf8').toString('base64').replace(/=+$/, '');
  return [key, encodeURIComponent(key), base64].reduce((rest, form) => rest.replaceAll(form, mask), text);
}
