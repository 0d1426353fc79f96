import { describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import { scriptNode, planOf } from '../../testing/agent-plans';
import { isReplannable, nextStepOnFailure, type Attempted } from './next-step';

const stepOf = (more: object = {}) => {
  const [node] = planOf([scriptNode('work', '', more)]).nodes;
  if (!node) throw new Error('no step');
  return node;
};
const first: Attempted = { attempt: 1, onlyRead: true, hasUnknownOutcome: false, msLeft: 1_000 };
const passing = appError('TOOL', 'FAILED', 'Busy.', { retryable: true });
const denied = appError('POLICY', 'APPROVAL_DENIED', 'No.');
const crash = appError('SANDBOX', 'PROC_CRASH', 'The worker ended.');

describe('the next step after a failure', () => {
  it.each<[string, AppError, Partial<Attempted>, object, object]>([
    ['a passing failure', passing, {}, {}, { type: 'retry', waitMs: 0 }],
    ['a wait that fits', { ...passing, retryAfterMs: 999 }, {}, {}, { type: 'retry', waitMs: 999 }],
    [
      'a wait as long as the run has left',
      { ...passing, retryAfterMs: 1_000 },
      {},
      {},
      { type: 'replan', tooLongMs: 1_000 },
    ],
    ['a crash of the worker', crash, {}, {}, { type: 'retry', waitMs: 0 }],
    ['a second failure', passing, { attempt: 2 }, {}, { type: 'replan' }],
    ['a step that may have written', passing, { onlyRead: false }, {}, { type: 'replan' }],
    [
      'an idempotent step that may have written',
      passing,
      { onlyRead: false },
      { idempotent: true },
      { type: 'retry', waitMs: 0 },
    ],
    [
      'a step that says it is not idempotent',
      passing,
      { onlyRead: false },
      { idempotent: false },
      { type: 'replan' },
    ],
    ['a lasting failure', { ...passing, retryable: false }, {}, {}, { type: 'replan' }],
    ['a wrong name', { ...passing, code: 'NOT_FOUND' } as AppError, {}, {}, { type: 'replan' }],
    ['wrong arguments', { ...passing, code: 'INVALID_ARGUMENTS' } as AppError, {}, {}, { type: 'replan' }],
    ['a refusal of the user', denied, {}, {}, { type: 'give-up' }],
    [
      'a refusal that calls itself temporary',
      { ...denied, retryable: true },
      { attempt: 2 },
      {},
      { type: 'give-up' },
    ],
    [
      'a busy model',
      appError('LLM', 'RATE_LIMITED', 'Busy.', { retryable: true, retryAfterMs: 5_000 }),
      {},
      {},
      { type: 'give-up', tooLongMs: 5_000 },
    ],
    [
      'a write whose outcome is unknown',
      passing,
      { hasUnknownOutcome: true },
      { idempotent: true },
      { type: 'give-up' },
    ],
  ])('after %s', (_what, error, attempted, node, next) => {
    expect(nextStepOnFailure(stepOf(node), error, { ...first, ...attempted })).toEqual(next);
  });

  it.each<[AppError, boolean]>([
    [appError('TOOL', 'NOT_FOUND', ''), true],
    [appError('CODE', 'RUNTIME_ERROR', ''), true],
    [appError('POLICY', 'CAPABILITY_DENIED', ''), true],
    [denied, false],
    ...(
      [
        'CPU_LIMIT',
        'OPS_LIMIT',
        'MEMORY_LIMIT',
        'STACK_LIMIT',
        'OUTPUT_LIMIT',
        'TOKEN_LIMIT',
        'TOOL_CALLS',
      ] as const
    ).map((code): [AppError, boolean] => [appError('BUDGET', code, ''), true]),
    [appError('BUDGET', 'WALL_CLOCK', ''), false],
    [crash, true],
    [appError('LLM', 'INVALID_REPLY', ''), true],
    [appError('LLM', 'CONTEXT_LIMIT', ''), true],
    [appError('LLM', 'RATE_LIMITED', ''), false],
    [appError('CONFIG', 'INVALID', ''), false],
    [appError('HOST', 'STORAGE', ''), false],
  ])('another plan may avoid the failure $kind/$code, or not', (error, avoidable) => {
    expect(isReplannable(error)).toBe(avoidable);
  });
});
