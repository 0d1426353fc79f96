import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { Capabilities } from '#shared/capabilities';
import { err, ok, type Result } from '#shared/result';
import type { ForeignRegistry, RegisteredServer } from '../../core/ports/server-registry';
import { createServerSettings } from './server-settings';

/** A registry, a manifest and secrets in memory; `put` simulates the registry's response to an entry. */
function setUp(
  put: () => Result<null> = () => ok(null),
  foreign: ForeignRegistry['servers'] = [],
  registered: readonly RegisteredServer[] = [],
) {
  const secrets = new Map<string, string>();
  const forgotten: string[] = [];
  let manifest = Capabilities.parse({
    allow: ['mcp://project.*', 'mcp://shop.*', 'mcp://shop2.*', 'mcp://*'],
    deny: ['mcp://shop.buy'],
    rateLimits: { 'mcp://shop.find': 3, 'mcp://project.*': 9 },
  });
  const settings = createServerSettings({
    registry: {
      file: '/r.json',
      servers: () => ok(registered),
      read: () => ok({ servers: foreign, disabled: [], problems: [], unused: [] }),
      put,
      remove: () => ok(null),
    },
    signIn: {
      state: () => ({ state: 'none', host: '', missing: [] }),
      signOut: () => Promise.resolve(ok(null)),
    },
    policy: {
      capabilities: () => ok(manifest),
      saveCapabilities: (_project, saved) => ((manifest = saved), ok(null)),
    },
    secrets: {
      status: () => ({ available: true }),
      get: (ref) => {
        const value = secrets.get(ref);
        return value === undefined ? err(appError('CONFIG', 'MISSING', ref)) : ok(value);
      },
      set: (ref, value) => (secrets.set(ref, value), ok(null)),
      remove: (ref) => (secrets.delete(ref), ok(null)),
      place: (ref) => (secrets.has(ref) ? 'file' : null),
    },
    pins: { changes: () => ok([]), forget: (server) => (forgotten.push(server), ok(null)) },
    list: () => Promise.resolve(ok({ tools: [], servers: [] })),
    onChanged: () => Promise.resolve(),
  });
  return { settings, secrets, manifest: () => manifest };
}

const draft = {
  name: 'shop',
  server: { command: 'shop', args: [] },
  secret: { ref: 'mcp-shop', value: 'typed' },
};

describe('servers in the settings', () => {
  it('[AGP-server-removed] a removed server loses its own lines in the manifest, and no other line changes', async () => {
    const { settings, manifest } = setUp();
    expect((await settings.remove('/p', 'shop')).ok).toBe(true);
    expect(manifest()).toEqual({
      allow: ['mcp://project.*', 'mcp://shop2.*', 'mcp://*'],
      deny: [],
      dataFlows: [],
      write: [],
      rateLimits: { 'mcp://project.*': 9 },
    });
  });

  it('[AGP-secret-undone] a key typed for a server that could not be saved is dropped, and the earlier one stays', async () => {
    const full = () => err(appError('HOST', 'STORAGE', 'The disk is full.'));
    const first = setUp(full);
    expect((await first.settings.save('/p', draft)).ok).toBe(false);
    expect([...first.secrets]).toEqual([]);
    const second = setUp(full);
    second.secrets.set('mcp-shop', 'old');
    await second.settings.save('/p', draft);
    expect([...second.secrets]).toEqual([['mcp-shop', 'old']]);
    const third = setUp();
    expect((await third.settings.save('/p', draft)).ok).toBe(true);
    expect([...third.secrets]).toEqual([['mcp-shop', 'typed']]);
  });
});

it('[MCP-settings] a server that is added takes the place of no other, and its key is not stored', async () => {
  const shop: RegisteredServer = { name: 'shop', kind: 'stdio', words: ['old'], trusted: true, entry: {} };
  const entries: unknown[] = [];
  const { settings, secrets } = setUp(() => (entries.push('written'), ok(null)), [], [shop]);
  const refused = await settings.save('/p', draft);
  expect(refused).toMatchObject({ ok: false, error: { message: 'There is already a server "shop".' } });
  expect([[...secrets], entries]).toEqual([[], []]);
});

it('[MCP-import] stores the inputs of a chosen server with the keys, and no others', async () => {
  const asks = (name: string) => ({
    name,
    kind: 'stdio' as const,
    words: ['x'],
    trusted: true,
    entry: { command: 'x' },
    inputs: [{ id: `mcp-${name}-key`, label: 'Key', secret: true }],
  });
  const { settings, secrets } = setUp(() => ok(null), [asks('one'), asks('two')]);
  expect(settings.preview('/mcp.json')).toMatchObject({
    ok: true,
    value: { servers: [{}, {}], problems: [] },
  });
  const inputs = { 'mcp-one-key': 'typed', 'mcp-two-key': 'typed too', 'api-openai': 'not asked for' };
  expect((await settings.import('/p', { names: ['one'], inputs })).ok).toBe(true);
  expect([...secrets]).toEqual([['mcp-one-key', 'typed']]);
});
