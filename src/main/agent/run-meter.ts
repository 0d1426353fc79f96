import { appError, type AppError } from '#shared/app-error';
import { howToRaise, type RunBudgets } from '#shared/budgets';
import { addUsage, noUsage, type Usage } from '#shared/model';
import { createTokenEstimate, type TokenEstimate } from '../tools/model-usage';

/** What a run has spent: tool calls, model turns and tokens. */
export interface RunMeter {
  readonly countCall: () => void;
  readonly callsLeft: () => number;
  readonly countTurn: (usage: Usage) => void;
  readonly tokensLeft: () => number;
  /** BUDGET/TOKEN_LIMIT: the run's tokens are spent, or what comes next (`needed`) does not fit into what is left. */
  readonly tokenBreach: (needed?: number) => AppError;
  readonly usage: () => Usage;
  /** Tokens of texts nobody has counted yet. */
  readonly estimate: TokenEstimate;
  /** What the run may spend; before it is known, nothing limits planning. */
  readonly limit: (budgets: RunBudgets) => void;
}

export const tokensIn = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

export function createRunMeter(estimate: TokenEstimate = createTokenEstimate()): RunMeter {
  let budgets: RunBudgets | null = null;
  let calls = 0;
  let usage = noUsage;
  return {
    countCall: () => void (calls += 1),
    callsLeft: () => (budgets === null ? Infinity : budgets.tool_calls - calls),
    countTurn: (spent) => void (usage = addUsage(usage, spent)),
    tokensLeft: () => (budgets === null ? Infinity : budgets.tokens - tokensIn(usage)),
    tokenBreach: (needed) => {
      const limit = budgets?.tokens ?? 0;
      const next = needed === undefined ? '' : `, and the next model call needs about ${needed} to be read`;
      const message = `The run has used ${tokensIn(usage)} of its ${limit} model tokens${next}.`;
      return appError('BUDGET', 'TOKEN_LIMIT', message, { hint: howToRaise('run', 'tokens', limit) });
    },
    usage: () => usage,
    estimate,
    limit: (limits) => void (budgets = limits),
  };
}
