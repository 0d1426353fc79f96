import type { Receipt } from '#shared/receipt';
import type { RunContext } from './node-run';

/** A run that is stopped does not wait for its receipt, and none fails for the want of one. */
export async function receiptOf(
  { book, life, listing, meter, request: { goal } }: RunContext,
  answer: string,
): Promise<{ readonly receipt?: Receipt }> {
  if (!book || life.signal.aborted) return {};
  const end = { goal, answer, tools: listing.tools, usage: meter.usage() };
  const receipt = await book.receipt(end).catch(() => undefined);
  return receipt ? { receipt } : {};
}
