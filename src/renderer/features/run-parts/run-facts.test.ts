import { expect, it } from 'vitest';
import { costText } from './run-facts';

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
