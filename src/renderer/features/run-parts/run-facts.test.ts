import type { RunState } from '#shared/session-state';
import { expect, it } from 'vitest';
import { costText, titleOf } from './run-facts';

it('[MAP-cost] says what the model steps of a waiting plan cost, and what is not known about it', () => {
  const cost = { items: 60, inputTokens: 12_400, maxTokens: 240_000 };
  expect(costText({ ...cost, maxUsd: 2.4 })).toBe(
    'The model is called 60 times: about 12,400 input tokens, at most 240,000 tokens in all. That many would cost about $2.40.',
  );
  expect(costText({ ...cost, inputTokens: null })).toBe(
    'The model is called 60 times: at most 240,000 tokens in all. Its price is unknown.',
  );
  expect(costText(null)).toBe('The model is called once for each item of a list that is not known yet.');
});

it('names the approval of a step in the language of the window, not in the words of the stored plan', () => {
  const nodes = [
    { id: 'approve_write', title: 'Stored words' },
    { id: 'write', title: 'Write it' },
  ];
  const run = { plan: { nodes }, announces: { approve_write: 'write' } } as unknown as RunState;
  expect(titleOf(run, 'write')).toBe('Write it');
  expect(titleOf(run, 'approve_write')).toBe('Approve: Write it');
  expect(titleOf(run, 'gone')).toBe('gone');
});
