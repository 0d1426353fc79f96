import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { offlineModel } from '#shared/model';
import { useProviderHome } from '../../../testing/use-provider-home';
import { createClientHarness, eventsOf, textOf } from '../../../testing/scripted-model-client';
import { createFileSecrets } from '../secrets/file-secrets';
import type { ModelClientDeps } from './model-client';
import { createProviderFile } from './provider-file';
import { createProviderStore } from './provider-store';

const { home, server } = useProviderHome();

const harness = (deps: Partial<ModelClientDeps> = {}) => createClientHarness({ home: home(), ...deps });
const put = (value: unknown) =>
  writeFileSync(
    path.join(home(), 'providers.json'),
    typeof value === 'string' ? value : JSON.stringify(value),
  );
const text = () => readFileSync(path.join(home(), 'providers.json'), 'utf8');
const store = () => {
  const secrets = createFileSecrets({ home: home() });
  return { secrets, store: createProviderStore({ file: createProviderFile({ home: home() }), secrets }) };
};
const say = (providerId: string) => ({
  model: { providerId, model: 'm' },
  messages: [{ role: 'user' as const, content: 'hi' }],
});
const never = () => new AbortController().signal;

describe('providers from the file', () => {
  it('are used with the key stored under their reference, and are the default with their model', async () => {
    const model = await server({ key: 'sk-1', replies: [{ text: 'hello' }], models: ['b', 'a'] });
    const { secrets, store: providers } = store();
    const provider = { id: 'mine', name: 'Mine', baseUrl: `${model.baseUrl}/`, model: 'm' };
    expect(providers.save({ provider, key: ' sk-1\n', unprotected: true })).toEqual({
      ok: true,
      value: null,
    });
    expect(text()).not.toContain('sk-1');
    const { client } = harness({ secrets });
    expect(await client.defaultModel()).toEqual({ providerId: 'mine', model: 'm' });
    expect(textOf(await eventsOf(client.stream(say('mine'), never())))).toBe('hello');
    const [mine] = await client.listModels(false);
    expect(mine).toMatchObject({
      providerId: 'mine',
      source: 'configured',
      hasKey: true,
      models: ['m', 'a', 'b'],
    });
    expect(client.providerName('mine')).toBe('Mine');
  });

  it('come after the environment', async () => {
    const model = await server();
    put({ providers: [{ id: 'mine', name: 'Mine', baseUrl: model.baseUrl, model: 'm' }] });
    const { client } = harness({ env: { OPENAI_BASE_URL: model.baseUrl, PATINA_MODEL: 'e' } });
    expect(await client.defaultModel()).toEqual({ providerId: 'environment', model: 'e' });
    expect((await client.listModels(false)).map(({ providerId }) => providerId)).toEqual([
      'environment',
      'mine',
      'offline',
    ]);
  });

  it('keep their name after they are removed, and say what to do', async () => {
    put({ providers: [{ id: 'mine', name: 'Mine', baseUrl: 'http://127.0.0.1:9/v1' }] });
    const { client } = harness();
    store().store.remove('mine');
    const events = await eventsOf(client.stream(say('mine'), never()));
    expect(client.providerName('mine')).toBe('Mine');
    expect(events).toMatchObject([{ type: 'error', error: { kind: 'HOST', code: 'NOT_FOUND' } }]);
  });

  it('that are invalid are reported in the list, without affecting the others', async () => {
    const [good, locked] = [await server({ models: ['x'] }), await server({ key: 'sk-1' })];
    put({
      providers: [
        { id: 'locked', name: 'Locked', baseUrl: locked.baseUrl },
        { id: 'lost', name: 'Lost', baseUrl: good.baseUrl, secrets_ref: 'gone' },
        { id: 'good', name: 'Good', baseUrl: good.baseUrl },
      ],
    });
    const lists = await harness().client.listModels(true);
    expect(lists.map(({ providerId, models }) => [providerId, models.length])).toEqual([
      ['locked', 0],
      ['lost', 0],
      ['good', 1],
      ['offline', 1],
    ]);
    expect(lists[0]?.problem).toMatch(/asks for a key/);
    expect(lists[1]?.problem).toMatch(/No key is stored/);
    expect(lists[2]?.problem).toBeUndefined();
  });

  it('are listed again only on request', async () => {
    const model = await server();
    put({ providers: [{ id: 'mine', name: 'Mine', baseUrl: model.baseUrl }] });
    const { client } = harness();
    await client.listModels(false);
    await client.listModels(false);
    expect(model.requests).toHaveLength(1);
    await client.listModels(true);
    expect(model.requests).toHaveLength(2);
  });
});

it('[LLM-keys] secret headers of a provider are not shown when its server repeats them', async () => {
  const header = 'sk-canary-header/0451';
  const message = `Wrong: Bearer ${header}, Bearer ${encodeURIComponent(header)}, team blue-team`;
  const model = await server({ replies: [{ fault: { type: 'status', status: 400, message } }] });
  const headers = { 'X-Auth': `Bearer ${header}`, 'X-Team': 'blue-team' };
  put({ providers: [{ id: 'mine', name: 'Mine', baseUrl: model.baseUrl, headers }] });
  const [failed] = await eventsOf(harness().client.stream(say('mine'), never()));
  expect(JSON.stringify(failed)).toContain('It says: Wrong: [key], Bearer [key], team blue-team');
});

describe('a broken providers.json', () => {
  const entry = { id: 'a', name: 'A', baseUrl: 'http://127.0.0.1/v1' };
  it.each([
    ['{"providers":[', '', 'json'],
    ['', '', 'json'],
    ['[1]', '', 'invalid_type'],
    [{ providers: [{ ...entry, id: 'Not good' }] }, 'providers[0].id', 'invalid_format'],
    [{ providers: [entry, { ...entry, baseUrl: 'file:///x' }] }, 'providers[1].baseUrl', 'invalid_format'],
    [{ providers: [{ ...entry, baseUrl: 'http://u:p@x/v1' }] }, 'providers[0].baseUrl', 'address'],
    [{ providers: [{ ...entry, id: 'offline' }] }, 'providers[0].id', 'reserved'],
    [{ providers: [{ ...entry, id: 'this-computer' }] }, 'providers[0].id', 'reserved'],
    [{ providers: [entry, entry] }, 'providers[1].id', 'unique'],
  ])(
    '%j is reported with field and reason, stops only what needs it, and stays unchanged',
    async (value, field, rule) => {
      put(value);
      const before = text();
      const { client } = harness();
      const problem = { field, rule, file: path.join(home(), 'providers.json') };
      const error = {
        kind: 'CONFIG',
        code: 'INVALID',
        problems: expect.arrayContaining([expect.objectContaining(problem)]) as unknown,
      };
      expect(await eventsOf(client.stream(say('a'), never()))).toMatchObject([{ type: 'error', error }]);
      expect(await client.defaultModel()).toEqual(offlineModel);
      expect(client.setupProblem()).toMatchObject(error);
      const lists = await client.listModels(true);
      expect(lists.map(({ providerId }) => providerId)).toEqual(['providers.json', 'offline']);
      expect(lists[0]?.problem).toMatch(/providers\.json is not valid/);
      expect(store().store.save({ provider: { ...entry, id: 'new' } })).toMatchObject({ ok: false, error });
      expect(store().store.remove('a')).toMatchObject({ ok: false, error });
      expect(text()).toBe(before);
    },
  );
});

describe('saving a provider', () => {
  const provider = { id: 'mine', name: 'Mine', baseUrl: 'https://one.example/v1' };
  const saved = () => (JSON.parse(text()) as { providers: Record<string, unknown>[] }).providers;

  it('keeps unknown fields and the chosen model', () => {
    put({
      note: 'mine',
      providers: [
        { ...provider, model: 'old', color: 'red' },
        { ...provider, id: 'b' },
      ],
    });
    store().store.save({ provider: { ...provider, name: 'New' } });
    expect(JSON.parse(text())).toEqual({
      note: 'mine',
      providers: [
        { ...provider, name: 'New', model: 'old', color: 'red' },
        { ...provider, id: 'b' },
      ],
    });
  });

  it('keeps the key for the same origin, and deletes it for another', () => {
    const { store: providers } = store();
    providers.save({ provider, key: 'sk-1', unprotected: true });
    providers.save({ provider: { ...provider, baseUrl: 'https://one.example/api/v1' } });
    expect(saved()[0]?.['secrets_ref']).toBe('provider.mine');
    providers.save({ provider: { ...provider, baseUrl: 'https://other.example/v1' } });
    expect(saved()[0]?.['secrets_ref']).toBeUndefined();
  });

  it('[SET-key-in-place] changes the key in place, and deletes it when it is emptied', () => {
    const { store: providers, secrets } = store();
    providers.save({ provider, key: 'sk-1', unprotected: true });
    providers.save({ provider, key: 'sk-2', unprotected: true });
    expect(secrets.get('provider.mine')).toEqual({ ok: true, value: 'sk-2' });
    providers.save({ provider, key: '' });
    expect(saved()).toEqual([provider]);
    expect(secrets.get('provider.mine')).toMatchObject({ ok: false, error: { code: 'MISSING' } });
  });

  it('cannot take over the key of another provider', () => {
    store().store.save({ provider: { ...provider, secrets_ref: 'provider.other' } });
    expect(saved()[0]?.['secrets_ref']).toBeUndefined();
  });

  it('removes the key with the provider', () => {
    const { store: providers, secrets } = store();
    providers.save({ provider, key: 'sk-1', unprotected: true });
    expect(providers.remove('mine')).toEqual({ ok: true, value: null });
    expect(saved()).toEqual([]);
    expect(secrets.get('provider.mine')).toMatchObject({ ok: false, error: { code: 'MISSING' } });
  });
});
