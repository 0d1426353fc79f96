import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProviderModels } from '#shared/model';
import { isRowOf, ModelDetails, ProviderRows, type ProviderRow } from '#shared/provider-row';
import type { Script, ScriptedPage } from '../../../testing/scripted-model';
import { useProviderHome } from '../../../testing/use-provider-home';
import { createClientHarness } from '../../../testing/scripted-model-client';
import type { ScriptedRequest } from '../../../testing/scripted-reply';
import { llmLimits } from './limits';

const seeds = ProviderRows.parse(JSON.parse(readFileSync('seeds/providers.json', 'utf8')));
const seeded = (id: string): ProviderRow => seeds.find((row) => row.id === id)!;
const { home, server, onEnd } = useProviderHome();

type Page = (request: ScriptedRequest) => ScriptedPage | undefined;
const json = (value: unknown): ScriptedPage => ({
  type: 'body',
  contentType: 'application/json',
  body: JSON.stringify(value),
});

/** A server of one kind at a path, set up as the provider `mine`. */
async function open(kind: 'ollama' | 'gemini', base: string, page: Page, script: Partial<Script> = {}) {
  const model = await server({ page, ...script });
  const baseUrl = `http://127.0.0.1:${model.port}${base}`;
  const mine = { id: 'mine', name: 'Mine', baseUrl, key_variable: 'MY_KEY' };
  writeFileSync(path.join(home(), 'providers.json'), JSON.stringify({ providers: [mine] }));
  const rows = [{ ...seeded(kind), hosts: [`*:${model.port}`] }];
  const harness = createClientHarness({ home: home(), rows, localServers: [], env: { MY_KEY: 'key-1' } });
  const listed = async (): Promise<ProviderModels> => (await harness.client.listModels(true))[0]!;
  return { ...harness, model, listed, shows: () => model.requests.filter(isShow) };
}

const isShow = ({ path: at }: ScriptedRequest) => at.endsWith('/api/show');
/** Ollama's answer for each request of `/api/show`. */
const shown =
  (answer: (model: unknown) => ScriptedPage): Page =>
  (request) =>
    isShow(request) ? answer(request.json?.['model']) : undefined;

const llama = {
  license: 'A long text.',
  parameters: 'stop    "<|eot_id|>"\ntemperature    0.7',
  details: { family: 'llama' },
  model_info: { 'general.architecture': 'llama', 'llama.context_length': 131_072 },
  capabilities: ['completion', 'tools'],
};

describe('[CAP-listed] what Ollama says of each model', () => {
  it('is its context, and whether it reads images, calls tools and thinks', async () => {
    const info = { 'general.architecture': 'qwen3vl', 'qwen3vl.context_length': 262_144 };
    const models = {
      llama,
      small: { ...llama, parameters: 'num_ctx    8192\nstop "x"' },
      qwen: { model_info: info, capabilities: ['completion', 'vision', 'tools', 'thinking'] },
    };
    const page = shown((model) => json(models[model as keyof typeof models]));
    const { listed, shows } = await open('ollama', '/v1', page, { models: Object.keys(models) });
    const without = { images: false, tools: true, thinking: false };
    expect(await listed()).toMatchObject({
      models: ['llama', 'qwen', 'small'],
      contextTokens: { llama: 131_072, small: 8_192, qwen: 262_144 },
      abilities: {
        llama: without,
        small: without,
        qwen: { images: true, tools: true, thinking: true },
      },
    });
    expect(shows()[0]).toMatchObject({ method: 'POST', path: '/api/show', json: { model: 'llama' } });
  });

  it('is also read of a server that was found', async () => {
    const model = await server({ models: ['llama'], page: shown(() => json(llama)) });
    const row = { ...seeded('ollama'), baseUrl: model.baseUrl };
    const [found] = await createClientHarness({
      home: home(),
      rows: [row],
      localServers: [row],
    }).client.listModels(true);
    expect(found).toMatchObject({ source: 'discovered', contextTokens: { llama: 131_072 } });
    expect(model.requests.map(({ headers }) => headers['authorization'])).toEqual([undefined, undefined]);
  });

  it('follows an edited address, with its key', async () => {
    const { listed, shows } = await open(
      'ollama',
      '/behind/v1',
      shown(() => json(llama)),
    );
    expect((await listed()).contextTokens).toEqual({ scripted: 131_072 });
    expect(shows()[0]?.path).toBe('/behind/api/show');
    expect(shows()[0]?.headers['authorization']).toBe('Bearer key-1');
    for (const baseUrl of ['http://localhost:11434/v1', 'http://192.168.0.7:11434/v1'])
      expect(isRowOf(seeded('ollama'), baseUrl)).toBe(true);
    expect(isRowOf(seeded('ollama'), 'http://192.168.0.7:1143/v1')).toBe(false);
  });

  it('is asked for 8 models at a time, and for 200 at most', async () => {
    const warnings: unknown[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    onEnd(() => process.off('warning', warned));
    const ids = Array.from({ length: 230 }, (_, index) => `m${index}`);
    let most = 0;
    let running = 0;
    const page: Page = (request) => {
      if (!isShow(request)) return undefined;
      most = Math.max(most, (running += 1));
      void request.over.then(() => (running -= 1));
      return json(llama);
    };
    const { listed, shows } = await open('ollama', '/v1', page, { models: ids });
    const { models, contextTokens } = await listed();
    expect([models.length, Object.keys(contextTokens ?? {}).length, shows().length]).toEqual([230, 200, 200]);
    expect(most).toBeLessThanOrEqual(8);
    expect(warnings).toEqual([]);
  });

  it('is not asked on when no model of the first 8 is described', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `m${index}`);
    const old = await open('ollama', '/v1', () => undefined, { models: ids });
    expect((await old.listed()).models).toHaveLength(30);
    expect(old.shows()).toHaveLength(8);
  });

  it('is used as far as it came in time', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `m${String(index).padStart(2, '0')}`);
    const page = shown((model) => (String(model) < 'm08' ? json(llama) : { type: 'hang' }));
    const { listed, shows, clock } = await open('ollama', '/v1', page, { models: ids });
    const pending = listed();
    await expect.poll(() => shows().length).toBe(16);
    await clock.ring(llmLimits.detailsMs);
    const { models, contextTokens } = await pending;
    expect(models).toHaveLength(30);
    expect(Object.keys(contextTokens ?? {}).sort()).toEqual(ids.slice(0, 8));
    expect(shows()).toHaveLength(16);
  });

  it('is used for the other models when it cannot be read for one', async () => {
    const page = shown((model) => (model === 'broken' ? { type: 'status', status: 500 } : json(llama)));
    const { listed } = await open('ollama', '/v1', page, { models: ['broken', 'fine'] });
    expect((await listed()).contextTokens).toEqual({ fine: 131_072 });
  });

  it.each([
    { capabilities: 'vision', model_info: [], parameters: 5 },
    { capabilities: [1], model_info: { 'general.architecture': {}, 'llama.context_length': 5 } },
    { model_info: { 'general.architecture': 'llama', 'llama.context_length': 'many' } },
    { model_info: { 'general.architecture': 'llama', 'llama.context_length': -1 }, capabilities: [] },
    { parameters: `num_ctx ${'9'.repeat(400)}` },
  ])('counts as absent where a field is wrong: %j', async (answer) => {
    const { listed } = await open(
      'ollama',
      '/v1',
      shown(() => json(answer)),
    );
    const mine = await listed();
    expect(mine.models).toEqual(['scripted']);
    expect(mine).not.toHaveProperty('contextTokens');
    expect(mine).not.toHaveProperty('abilities');
  });
});

const geminiPage =
  (answer: ScriptedPage): Page =>
  ({ path: at }) =>
    at === '/v1beta/models' ? answer : undefined;

describe("[CAP-listed] Gemini's own list", () => {
  const entry = {
    name: 'models/gemini-pro',
    version: '001',
    displayName: 'Gemini Pro',
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent'],
    thinking: true,
  };

  it('says the context, the longest reply and the thinking of the listed models', async () => {
    const models = [entry, { name: 'models/plain', inputTokenLimit: 2_048 }, { name: 7 }, null];
    const { listed, model } = await open('gemini', '/v1beta/openai', geminiPage(json({ models })), {
      models: ['models/gemini-pro', 'models/plain'],
      key: 'key-1',
    });
    expect(await listed()).toMatchObject({
      models: ['gemini-pro', 'plain'],
      contextTokens: { 'gemini-pro': 1_048_576, plain: 2_048 },
      abilities: { 'gemini-pro': { outputTokens: 65_536, thinking: true } },
    });
    const own = model.requests.find(({ path: at }) => at === '/v1beta/models');
    expect(own).toMatchObject({ method: 'GET', headers: { 'x-goog-api-key': 'key-1' } });
    expect(own?.headers).not.toHaveProperty('authorization');
  });
});

describe('a server whose details cannot be used', () => {
  const models = [{ name: 'models/a', inputTokenLimit: 5 }];
  const huge = { ...llama, models, license: ' '.repeat(4 * 1024 * 1024) };
  const cases: readonly (readonly [string, ScriptedPage])[] = [
    ['does not know the address', { type: 'status', status: 404 }],
    ['refuses the key', { type: 'status', status: 403 }],
    ['fails', { type: 'status', status: 500 }],
    ['sends a page', { type: 'body', contentType: 'text/html', body: '<html>' }],
    ['sends too much', json(huge)],
    ['sends text', json('models')],
    ['sends other types', json({ models: { 'models/a': {} }, capabilities: 1, model_info: 'x' })],
  ];

  it.each(cases)('that %s, is listed without them', async (_what, answer) => {
    for (const [kind, base, page] of [
      ['gemini', '/v1beta/openai', geminiPage(answer)],
      ['ollama', '/v1', shown(() => answer)],
    ] as const) {
      const { listed } = await open(kind, base, page, { models: ['a'] });
      const mine = await listed();
      expect(mine).toMatchObject({ models: ['a'] });
      expect(mine).not.toHaveProperty('problem');
      expect(mine).not.toHaveProperty('contextTokens');
    }
  });

  it('that sends the request elsewhere, is not followed', async () => {
    const other = await server();
    const location = `${other.baseUrl}/models`;
    const answer = { type: 'status', status: 307, headers: { location } } as const;
    for (const [kind, base, page] of [
      ['gemini', '/v1beta/openai', geminiPage(answer)],
      ['ollama', '/v1', shown(() => answer)],
    ] as const) {
      const { listed } = await open(kind, base, page, { models: ['a'] });
      expect((await listed()).models).toEqual(['a']);
    }
    expect(other.requests).toEqual([]);
  });

  it('that does not answer, is given up after a while', async () => {
    const { listed, model, clock } = await open('gemini', '/v1beta/openai', geminiPage({ type: 'hang' }));
    const pending = listed();
    await expect.poll(() => model.requests.length).toBe(2);
    await clock.ring(llmLimits.detailsMs);
    expect((await pending).models).toEqual(['scripted']);
    expect(clock.pending()).toBe(0);
  });
});

it('[MDL-provider-rows] the address of details stays on the host of the provider', () => {
  const read = (at: string) => ModelDetails.safeParse({ form: 'ollama', path: at }).success;
  expect(['models', '../models', '../../api/show'].every(read)).toBe(true);
  expect(
    ['https://other.example/x', '//other.example', '/x', '../', '..//x', 'x?y', '\\\\x'].some(read),
  ).toBe(false);
});
