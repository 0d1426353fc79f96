import { z } from 'zod';

/** An error as providers send it, in a body or inside a stream. */
export const ReportedError = z.union([
  z.string().transform((message) => ({ message, code: '' })),
  z
    .object({
      message: z.unknown().optional(),
      code: z.union([z.string(), z.number()]).nullish(),
      type: z.string().nullish(),
    })
    .transform(({ message, code, type }) => ({
      message: typeof message === 'string' ? message : '',
      code: `${code ?? ''} ${type ?? ''}`.trim(),
    })),
]);

/**
 * The message in a failed response's body without `error`: the body itself, or the `detail` field of web
 * frameworks.
 */
export const ErrorBody = z.union([
  z.object({ error: z.undefined().optional(), message: z.string(), code: z.unknown(), type: z.unknown() }),
  z
    .object({ error: z.undefined().optional(), detail: z.string() })
    .transform(({ detail }) => ({ message: detail })),
]);
