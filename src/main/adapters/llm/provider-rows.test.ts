import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProvidersFile, type Provider } from '#shared/model';
import { ProviderRows, type ProviderEdit } from '#shared/provider-row';
import { useProviderHome } from '../../../testing/use-provider-home';
import { createClientHarness, eventsOf, textOf } from '../../../testing/scripted-model-client';
import { createFileSecrets } from '../secrets/file-secrets';
import { callIdForm, withCallIds } from './call-ids';
import { createProviderFile } from './provider-file';
import { createProviderStore } from './provider-store';
import { detectWire } from './wires';

const rows = ProviderRows.parse(JSON.parse(readFileSync('seeds/providers.json', 'utf8')));
const { home, server, onEnd } = useProviderHome();

const edit = (fields: Partial<ProviderEdit> = {}): ProviderEdit => ({
  ...{ name: 'Mine', baseUrl: 'https://one.example/v1', wire: null, organization: null },
  ...{ models: [], headers: {}, timeouts: {}, proxy: null, keyVariable: null },
  ...fields,
});
function open(extra: Parameters<typeof createClientHarness>[0] = {}) {
  const secrets = createFileSecrets({ home: home() });
  const file = createProviderFile({ home: home() });
  const store = createProviderStore({ file, secrets, rows, env: extra.env ?? {} });
  return {
    secrets,
    store,
    ...createClientHarness({ home: home(), secrets, rows, localServers: [], ...extra }),
  };
}
const stored = (): readonly Provider[] =>
  ProvidersFile.parse(JSON.parse(readFileSync(path.join(home(), 'providers.json'), 'utf8'))).providers;
const say = (model = 'm') => ({
  model: { providerId: 'mine', model },
  messages: [{ role: 'user' as const, content: 'hi' }],
});
const never = () => new AbortController().signal;

describe('known providers', () => {
  it('[MDL-provider-rows] are data, each with the protocol that its address implies', () => {
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const name of ['openai', 'anthropic', 'gemini', 'azure', 'groq', 'deepseek', 'mistral'])
      expect(ids).toContain(name);
    for (const name of ['openrouter', 'xai', 'ollama', 'lm-studio', 'vllm', 'llama-cpp'])
      expect(ids).toContain(name);
    for (const row of rows) expect([row.id, detectWire(row.baseUrl)]).toEqual([row.id, row.wire]);
  });

  it('[MDL-provider-rows] apply their quirks to a server at their address', async () => {
    const model = await server({ models: ['models/a', 'b'], replies: [{ text: 'ok' }] });
    const [row] = rows;
    const quirky = {
      ...row!,
      baseUrl: model.baseUrl,
      listPrefix: 'models/',
      omits: ['stream_options' as const],
    };
    const { store, client } = open({ rows: [quirky] });
    store.edit({ id: 'mine', edit: edit({ baseUrl: model.baseUrl, wire: 'chat' }) });
    expect((await client.listModels(true))[0]?.models).toEqual(['a', 'b']);
    expect(textOf(await eventsOf(client.stream(say(), never())))).toBe('ok');
    const sent = model.requests.at(-1)?.json;
    expect(sent).toHaveProperty('messages');
    expect(sent).not.toHaveProperty('stream_options');
  });

  it('[MDL-provider-rows] send calls with ids that the provider takes', async () => {
    const model = await server({ replies: [{ text: 'ok' }, { text: 'ok' }] });
    const mistral = rows.find(({ id }) => id === 'mistral')!;
    const { store, client } = open({ rows: [{ ...mistral, baseUrl: model.baseUrl }] });
    store.edit({ id: 'mine', edit: edit({ baseUrl: model.baseUrl, wire: 'chat' }) });
    const ids = ['earlier_plan', 'call_0', 'toolu_01A', 'aB3xK9mP2'];
    const toolCalls = ids.map((id) => ({ id, name: 'read_text', argumentsJson: '{}' }));
    const messages = [
      ...say().messages,
      { role: 'assistant' as const, content: '', toolCalls },
      ...ids.map((id) => ({ role: 'tool' as const, toolCallId: id, content: id })),
    ];
    await eventsOf(client.stream({ ...say(), messages }, never()));
    const sent = model.requests.at(-1)?.json as unknown as {
      messages: readonly { tool_calls?: readonly { id: string }[]; tool_call_id?: string }[];
    };
    const calls = sent.messages.flatMap(({ tool_calls: made = [] }) => made.map(({ id }) => id));
    expect(new Set(calls).size).toBe(ids.length);
    expect(calls).toEqual(ids.map(() => expect.stringMatching(/^[a-zA-Z0-9]{9}$/) as string));
    expect(calls.at(-1)).toBe('aB3xK9mP2');
    expect(sent.messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]))).toEqual(calls);
  });

  it('[MDL-provider-rows] name the ids of calls that chat completions of each provider take', () => {
    const long = `call_${'x'.repeat(40)}`;
    const taken = (id: string, model: string) => {
      const callIds = rows.find((row) => row.id === id)?.callIds;
      return callIdForm({ wire: 'chat', callIds }, model, new Set());
    };
    expect(taken('openai', 'gpt-x')).toBe('up-to-40');
    expect(taken('azure', 'my-deployment')).toBe('up-to-40');
    expect(taken('mistral', 'm')).toBe('nine');
    expect(taken('gemini', 'gemini-x')).toBe('any');
    const routed = ['openai/gpt-x', 'anthropic/claude-x', 'mistralai/m', 'google/gemini-x'];
    expect(routed.map((model) => taken('openrouter', model))).toEqual(['up-to-40', 'word', 'nine', 'any']);
    const messages = [{ role: 'tool' as const, toolCallId: long, content: '' }];
    expect(withCallIds(messages, 'up-to-64')).toEqual(messages);
    expect(withCallIds(messages, 'up-to-40')).not.toEqual(messages);
  });

  it('[MDL-provider-rows] mark what to cache for the models that need it, and for no others', async () => {
    const model = await server({ replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] });
    const openrouter = { ...rows.find(({ id }) => id === 'openrouter')!, baseUrl: model.baseUrl };
    const plain = { ...openrouter, cacheMarks: [] };
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      ...say().messages,
      {
        role: 'assistant' as const,
        content: '',
        toolCalls: [{ id: 'a', name: 'read_text', argumentsJson: '{}' }],
      },
      { role: 'tool' as const, toolCallId: 'a', content: 'RESULT' },
    ];
    const send = async (row: typeof openrouter, name: string) => {
      const { store, client } = open({ rows: [row] });
      store.edit({ id: 'mine', edit: edit({ baseUrl: model.baseUrl, wire: 'chat' }) });
      await eventsOf(client.stream({ ...say(name), messages }, never()));
      return model.requests.at(-1)!.text;
    };
    const marked = JSON.parse(await send(openrouter, 'anthropic/claude-x')) as { messages: object[] };
    const mark = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
    expect(marked.messages[0]).toEqual({ role: 'system', content: mark('Be brief.') });
    expect(marked.messages[1]).toEqual({ role: 'user', content: 'hi' });
    expect(marked.messages[3]).toEqual({ role: 'tool', tool_call_id: 'a', content: mark('RESULT') });
    expect(JSON.stringify(marked).match(/cache_control/g)).toHaveLength(2);
    expect(await send(openrouter, 'openai/gpt-x')).toBe(await send(plain, 'openai/gpt-x'));
  });

  it('[MDL-provider-rows] without a list offer the model that the user typed, and are not queried', async () => {
    const model = await server({ models: ['base-model'] });
    const [row] = rows;
    const { store, client } = open({ rows: [{ ...row!, baseUrl: model.baseUrl, models: 'typed' }] });
    store.edit({ id: 'mine', edit: edit({ baseUrl: model.baseUrl, models: ['my-deployment'] }) });
    const [mine] = await client.listModels(true);
    expect(mine).toMatchObject({ models: ['my-deployment'] });
    expect(mine?.problem).toBeUndefined();
    expect(model.requests).toEqual([]);
  });
});

describe('editing a provider', () => {
  it('[MDL-provider-edit] replaces every field, and removes omitted ones', () => {
    const { store } = open();
    const all = edit({
      ...{ wire: 'anthropic', organization: 'org-1', models: ['a', 'b', 'a'] },
      ...{ headers: { 'X-Team': 'blue' }, timeouts: { first: 30, idle: 10 } },
      proxy: 'http://proxy.example:3128',
    });
    expect(store.edit({ id: 'mine', edit: all })).toEqual({ ok: true, value: null });
    expect(stored()).toEqual([
      {
        ...{ id: 'mine', name: 'Mine', baseUrl: 'https://one.example/v1', wire: 'anthropic' },
        ...{ organization: 'org-1', models: ['a', 'b'], headers: { 'X-Team': 'blue' } },
        ...{ timeouts: { first: 30, idle: 10 }, proxy: 'http://proxy.example:3128' },
      },
    ]);
    store.edit({ id: 'mine', edit: edit({ name: 'Renamed' }) });
    expect(stored()).toEqual([{ id: 'mine', name: 'Renamed', baseUrl: 'https://one.example/v1' }]);
  });

  it('[MDL-provider-edit] keeps the key and hidden headers at the origin, and drops them elsewhere', () => {
    const { store, secrets } = open();
    const headers = { 'X-Api-Key': 'canary-header' };
    store.edit({ id: 'mine', edit: edit({ headers }), key: 'canary-key', unprotected: true });
    const [shown] = (store.editable() as { value: readonly { edit: ProviderEdit }[] }).value;
    expect(shown).toMatchObject({ hasKey: true, keyPlace: 'file' });
    expect(JSON.stringify(shown)).not.toContain('canary');
    store.edit({ id: 'mine', edit: { ...shown!.edit, baseUrl: 'https://one.example/v2' } });
    expect(stored()[0]).toMatchObject({ headers, secrets_ref: 'provider.mine' });
    store.edit({ id: 'mine', edit: { ...shown!.edit, baseUrl: 'https://two.example/v1' } });
    expect(stored()).toEqual([{ id: 'mine', name: 'Mine', baseUrl: 'https://two.example/v1' }]);
    expect(secrets.get('provider.mine').ok).toBe(false);
  });

  it('[MDL-provider-edit] changes nothing else when only the key changes', () => {
    const { store } = open();
    const given = { models: ['a'], timeouts: { idle: 5 }, proxy: 'http://proxy.example:3128' };
    store.edit({ id: 'mine', edit: edit(given) });
    const provider = { id: 'mine', name: 'Mine', baseUrl: 'https://one.example/v1' };
    store.save({ provider, key: 'k', unprotected: true });
    expect(stored()).toEqual([{ ...provider, ...given, secrets_ref: 'provider.mine' }]);
  });

  it('[MDL-provider-edit] refuses an address that still has its placeholder', () => {
    const azure = rows.find(({ id }) => id === 'azure')!;
    const refused = open().store.edit({ id: 'mine', edit: edit({ baseUrl: azure.baseUrl }) });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'INVALID' } });
  });
});

describe('a key in an environment variable', () => {
  const groq = { baseUrl: 'https://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' };

  it('[MDL-key-variables] is named in the file, and read for each request', async () => {
    const model = await server({ key: 'from-env', models: ['a'], replies: [{ text: 'hello' }] });
    const [row] = rows;
    const local = { ...row!, baseUrl: model.baseUrl, keyVariables: ['MY_KEY'] };
    const { secrets } = open();
    const store = createProviderStore({ file: createProviderFile({ home: home() }), secrets, rows: [local] });
    const env: Record<string, string> = { MY_KEY: 'from-env' };
    const { client } = open({ rows: [local], env });
    store.edit({ id: 'mine', edit: edit({ baseUrl: model.baseUrl, wire: 'chat', keyVariable: 'MY_KEY' }) });
    expect(JSON.stringify(stored())).not.toContain('from-env');
    expect(textOf(await eventsOf(client.stream(say(), never())))).toBe('hello');
    delete env['MY_KEY'];
    const [event] = await eventsOf(client.stream(say(), never()));
    expect(event).toMatchObject({ type: 'error', error: { code: 'MISSING' } });
  });

  it('[MDL-key-variables] is refused for an address that it does not belong to', () => {
    const { store } = open();
    expect(store.edit({ id: 'mine', edit: edit(groq) }).ok).toBe(true);
    const moved = edit({ ...groq, baseUrl: 'https://evil.example/v1' });
    expect(store.edit({ id: 'mine', edit: moved })).toMatchObject({ ok: false });
    const other = edit({ ...groq, keyVariable: 'AWS_SECRET_ACCESS_KEY' });
    expect(store.edit({ id: 'other', edit: other })).toMatchObject({ ok: false });
  });

  it('[MDL-key-variables] is refused for the address of its provider without encryption', () => {
    const { store } = open();
    const proxy = 'http://evil.example:8080';
    const plain = edit({ ...groq, baseUrl: 'http://api.groq.com/openai/v1', proxy });
    expect(store.edit({ id: 'mine', edit: plain })).toMatchObject({ ok: false, error: { code: 'INVALID' } });
  });

  it('[MDL-key-variables] is not sent to the address of its provider without encryption', async () => {
    const seen: string[] = [];
    const { client } = open({
      env: { GROQ_API_KEY: 'from-env' },
      fetch: (_url, init) => {
        seen.push(JSON.stringify([...new Headers(init?.headers)]));
        return Promise.resolve(Response.json({ data: [{ id: 'a' }] }));
      },
    });
    await client.probe({ baseUrl: 'http://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' });
    await client.probe({ baseUrl: 'https://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' });
    expect(seen.map((headers) => headers.includes('from-env'))).toEqual([false, true]);
  });

  describe('of a provider whose hosts have different owners', () => {
    const keyVariable = 'AZURE_OPENAI_API_KEY';
    const mine = 'https://mine.openai.azure.com/openai/v1';
    const endpoint = { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' };

    it.each([
      [endpoint, mine, true],
      [endpoint, 'https://others.openai.azure.com/openai/v1', false],
      [endpoint, 'https://mine.services.ai.azure.com/openai/v1', false],
      [endpoint, 'http://mine.openai.azure.com/openai/v1', false],
      [{ AZURE_OPENAI_ENDPOINT: 'https://evil.example' }, 'https://evil.example/v1', false],
      [{ AZURE_OPENAI_ENDPOINT: 'nonsense' }, mine, false],
      [{}, mine, false],
    ])(
      '[MDL-key-variables] goes only to the host that the environment names: %j, %s',
      async (named, baseUrl, sent) => {
        const seen: string[] = [];
        const { client, store } = open({
          env: { ...named, [keyVariable]: 'from-env' },
          fetch: (_url, init) => {
            seen.push(JSON.stringify([...new Headers(init?.headers)]));
            return Promise.resolve(Response.json({ data: [{ id: 'a' }] }));
          },
        });
        await client.probe({ baseUrl, keyVariable });
        expect(seen.some((headers) => headers.includes('from-env'))).toBe(sent);
        expect(store.edit({ id: 'mine', edit: edit({ baseUrl, keyVariable }) }).ok).toBe(sent);
      },
    );

    it('[MDL-key-variables] stays behind when the address moves to the host of another owner', () => {
      const { store } = open({ env: { ...endpoint, [keyVariable]: 'from-env' } });
      expect(store.edit({ id: 'mine', edit: edit({ baseUrl: mine, keyVariable }) }).ok).toBe(true);
      const moved = edit({ baseUrl: 'https://others.openai.azure.com/openai/v1', keyVariable });
      expect(store.edit({ id: 'mine', edit: moved })).toMatchObject({
        error: { code: 'INVALID', hint: expect.stringContaining('AZURE_OPENAI_ENDPOINT') as string },
      });
      expect(stored()).toMatchObject([{ baseUrl: mine }]);
    });

    it('[MDL-key-variables] belongs to a named host in every row with several owners', () => {
      const several = rows.filter(({ hosts }) => hosts.some((host) => host.startsWith('*')));
      for (const { id, keyVariables, addressVariable } of several)
        expect([id, keyVariables.length === 0 || addressVariable !== undefined]).toEqual([id, true]);
    });
  });

  it('[MDL-key-variables] tests only the addresses that the variable belongs to', async () => {
    const model = await server({ key: 'from-env', models: ['a'] });
    const { client } = open({ env: { GROQ_API_KEY: 'from-env' } });
    const probed = await client.probe({ baseUrl: model.baseUrl, keyVariable: 'GROQ_API_KEY' });
    expect(probed.ok).toBe(false);
    expect(JSON.stringify(model.requests)).not.toContain('from-env');
  });
});

/** An HTTP proxy that tunnels, and notes where to. */
async function openProxy() {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer().on('connect', (request, client) => {
    const [host = '', port = ''] = (request.url ?? '').split(':');
    tunnels.push(request.url ?? '');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [upstream, client as Socket]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onEnd(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return { tunnels, address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

it('[MDL-provider-edit] sends every request of a provider through its proxy', async () => {
  const model = await server({ models: ['a'], replies: [{ text: 'through' }] });
  const proxy = await openProxy();
  const { store, client } = open({ fetch: globalThis.fetch });
  const { host } = new URL(model.baseUrl);
  store.edit({ id: 'mine', edit: edit({ baseUrl: model.baseUrl, proxy: proxy.address }) });
  expect((await client.listModels(true))[0]?.models).toEqual(['a']);
  expect(textOf(await eventsOf(client.stream(say(), never())))).toBe('through');
  expect(new Set(proxy.tunnels)).toEqual(new Set([host]));
});
