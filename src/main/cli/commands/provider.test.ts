import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProvidersFile, type Provider } from '#shared/model';
import { ProviderRows } from '#shared/provider-row';
import { createProviderFile } from '../../adapters/llm/provider-file';
import { createProviderStore } from '../../adapters/llm/provider-store';
import { createFileSecrets } from '../../adapters/secrets/file-secrets';
import { createProviders } from '../../settings/providers';
import { createClientHarness } from '../../../testing/scripted-model-client';
import type { Terminal } from '../output';
import {
  providerAddCommand,
  providerKeyCommand,
  providerListCommand,
  providerOffersCommand,
  providerRemoveCommand,
  providerSetCommand,
} from './provider';

const rows = ProviderRows.parse(JSON.parse(readFileSync('seeds/providers.json', 'utf8')));
let home = '';
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'patina-provider-command-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(env: Record<string, string> = {}, line: string | null = null) {
  const secrets = createFileSecrets({ home });
  const store = createProviderStore({ file: createProviderFile({ home }), secrets, rows, env });
  // No list is fetched: the providers of this test exist nowhere.
  const refused = () => Promise.reject(new TypeError('no network'));
  const { client } = createClientHarness({ home, secrets, rows, env, fetch: refused });
  const out: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    log: (text: string) => void out.push(text),
    json: true,
    readLine: () => Promise.resolve(line),
  } as unknown as Terminal;
  const app = { providers: createProviders({ store, models: client, rows, env }, () => {}) };
  return { app, terminal, secrets, printed: () => out.join('') };
}
const stored = (): readonly Provider[] =>
  ProvidersFile.parse(JSON.parse(readFileSync(path.join(home, 'providers.json'), 'utf8'))).providers;

it('[MDL-provider-terminal] adds a known provider with the key of its variable, and prints no key', async () => {
  const { app, terminal, printed } = open({ GROQ_API_KEY: 'canary-value' });
  expect(await providerOffersCommand(app, terminal)).toBe(0);
  expect(await providerAddCommand(app, terminal, 'groq', {})).toBe(0);
  expect(providerListCommand(app, terminal)).toBe(0);
  expect(stored()).toMatchObject([{ id: 'groq', key_variable: 'GROQ_API_KEY', wire: 'chat' }]);
  expect(printed()).toContain('GROQ_API_KEY');
  expect(printed()).not.toContain('canary-value');
});

it('[MDL-provider-terminal] offers a key for hosts of different owners only with the address of its own', async () => {
  const key = { AZURE_OPENAI_API_KEY: 'canary-value' };
  const unnamed = open(key);
  expect(await providerOffersCommand(unnamed.app, unnamed.terminal)).toBe(0);
  expect(unnamed.printed()).toContain('YOUR-RESOURCE');
  expect(unnamed.printed()).not.toContain('AZURE_OPENAI_API_KEY');
  const { app, terminal } = open({ ...key, AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' });
  expect(await providerAddCommand(app, terminal, 'azure', { model: ['a'] })).toBe(0);
  expect(stored()).toMatchObject([
    { baseUrl: 'https://mine.openai.azure.com/openai/v1', key_variable: 'AZURE_OPENAI_API_KEY' },
  ]);
});

it('[MDL-provider-terminal] changes the named fields, and removes those with an empty value', async () => {
  const { app, terminal } = open();
  const url = 'https://lab.example/v1';
  const first = {
    name: 'Lab',
    url,
    model: ['a'],
    header: ['X-Team: blue'],
    first: 30,
    proxy: 'http://p.example',
  };
  expect(await providerAddCommand(app, terminal, undefined, first)).toBe(0);
  expect(providerSetCommand(app, terminal, 'lab', { wire: 'anthropic', idle: 9, proxy: '' })).toBe(0);
  expect(stored()).toEqual([
    {
      ...{ id: 'lab', name: 'Lab', baseUrl: url, wire: 'anthropic', models: ['a'] },
      ...{ headers: { 'X-Team': 'blue' }, timeouts: { first: 30, idle: 9 } },
    },
  ]);
  expect(providerSetCommand(app, terminal, 'lab', { model: [''], header: [''], first: null })).toBe(0);
  expect(stored()).toEqual([
    { id: 'lab', name: 'Lab', baseUrl: url, wire: 'anthropic', timeouts: { idle: 9 } },
  ]);
});

it('[MDL-provider-terminal] stores a key from standard input, and removes the provider with it', async () => {
  const { app, terminal, secrets, printed } = open({}, 'canary-key');
  await providerAddCommand(app, terminal, 'mistral', {});
  expect(await providerKeyCommand(app, terminal, 'mistral')).toBe(0);
  expect(secrets.get('provider.mistral')).toEqual({ ok: true, value: 'canary-key' });
  expect(printed()).not.toContain('canary-key');
  expect(providerRemoveCommand(app, terminal, 'mistral')).toBe(0);
  expect(stored()).toEqual([]);
  expect(secrets.get('provider.mistral').ok).toBe(false);
});

it('[MDL-provider-terminal] reports an unknown provider, header or address', async () => {
  const { app, terminal, printed } = open();
  expect(await providerAddCommand(app, terminal, 'nobody', {})).toBe(1);
  expect(await providerAddCommand(app, terminal, undefined, { name: 'Lab', url: 'ftp://x' })).toBe(1);
  expect(await providerAddCommand(app, terminal, 'groq', { header: ['no colon'] })).toBe(1);
  expect(await providerAddCommand(app, terminal, 'azure', {})).toBe(3);
  expect(providerSetCommand(app, terminal, 'lab', {})).toBe(1);
  expect(printed()).toContain('YOUR-RESOURCE');
});

it.each([
  [{ name: ' ', url: 'https://x.example' }, '--name', /--name "My server"/],
  [{ name: 'Lab', url: 'lab.example' }, '--url', /starts with https/],
  [{ proxy: 'nonsense' }, '--proxy', /starts with https/],
  [{ keyVariable: 'sk-secret' }, '--key-variable', /name of the variable/],
  [{ header: ['X-Team: blue\nred'] }, '--header', /on one line/],
] as const)('names the option that is wrong and what to give: %j', async (options, option, hint) => {
  const { app, terminal, printed } = open();
  const given = { name: 'Lab', url: 'https://lab.example/v1', ...options };
  expect(await providerAddCommand(app, terminal, undefined, given)).toBe(1);
  const error = JSON.parse(printed()) as { message: string; hint: string };
  expect(error.message.startsWith(`${option}: `)).toBe(true);
  expect(error.hint).toMatch(hint);
});
