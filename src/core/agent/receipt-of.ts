import type { Receipt } from '#shared/receipt';
import type { AnsweredRun } from './answer';
import type { NodeOutcome, RunContext } from './node-run';

/** What a receipt is made of. */
interface EndedWork extends Pick<AnsweredRun, 'answer' | 'error'> {
  readonly ends: readonly NodeOutcome[];
}

/** Whether a model was to read more than it might: what it never got is no saving. */
const withheld = ({ error, ends }: EndedWork): boolean =>
  [error, ...ends.map((end) => end.error)].some(
    (one) => one?.kind === 'BUDGET' && one.code === 'TOKEN_LIMIT',
  );

/**
 * A run that is stopped does not wait for its receipt, and none fails for the want of one. A run in which a model could
 * not read what it was to read has none.
 */
export async function receiptOf(
  { tokenTally, life, listing, meter, request: { goal } }: RunContext,
  work: EndedWork,
): Promise<{ readonly receipt?: Receipt }> {
  if (!tokenTally || life.signal.aborted || withheld(work)) return {};
  const { answer } = work;
  const end = { goal, answer, tools: listing.tools, usage: meter.usage() };
  const receipt = await tokenTally.receipt(end).catch(() => undefined);
  return receipt ? { receipt } : {};
}
