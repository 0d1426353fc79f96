import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { totalSpent } from '#shared/spent';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let harness: MainHarness;
afterEach(() => harness.close());

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cachedTokens: 500_000,
  reasoningTokens: 10_000,
};
const price = { input: 4, cachedInput: 1, output: 10 };

async function start(options: MainHarnessOptions = {}): Promise<MainHarness> {
  harness = await startMain({
    replies: Array.from({ length: 4 }, () => ({ text: 'Yes.', usage })),
    ...options,
  });
  return harness;
}
const setPrice = () => must(harness.app.settings.patch({ modelOptions: { 'environment/m': { price } } }));
const report = (by: 'day' | 'model' | 'session' = 'day') => must(harness.app.usage.report({ by }));

describe('[USE-report] the usage and cost of a conversation', () => {
  it('are unknown without a price, and known as soon as the user sets one', async () => {
    await start();
    const turn = await harness.say('hello');
    expect(turn.spent && totalSpent(turn.spent)).toMatchObject({
      calls: 1,
      ...usage,
      reportedInput: 1_000_000,
    });
    expect(report().total.cost).toEqual({ usd: 0, unpriced: 1 });
    setPrice();
    expect(report().total).toMatchObject({ ...usage, calls: 1, cost: { usd: 3.5, unpriced: 0 } });
    expect(report('model').lines.map(({ key }) => key)).toEqual(['environment/m']);
    const [line] = report('session').lines;
    expect(line).toMatchObject({ key: harness.sessionId, name: harness.state().title });
    must(harness.app.log.remove(harness.sessionId));
    expect(report('session').lines.map(({ key }) => key)).toEqual(['']);
  });

  it('[USE-prices] use the prices of the file in the home folder', async () => {
    const list = {
      sources: { mine: { page: 'https://example.org/prices', date: '2026-01-02' } },
      prices: [{ provider: 'environment', model: 'm', ...price, source: 'mine' }],
    };
    await start({ prepareHome: (home) => writeFileSync(join(home, 'prices.json'), JSON.stringify(list)) });
    await harness.say('hello');
    expect(report().total.cost).toEqual({ usd: 3.5, unpriced: 0 });
    expect(harness.app.prices()[0]).toMatchObject({ list: 'own', date: '2026-01-02', input: 4 });
  });

  it('[USE-prices] start with a damaged price file, and report it', async () => {
    await start({ prepareHome: (home) => writeFileSync(join(home, 'prices.json'), '{"prices": 1}') });
    expect(harness.app.notices.all().map(({ id }) => id)).toContain('price-file');
  });
});

it('[CAP-order] prefer the user’s description of a model to its provider and the known list', async () => {
  await start({ models: ['gpt-4o', 'm'] });
  const read = async () => {
    const [listed] = await harness.app.models.listModels(false);
    return { abilities: listed?.abilities?.['gpt-4o'], context: listed?.contextTokens?.['gpt-4o'] };
  };
  expect(await read()).toEqual({
    abilities: { outputTokens: 16_384, images: true, tools: true, thinking: false },
    context: 128_000,
  });
  const own = { images: false, contextTokens: 1_000 };
  must(harness.app.settings.patch({ modelOptions: { 'environment/gpt-4o': own } }));
  expect(await read()).toMatchObject({ abilities: { images: false, tools: true }, context: 1_000 });
});

describe('[USE-limit] the monthly limit', () => {
  it('warns at 80 % once, and at 100 %', async () => {
    await start();
    setPrice();
    must(harness.app.settings.patch({ monthlyLimit: 8 }));
    const told: string[] = [];
    harness.app.notices.subscribe(({ id, title }) => id === 'spending-limit' && told.push(title));
    for (const text of ['one', 'two', 'three', 'four']) await harness.say(text);
    expect(told).toHaveLength(2);
    expect(told[0]).toMatch(/^80 % of the monthly limit/);
    expect(told[1]).toMatch(/is reached$/);
    expect(harness.model.chats()).toHaveLength(4);
  });

  it('refuses Ask and Agent Mode alike when the user wants it to stop, and offline still answers', async () => {
    await start();
    setPrice();
    must(harness.app.settings.patch({ monthlyLimit: 3, limitAction: 'stop' }));
    await harness.say('one');
    const { reply } = await harness.say('two');
    expect(reply).toMatchObject({ status: 'failed', error: { kind: 'BUDGET', code: 'COST_LIMIT' } });
    expect(reply?.error?.message).toContain('$3.50');
    expect(reply?.error?.hint).toContain('Settings → Usage');
    const { run } = await harness.say('Count the clouds', { runMode: 'agent' });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'COST_LIMIT' } });
    expect(harness.model.chats()).toHaveLength(1);
    must(harness.app.settings.patch({ limitAction: 'warn' }));
    expect((await harness.say('three')).reply).toMatchObject({ status: 'done' });
    must(
      harness.app.settings.patch({ limitAction: 'stop', model: { providerId: 'offline', model: 'offline' } }),
    );
    expect((await harness.say('four')).reply).toMatchObject({ status: 'done' });
  });
});
