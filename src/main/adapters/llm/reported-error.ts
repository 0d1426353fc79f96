import { z } from 'zod';
import { boundedDelay } from '../system/retry-after';

/** One complaint of a server that checks a request field by field (Mistral, vLLM, FastAPI). */
const Complaint = z
  .object({ loc: z.array(z.union([z.string(), z.number()])).catch([]), msg: z.string() })
  .transform(({ loc, msg }) => (loc.length === 0 ? msg : `${loc.join('.')}: ${msg}`));

const Complaints = z
  .array(Complaint)
  .min(1)
  .transform((complaints) => complaints.join('; '));

/** The message of an error: a text, or what the server complains of. */
const Message = z.union([
  z.string(),
  Complaints,
  z.object({ detail: z.union([z.string(), Complaints]) }).transform(({ detail }) => detail),
]);

/** What Google adds to an error: its reason, the wait it asks for, and the quotas that are used up. */
const Detail = z.object({
  reason: z.string().nullish().catch(null),
  retryDelay: z.string().nullish().catch(null),
  violations: z
    .array(z.object({ quotaId: z.string().nullish().catch(null) }))
    .nullish()
    .catch(null),
});

const Details = z.array(Detail).nullish().catch(null);

/** Stands for a report without content. */
export const noError = { message: '', code: '', retryAfterMs: undefined };

/** An error as providers send it, in a body or inside a stream. */
export const ReportedError = z.union([
  z.string().transform((message) => ({ message, code: '', retryAfterMs: undefined })),
  z
    .object({
      message: Message.optional().catch(undefined),
      code: z.union([z.string(), z.number()]).nullish(),
      type: z.string().nullish(),
      /** Google's name for the code. */
      status: z.string().nullish().catch(null),
      details: Details,
    })
    .transform(({ message = '', code, type, status, details }) => {
      const quotas = (details ?? []).flatMap(({ violations }) => violations ?? []);
      const reasons = (details ?? []).map(({ reason }) => reason);
      const words = [code, type, status, ...reasons, ...quotas.map(({ quotaId }) => quotaId)];
      const codes = words.filter((word) => word !== null && word !== undefined && word !== '').join(' ');
      return { message, code: codes, retryAfterMs: waitOf(details ?? [], codes) };
    }),
]);

/** The wait in seconds, such as `34.5s`; beside a daily quota it says nothing about the quota's end. */
function waitOf(details: readonly z.infer<typeof Detail>[], code: string): number | undefined {
  if (/PerDay/.test(code)) return undefined;
  const delays = details.map(({ retryDelay }) => /^(\d+(?:\.\d+)?)s$/.exec(retryDelay ?? '')?.[1]);
  const seconds = delays.find((delay) => delay !== undefined);
  return seconds === undefined ? undefined : boundedDelay(Number(seconds) * 1000);
}

/**
 * The error in a failed response's body that has no `error`: the body itself, its `detail` (web frameworks), or
 * the only member of a list (Gemini).
 */
export const ErrorBody = z.union([
  z.tuple([z.object({ error: z.unknown() })]).transform(([{ error }]) => error),
  z.object({
    error: z.undefined().optional(),
    message: Message,
    code: z.unknown().optional(),
    type: z.unknown().optional(),
  }),
  z
    .object({ error: z.undefined().optional(), detail: z.union([z.string(), Complaints]) })
    .transform(({ detail }) => ({ message: detail })),
]);
