import { spentNothing, type RunSpent } from './run-spent';
import type { SessionEvent, SessionFact } from './session-event';
import type { RunState } from './session-state';

const tokensOf = ({ usage }: { readonly usage?: RunState['usage'] | undefined }): number =>
  usage ? usage.inputTokens + usage.outputTokens : 0;

function added(spent: RunSpent, fact: SessionFact): RunSpent {
  switch (fact.type) {
    case 'tool-called':
      return { ...spent, calls: spent.calls + 1 };
    case 'plan-made':
    case 'plan-revised':
    case 'replan-failed':
    case 'node-ended':
      return { ...spent, tokens: spent.tokens + tokensOf(fact) };
    // The end knows every turn, that of the answer too.
    case 'run-ended':
      return { ...spent, tokens: tokensOf(fact) };
    default:
      return spent;
  }
}

const waits = ({ status, paused, approvals }: RunState): boolean =>
  (status === 'running' || status === 'planning') &&
  (paused === true || approvals.some((approval) => approval.status === 'open'));

function clocked({ waitingSince, ...spent }: RunSpent, waiting: boolean, at: number): RunSpent {
  if (waiting) return { ...spent, waitingSince: waitingSince ?? at };
  return waitingSince === undefined ? spent : { ...spent, waitedMs: spent.waitedMs + at - waitingSince };
}

/** A run after a fact, with what the fact spent; a run whose budgets are not known counts nothing. Pure. */
export function withSpent(run: RunState, fact: SessionFact & Pick<SessionEvent, 'at'>): RunState {
  if (!run.spent) return run;
  const spent = fact.type === 'run-resumed' ? spentNothing(fact.at) : added(run.spent, fact);
  return { ...run, spent: clocked(spent, waits(run), fact.at) };
}
