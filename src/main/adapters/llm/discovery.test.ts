import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { offlineModel } from '#shared/model';
import { useProviderHome } from '../../../testing/use-provider-home';
import { createClientHarness, eventsOf, textOf } from '../../../testing/scripted-model-client';
import { createFileSecrets } from '../secrets/file-secrets';
import { llmLimits } from './limits';
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
const store = () => {
  const secrets = createFileSecrets({ home: home() });
  return { secrets, store: createProviderStore({ file: createProviderFile({ home: home() }), secrets }) };
};
const say = (providerId: string) => ({
  model: { providerId, model: 'm' },
  messages: [{ role: 'user' as const, content: 'hi' }],
});
const never = () => new AbortController().signal;

describe('[WIN-context-ring] the context size of a model', () => {
  it('is known if the server reports it, otherwise unknown', async () => {
    const [telling, silent] = [
      await server({ models: ['large'], contextTokens: 32_768 }),
      await server({ models: ['small'] }),
    ];
    put({
      providers: [
        { id: 'telling', name: 'Telling', baseUrl: telling.baseUrl },
        { id: 'silent', name: 'Silent', baseUrl: silent.baseUrl },
      ],
    });
    const lists = await harness({ localServers: [] }).client.listModels(true);
    expect(lists.slice(0, 2)).toMatchObject([{ contextTokens: { large: 32_768 } }, { models: ['small'] }]);
    expect(lists[1]).not.toHaveProperty('contextTokens');
  });
});

describe('[LLM-discover] servers on loopback', () => {
  it('are found while they run, without a key, and only once', async () => {
    const [ollama, other] = [await server({ models: ['llama3.2'] }), await server({ models: 500 })];
    put({
      providers: [{ id: 'mine', name: 'Mine', baseUrl: other.baseUrl.replace('127.0.0.1', 'localhost') }],
    });
    const localServers = [
      { id: 'ollama', name: 'Ollama', baseUrl: ollama.baseUrl },
      { id: 'lm-studio', name: 'LM Studio', baseUrl: other.baseUrl },
      { id: 'silent', name: 'Silent', baseUrl: 'http://127.0.0.1:9/v1' },
    ];
    const { client } = harness({ localServers });
    const lists = await client.listModels(true);
    expect(lists.map(({ providerId }) => providerId)).toEqual(['mine', 'ollama', 'offline']);
    expect(lists[1]).toMatchObject({ source: 'discovered', models: ['llama3.2'], hasKey: false });
    expect(ollama.requests[0]?.headers['authorization']).toBeUndefined();
    ollama.add({ text: 'from the llama' });
    expect(textOf(await eventsOf(client.stream(say('ollama'), never())))).toBe('from the llama');
    const offline = await eventsOf(client.stream({ ...say('offline'), model: offlineModel }, never()));
    expect(textOf(offline)).toContain('**Ollama** (llama3.2) can answer now');
  });

  it('that hang are abandoned soon', async () => {
    const silent = await server({ models: 'hang' });
    const { client, clock } = harness({
      localServers: [{ id: 'ollama', name: 'Ollama', baseUrl: silent.baseUrl }],
    });
    const lists = client.listModels(true);
    await clock.ring(llmLimits.discoverMs);
    expect(await lists).toMatchObject([{ providerId: 'offline' }]);
  });
});

describe('testing an address before it is saved', () => {
  it('lists its models with the key given', async () => {
    const model = await server({ key: 'sk-new', models: ['x'] });
    const { client } = harness();
    expect(await client.probe({ baseUrl: model.baseUrl, key: 'sk-new' })).toEqual({ ok: true, value: ['x'] });
    expect(await client.probe({ baseUrl: model.baseUrl })).toMatchObject({
      ok: false,
      error: { code: 'AUTH' },
    });
    expect(await client.probe({ baseUrl: 'nowhere' })).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG' },
    });
  });

  it('uses the headers, the organisation and the proxy of the form, and hidden headers at their origin only', async () => {
    const [own, foreign] = [await server({ models: ['x'] }), await server()];
    const { secrets, store: providers } = store();
    const headers = { 'X-Token': 'hidden', 'X-Old': 'old' };
    const proxy = 'http://127.0.0.1:9';
    providers.save({ provider: { id: 'mine', name: 'Mine', baseUrl: own.baseUrl, headers, proxy } });
    const { client } = harness({ secrets });
    const form = { headers: { 'X-Token': null, 'X-Team': 'a' }, organization: 'org', proxy: null };
    expect(await client.probe({ baseUrl: own.baseUrl, id: 'mine', ...form })).toMatchObject({ ok: true });
    const sent = { 'x-token': 'hidden', 'x-team': 'a', 'openai-organization': 'org' };
    expect(own.requests[0]?.headers).toMatchObject(sent);
    expect(own.requests[0]?.headers['x-old']).toBeUndefined();
    await client.probe({ baseUrl: foreign.baseUrl, id: 'mine', ...form });
    expect(foreign.requests[0]?.headers).toMatchObject({ 'x-team': 'a' });
    expect(foreign.requests[0]?.headers['x-token']).toBeUndefined();
  });

  it('sends a stored key only to its own origin', async () => {
    const [own, foreign] = [await server({ key: 'sk-1' }), await server()];
    const { secrets, store: providers } = store();
    const provider = { id: 'mine', name: 'Mine', baseUrl: own.baseUrl };
    providers.save({ provider, key: 'sk-1', unprotected: true });
    const { client } = harness({ secrets });
    expect(await client.probe({ baseUrl: own.baseUrl, id: 'mine' })).toMatchObject({ ok: true });
    expect(await client.probe({ baseUrl: foreign.baseUrl, id: 'mine' })).toMatchObject({ ok: true });
    expect(foreign.requests[0]?.headers['authorization']).toBeUndefined();
  });
});
