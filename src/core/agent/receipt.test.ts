import { describe, expect, it } from 'vitest';
import { boxHarness, twoSteps } from '../../testing/agent-plans';
import { tokensOf } from '../tools/model-usage';
import type { JsonObject } from '#shared/json';
import { priceOf, prices } from '#shared/receipt';
import { createTokenTally, directCost, schemaTokens } from './receipt';

const texts = { schemas: 1_000, goal: 6, answer: 20 };

describe('the receipt of a run', () => {
  it('[AGX-receipt] assumes that direct calling resends everything on every turn, and combines concurrent calls', () => {
    const call = { written: 10, read: 100 };
    const apart = directCost([[call], [call]], texts);
    // 1,010 + 10; then 1,010 + 4 + 10 + 104 + 10; then all of that plus the second result; then the answer.
    expect(apart).toMatchObject({ turns: 3, tokens: 1_020 + 1_138 + 1_246 + 20 });
    expect(directCost([[call, call]], texts).turns).toBe(2);
    expect(directCost([[call, call]], texts).tokens).toBeLessThan(apart.tokens);
  });

  it('[NUM-receipt] counts earlier messages of direct calling as cached, and the rest as fresh input and output', () => {
    const call = { written: 10, read: 100 };
    const { tokens, parts } = directCost([[call], [call]], texts);
    // The second turn finds the first request in the cache, the third one both.
    expect(parts).toEqual({ fresh: 1_010 + 118 + 118, cached: 1_010 + 1_128, output: 10 + 10 + 20 });
    expect(tokens).toBe((parts?.fresh ?? 0) + (parts?.cached ?? 0) + (parts?.output ?? 0));
  });

  it('[NUM-receipt] prices cached input at a tenth and output at five times fresh input', () => {
    const parts = { fresh: 100, cached: 1_000, output: 10 };
    expect(priceOf(parts)).toBe(250);
    expect(priceOf({ ...parts, cached: null })).toBe(150);
    const cost = { turns: 1, tokens: 1_110 };
    const priced = { ...cost, parts };
    expect(prices({ estimate: true, calls: 1, used: priced, direct: priced })).toEqual({
      used: 250,
      direct: 250,
    });
    expect(prices({ estimate: true, calls: 1, used: cost, direct: priced })).toBeNull();
  });

  it('assumes one turn for calls that overlap, and one each for calls after each other', async () => {
    const usage = { modelTurns: 1, inputTokens: 100, outputTokens: 5 };
    const end = { goal: 'g', answer: 'a', tools: [], usage };
    const tally = () => createTokenTally(() => Promise.resolve((text) => text.length));
    const together = tally();
    const ends = [together.startCall('x', {}), together.startCall('x', {})];
    for (const ended of ends) ended('r');
    expect(await together.receipt(end)).toMatchObject({ calls: 2, direct: { turns: 2 } });
    const apart = tally();
    apart.startCall('x', {})('r');
    apart.startCall('x', {})('r');
    expect(await apart.receipt(end)).toMatchObject({ calls: 2, direct: { turns: 3 } });
    expect(await tally().receipt(end)).toBeUndefined();
  });

  it.each([
    [undefined, { fresh: 100, cached: null, output: 5 }],
    [60, { fresh: 40, cached: 60, output: 5 }],
    // More than was sent is a mistake of the provider.
    [160, { fresh: 0, cached: 100, output: 5 }],
  ])('divides the input when the provider reports %s cached tokens', async (cachedTokens, parts) => {
    const tally = createTokenTally(() => Promise.resolve((text) => text.length));
    tally.startCall('x', {})('r');
    const usage = { modelTurns: 1, inputTokens: 100, outputTokens: 5, ...(cachedTokens && { cachedTokens }) };
    const receipt = await tally.receipt({ goal: 'g', answer: 'a', tools: [], usage });
    expect(receipt?.used).toEqual({ turns: 1, tokens: 105, parts });
  });

  it('counts no part of a schema that a model does not need', () => {
    const tokens = (inputSchema: JsonObject): number =>
      schemaTokens(
        (text) => text.length,
        [
          {
            uri: 'mcp://box.get',
            server: 'box',
            tool: 'get',
            serverVersion: '1',
            readOnly: true,
            description: '',
            inputSchema,
          },
        ],
      );
    const options = (more: JsonObject): JsonObject => ({ anyOf: [{ type: 'string', ...more }] });
    const plain = { type: 'object', properties: { a: options({}) } };
    const full = { ...plain, $schema: 'x', additionalProperties: false };
    expect(tokens({ ...full, properties: { a: options({ title: 'A' }) } })).toBe(tokens(plain));
    expect(tokens({ type: 'object' })).toBeLessThan(tokens(plain));
  });

  it('estimates a long text from its beginning', () => {
    const bytes = (text: string) => text.length;
    expect(tokensOf(bytes, 'a'.repeat(50_000))).toBe(50_000);
  });

  it('[AGX-receipt] is recorded with the end of the run and reported, and is not part of its hash', async () => {
    const { run, facts } = boxHarness({ countTokens: () => Promise.resolve((text) => text.length) });
    const report = await run({ provided: { plan: twoSteps } });
    const receipt = { estimate: true, calls: 1, used: { turns: 0, tokens: 0 }, direct: { turns: 2 } };
    expect(report.receipt).toMatchObject(receipt);
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', receipt });
    const bare = await boxHarness().run({ provided: { plan: twoSteps } });
    expect(bare).not.toHaveProperty('receipt');
    expect(report.summaryHash).toBe(bare.summaryHash);
  });
});
