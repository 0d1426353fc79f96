import { z } from 'zod';

const count = z.number().int().nonnegative();

/** The tokens of a cost by their price: `cached` is null when a provider did not report it. */
const Parts = z.object({ fresh: count, cached: count.nullable(), output: count });
export type ReceiptParts = z.infer<typeof Parts>;

/** `parts` is absent in receipts of earlier versions. */
const Cost = z.object({ turns: count, tokens: count, parts: Parts.optional() });

/** Model turns and tokens that a run used, with an estimate for calling the same tools directly. */
export const Receipt = z.object({ estimate: z.literal(true), calls: count, used: Cost, direct: Cost });
export type Receipt = z.infer<typeof Receipt>;

/** What providers charge on the whole, in units of one fresh input token. */
const weights = { cached: 0.1, output: 5 };

/** The price of a cost in units of one fresh input token. */
export const priceOf = ({ fresh: uncached, cached, output }: ReceiptParts): number =>
  uncached + (cached ?? 0) * weights.cached + output * weights.output;

/** The prices of both sides; null for receipts of earlier versions. */
export function prices({ used, direct }: Receipt): { readonly used: number; readonly direct: number } | null {
  return used.parts && direct.parts ? { used: priceOf(used.parts), direct: priceOf(direct.parts) } : null;
}
