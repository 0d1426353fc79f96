import { expect, it } from 'vitest';
import type { ProviderModels } from '#shared/model';
import { ok } from '#shared/result';
import { Settings } from '#shared/settings';
import type { Terminal } from '../output';
import { priceSetCommand } from './usage';

const provider = (providerId: string, source: ProviderModels['source'] = 'configured'): ProviderModels => ({
  ...{ providerId, name: providerId, source },
  ...{ hasKey: false, models: [] },
});

function open(providers: readonly ProviderModels[]) {
  let stored = Settings.parse({});
  let printed = '';
  const out = (text: string) => void (printed += text);
  const terminal = { out, log: out, json: true } as unknown as Terminal;
  const app = {
    models: { listModels: () => Promise.resolve(providers) },
    providers: { offers: () => Promise.resolve([{ id: 'deepseek', name: 'DeepSeek' }]) },
    settings: {
      get: () => stored,
      patch: (change: Partial<Settings>) => {
        stored = { ...stored, ...change };
        return ok(stored);
      },
    },
  } as unknown as Parameters<typeof priceSetCommand>[0];
  return {
    set: (name: string, price: Parameters<typeof priceSetCommand>[3]) =>
      priceSetCommand(app, terminal, name, price),
    prices: () => stored.modelOptions,
    printed: () => printed,
  };
}
const price = { input: 2, output: 8 };

it('[USE-price-provider] refuses a price for a provider that does not exist, and lists those that do', async () => {
  const { set, prices, printed } = open([provider('lab'), provider('env'), provider('offline', 'offline')]);
  expect(await set('lba/big-model', price)).toBe(1);
  expect(prices()).toEqual({});
  expect(JSON.parse(printed())).toMatchObject({
    ...{ kind: 'HOST', code: 'NOT_FOUND', message: 'There is no provider "lba", so no price was saved.' },
    hint: 'Name the model as PROVIDER/MODEL with one of these providers: lab, env.',
  });
  expect(await set('deepseek/deepseek-chat', price)).toBe(1);
  expect(printed()).toContain('DeepSeek is not set up, so no price was saved.');
  expect(printed()).toContain('\\"patina provider add deepseek\\" sets it up; then set the price again.');
  expect(await set('lab/not-listed', price)).toBe(0);
  expect(prices()).toEqual({ 'lab/not-listed': { price } });
});

it('[USE-price-provider] names the command that adds a provider when there is none, and removes a price of one that is gone', async () => {
  const { set, printed } = open([provider('offline', 'offline')]);
  expect(await set('lab/big-model', price)).toBe(1);
  expect(printed()).toContain('\\"patina provider add\\" adds a provider.');
  expect(await set('lab/big-model', null)).toBe(0);
});
