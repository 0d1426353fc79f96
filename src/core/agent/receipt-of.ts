import type { Receipt } from '#shared/receipt';
import type { AnsweredRun } from './answer';
import type { NodeOutcome, RunContext } from './node-run';

/** The input of a receipt. */
interface EndedWork extends Pick<AnsweredRun, 'answer' | 'error'> {
  readonly ends: readonly NodeOutcome[];
}

/** Whether a model was refused input for lack of tokens; text it never read saves nothing. */
const withheld = ({ error, ends }: EndedWork): boolean =>
  ends.some(({ items }) => items?.overLimit !== undefined) ||
  [error, ...ends.map((end) => end.error)].some(
    (one) => one?.kind === 'BUDGET' && one.code === 'TOKEN_LIMIT',
  );

/**
 * The receipt of a run. A stopped run does not wait for it, and a missing receipt never fails a run. A run
 * has no receipt when a model could not read its input.
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
