import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownPrice, KnownPrices, priceIn } from './known-prices';
import { costOf, type Usage } from './model';
import { addSpent, costOfSpent, freshTokens, hitRate, spentBy, totalSpent, type ModelSpent } from './spent';
import { dollars, usageLines } from './usage-report';

const model = { providerId: 'lab', model: 'big' };
const usage = (inputTokens: number, more: Partial<Usage> = {}): Usage => ({
  modelTurns: 1,
  inputTokens,
  outputTokens: 100,
  ...more,
});
const call = (...of: Parameters<typeof usage>): ModelSpent => spentBy(model, usage(...of))!;

describe('[USE-tokens] the tokens of model calls', () => {
  it('are summed by model and step of input', () => {
    const spent = addSpent([], [call(10), call(20), call(150_000), call(5)]);
    expect(spent.map(({ calls, inputTokens, step }) => ({ calls, inputTokens, step }))).toEqual([
      { calls: 3, inputTokens: 35, step: 0 },
      { calls: 1, inputTokens: 150_000, step: 100_000 },
    ]);
    expect(totalSpent(spent)).toMatchObject({ calls: 4, inputTokens: 150_035, outputTokens: 400 });
  });

  it('count fresh input, and a hit rate only of calls that report a cache', () => {
    const spent = totalSpent([call(100, { cachedTokens: 60, cacheWriteTokens: 10 }), call(1_000)]);
    expect(freshTokens(spent)).toBe(1_030);
    expect(hitRate(spent)).toBe(0.6);
    expect(hitRate(call(1_000))).toBeNull();
  });

  it('are none for a request that no model read', () => {
    expect(spentBy(model, usage(0, { modelTurns: 0 }))).toBeNull();
  });
});

describe('[USE-cost] the cost of model calls', () => {
  const price = { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 };

  it('prices fresh, cached and written input and output', () => {
    const spent = usage(1_000_000, {
      cachedTokens: 500_000,
      cacheWriteTokens: 100_000,
      outputTokens: 100_000,
    });
    expect(costOf(spent, price)).toBeCloseTo(0.8 + 0.1 + 0.25 + 1);
  });

  it('uses the higher prices for a whole call with a long input, and only for that call', () => {
    const tiered = { ...price, above: { tokens: 100_000 as const, input: 20, output: 100 } };
    const spent = addSpent([], [call(100_000), call(100_001), call(100_000)]);
    const short = (100_000 * 2 + 100 * 10) / 1e6;
    const long = (100_001 * 20 + 100 * 100) / 1e6;
    expect(costOfSpent(spent, () => tiered).usd).toBeCloseTo(2 * short + long);
  });

  it('is unknown without a price, never 0', () => {
    expect(costOfSpent([call(10), call(20)], () => null)).toEqual({ usd: 0, unpriced: 2 });
  });

  it('of summed calls equals the sum of their costs', () => {
    const count = fc.integer({ min: 0, max: 300_000 });
    fc.assert(
      fc.property(fc.array(fc.record({ inputTokens: count, outputTokens: count })), (tokens) => {
        const tiered = { ...price, above: { tokens: 200_000 as const, input: 4, output: 20 } };
        const calls = tokens.map((each) => call(each.inputTokens, { outputTokens: each.outputTokens }));
        const one = calls.reduce((sum, each) => sum + costOfSpent([each], () => tiered).usd, 0);
        expect(costOfSpent(addSpent([], calls), () => tiered).usd).toBeCloseTo(one, 6);
      }),
    );
  });

  it.each([
    [0, '$0.00'],
    [0.000_012_3, '$0.000012'],
    [0.001_23, '$0.0012'],
    [0.012_3, '$0.012'],
    [0.5, '$0.50'],
    [0.999, '$1.00'],
    [12.345, '$12.35'],
  ])('writes %d as %s', (usd, written) => {
    expect(dollars(usd)).toBe(written);
  });
});

it('[USE-report] groups rows into lines with a part for each model', () => {
  const rows = [
    { ...call(100), key: '2026-01-02' },
    { ...call(100), model: { providerId: 'lab', model: 'small' }, key: '2026-01-02' },
    { ...call(150_000), key: '2026-01-01' },
  ];
  const priceOf = ({ model: name }: { readonly model: string }) =>
    name === 'big' ? { input: 1, output: 1 } : null;
  const days = usageLines('day', rows, priceOf, (key) => key);
  expect(days.map(({ key, calls, cost }) => [key, calls, cost.unpriced])).toEqual([
    ['2026-01-01', 1, 0],
    ['2026-01-02', 2, 1],
  ]);
  expect(days[1]?.parts.map((part) => part.model)).toEqual(['lab/big', 'lab/small']);
  expect(usageLines('model', rows, priceOf, (key) => key).map(({ key }) => key)).toEqual([
    'lab/big',
    'lab/small',
  ]);
});

describe('[USE-prices] the list of prices', () => {
  const known = KnownPrices.parse(JSON.parse(readFileSync('seeds/prices.json', 'utf8')));
  const rows = JSON.parse(readFileSync('seeds/providers.json', 'utf8')) as { id: string }[];

  it('names a dated source and a known provider for each price', () => {
    for (const { source, provider } of known.prices) {
      expect(known.sources[source]?.date).toMatch(/^2026-/);
      expect(rows.map(({ id }) => id)).toContain(provider);
    }
    const used = known.prices.map(({ source }) => source);
    for (const source of Object.keys(known.sources)) expect(used).toContain(source);
  });

  it('covers a dated version, at its own provider only', () => {
    const found = knownPrice(known, ['work', 'anthropic'], 'claude-sonnet-4-5-20250929');
    expect(found && priceIn(found)).toEqual({ input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 });
    expect(knownPrice(known, ['openrouter'], 'claude-sonnet-4-5')).toBeNull();
    expect(knownPrice(known, ['openai'], 'gpt-4o-audio-preview')).toBeNull();
  });
});
