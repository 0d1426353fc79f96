import { appError, type AppError } from '#shared/app-error';
import type { RunBudgets } from '#shared/budgets';
import { noUsage, type Usage } from '#shared/model';

/** What a run has spent: tool calls, model turns and tokens. */
export interface RunMeter {
  readonly countCall: () => void;
  readonly callsLeft: () => number;
  readonly countTurn: (inputTokens: number, outputTokens: number) => void;
  readonly tokensLeft: () => number;
  /** BUDGET/TOKEN_LIMIT once the run's tokens are spent. */
  readonly tokenBreach: () => AppError | null;
  readonly usage: () => Usage;
  /** What the run may spend; before it is known, nothing limits planning. */
  readonly limit: (budgets: RunBudgets) => void;
}

export function createRunMeter(): RunMeter {
  let budgets: RunBudgets | null = null;
  let calls = 0;
  let usage = noUsage;
  const tokensLeft = (): number =>
    budgets === null ? Infinity : budgets.tokens - usage.inputTokens - usage.outputTokens;
  return {
    countCall: () => void (calls += 1),
    callsLeft: () => (budgets === null ? Infinity : budgets.tool_calls - calls),
    countTurn: (inputTokens, outputTokens) => {
      usage = {
        modelTurns: usage.modelTurns + 1,
        inputTokens: usage.inputTokens + inputTokens,
        outputTokens: usage.outputTokens + outputTokens,
      };
    },
    tokensLeft,
    tokenBreach: () =>
      tokensLeft() > 0
        ? null
        : appError('BUDGET', 'TOKEN_LIMIT', 'The run has spent all its model tokens.', {
            hint: 'budgets.json: run.tokens',
          }),
    usage: () => usage,
    limit: (limits) => void (budgets = limits),
  };
}
