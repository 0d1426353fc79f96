import { appError, type AppError } from '#shared/app-error';
import { howToRaise, type RunBudgets } from '#shared/budgets';
import { addUsage, noUsage, type ModelRef, type Usage } from '#shared/model';
import type { FactOf, FailedAttempt, ModelCallPart } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import { createTokenEstimate, type TokenEstimate } from '../tools/model-usage';

type ModelCalled = FactOf<'model-called'>;

/** Counts the resources of a run: tool calls, model turns and tokens. */
export interface RunMeter {
  readonly countCall: () => void;
  readonly callsLeft: () => number;
  readonly tokensLeft: () => number;
  /**
   * BUDGET/TOKEN_LIMIT: the run's tokens are used up, also by a call that is not counted yet (`uncounted`), or the
   * next call (`needed`) does not fit the rest.
   */
  readonly tokenBreach: (tokens?: { readonly uncounted?: number; readonly needed?: number }) => AppError;
  /** Whether a model call was refused or cut because the run's tokens ran out. */
  readonly outOfTokens: () => boolean;
  /** Without what was used before. */
  readonly usage: () => Usage;
  /** Called when a model call begins; returns functions that record the start and the end of its reply. */
  readonly callBegan: (call: MeteredCall) => {
    /** A piece of the reply came; `thinks`: of what the model thinks. */
    readonly replied: (thinks: boolean) => void;
    /** How long the model has thought, in milliseconds. */
    readonly thoughtMs: () => number;
    /** The provider refused the call for now; it is sent again in `waitMs`. */
    readonly delayed: (error: AppError, waitMs: number) => void;
    readonly ended: (usage: Usage, error?: AppError) => void;
  };
  /** Estimates tokens of texts that no provider counted. */
  readonly estimate: TokenEstimate;
  /** Sets the run's limits and what was used of them before; until then planning is unlimited. */
  readonly limit: (budgets: RunBudgets, before?: Usage) => void;
}

/** The purpose of a model call. */
export interface MeteredCall {
  readonly part: ModelCallPart;
  readonly node?: string | undefined;
  readonly model: ModelRef;
}

export interface RunMeterDeps {
  readonly estimate: TokenEstimate;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Called when a model call has ended. */
  readonly onCall: (
    call: MeteredCall,
    spent: Pick<ModelCalled, 'usage' | 'ms' | 'firstMs' | 'failure' | 'failedAttempts'>,
  ) => void;
  /** Called when the provider delays a call; returns a function that ends the delay. */
  readonly onDelay?: (error: AppError, waitMs: number) => () => void;
}

const errorType = ({ kind, code }: AppError): string => `${kind}/${code}`;

export const tokensIn = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

const nobodyListens: RunMeterDeps = {
  estimate: createTokenEstimate(),
  clock: { elapsed: () => 0 },
  onCall: () => undefined,
};

export function createRunMeter({ estimate, clock, onCall, onDelay } = nobodyListens): RunMeter {
  let budgets: RunBudgets | null = null;
  let calls = 0;
  let usage = noUsage;
  let before = noUsage;
  let breached = false;
  const tokensUsed = (): number => tokensIn(before) + tokensIn(usage);
  return {
    countCall: () => void (calls += 1),
    callsLeft: () => (budgets === null ? Infinity : budgets.tool_calls - calls),
    tokensLeft: () => (budgets === null ? Infinity : budgets.tokens - tokensUsed()),
    tokenBreach: ({ uncounted = 0, needed } = {}) => {
      breached = true;
      const limit = budgets?.tokens ?? 0;
      const next = needed === undefined ? '' : `, and the input of the next model call needs about ${needed}`;
      const message = `The run has used ${tokensUsed() + uncounted} of its ${limit} model tokens${next}.`;
      return appError('BUDGET', 'TOKEN_LIMIT', message, { hint: howToRaise('run', 'tokens', limit) });
    },
    outOfTokens: () => breached,
    usage: () => usage,
    callBegan: (call) => {
      const began = clock.elapsed();
      let firstMs: number | undefined;
      let thinksSince: number | undefined;
      let thoughtMs = 0;
      let endDelay = (): void => undefined;
      const failedAttempts: FailedAttempt[] = [];
      const thoughtUntil = (now: number): number =>
        thoughtMs + (thinksSince === undefined ? 0 : now - thinksSince);
      return {
        replied: (thinks) => {
          endDelay();
          const now = clock.elapsed();
          firstMs ??= now - began;
          if (thinks) thinksSince ??= now;
          else {
            thoughtMs = thoughtUntil(now);
            thinksSince = undefined;
          }
        },
        thoughtMs: () => Math.round(thoughtUntil(clock.elapsed())),
        delayed: (error, waitMs) => {
          endDelay();
          failedAttempts.push({ ms: clock.elapsed() - began, failure: errorType(error), waitMs });
          if (onDelay) endDelay = onDelay(error, waitMs);
        },
        ended: (spent, error) => {
          endDelay();
          usage = addUsage(usage, spent);
          onCall(call, {
            usage: spent,
            ms: clock.elapsed() - began,
            ...(firstMs !== undefined && { firstMs }),
            ...(error && { failure: errorType(error) }),
            ...(failedAttempts.length > 0 && { failedAttempts }),
          });
        },
      };
    },
    estimate,
    limit: (limits, used = noUsage) => {
      budgets = limits;
      before = used;
    },
  };
}
