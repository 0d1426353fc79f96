import { describe, expect, it } from 'vitest';
import { addUsage, noUsage, reportedUsage } from './model';

const turn = { modelTurns: 1, inputTokens: 100, outputTokens: 10 };

describe('the usage of several model calls', () => {
  it('[NUM-usage] adds up the cached and thinking tokens that every reply reported, including zero', () => {
    const one = { ...turn, cachedTokens: 0, reasoningTokens: 4 };
    const sum = addUsage(addUsage(noUsage, one), { ...one, cachedTokens: 60 });
    expect(sum).toEqual({
      modelTurns: 2,
      inputTokens: 200,
      outputTokens: 20,
      cachedTokens: 60,
      reasoningTokens: 8,
    });
  });

  it('[NUM-usage] is null for them as soon as one reply omits them', () => {
    const sum = addUsage({ ...turn, cachedTokens: 60 }, turn);
    expect(sum).not.toHaveProperty('cachedTokens');
    expect(reportedUsage(sum)).toMatchObject({ cachedTokens: null, reasoningTokens: null });
    expect(reportedUsage({ ...turn, cachedTokens: 0 })).toMatchObject({ cachedTokens: 0 });
  });
});
