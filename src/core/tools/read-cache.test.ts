import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { createMemoryTexts } from '../../testing/memory-texts';
import type { ToolDefinition } from '../ports/tool-definition';
import { createReadCache } from './read-cache';

const definition: ToolDefinition = {
  uri: 'mcp://shop.list',
  server: 'shop',
  tool: 'list',
  serverVersion: '1',
  readOnly: true,
  description: '',
  inputSchema: { type: 'object' },
  readTtlMs: 1_000,
};
const { readTtlMs: _ttl, ...undeclared } = definition;

function setUp() {
  let now = 50_000;
  const texts = createMemoryTexts();
  const open = () =>
    createReadCache({ project: '/p', texts, stamp: () => Promise.resolve(null), now: () => now });
  return { open, at: (time: number) => (now = time) };
}

describe('reads of servers whose state is unknown', () => {
  it('[AGC-ttl] are valid as long as declared, across restarts, and not after the clock was set back', async () => {
    const { open, at } = setUp();
    (await open().lookUp(definition, { a: 1, b: 2 }, false)).store('rows');
    expect((await open().lookUp(definition, { b: 2, a: 1 }, false)).hit).toEqual({ value: 'rows' });
    expect((await open().lookUp(definition, { b: 2, a: 1 }, true)).hit).toBeNull();
    at(50_999);
    expect((await open().lookUp(definition, { a: 1, b: 2 }, false)).hit).not.toBeNull();
    at(51_000);
    expect((await open().lookUp(definition, { a: 1, b: 2 }, false)).hit).toBeNull();
    at(49_000);
    expect((await open().lookUp(definition, { a: 1, b: 2 }, false)).hit).toBeNull();
  });

  it('[AGC-ttl] become invalid with a write to the server, another version, or another definition', async () => {
    const { open } = setUp();
    const cache = open();
    const hit = async (changed: Partial<ToolDefinition> = {}) =>
      (await cache.lookUp({ ...definition, ...changed }, {}, false)).hit;
    (await cache.lookUp(definition, {}, false)).store('rows');
    cache.invalidate('other');
    expect(await hit()).toEqual({ value: 'rows' });
    expect(await hit({ serverVersion: '2' })).toBeNull();
    expect(await hit({ description: 'Lists other things.' })).toBeNull();
    cache.invalidate('shop');
    expect(await hit()).toBeNull();
  });

  it('[AGC-ttl] are never cached when no time is declared', async () => {
    const { open } = setUp();
    (await open().lookUp(undeclared, {}, false)).store('rows');
    expect((await open().lookUp(undeclared, {}, false)).hit).toBeNull();
  });

  it('[AGC-key] answer only an equal read: the same project, server, tool and arguments', async () => {
    const texts = createMemoryTexts();
    const open = (project: string) =>
      createReadCache({ project, texts, stamp: () => Promise.resolve('same'), now: () => 0 });
    (await open('/p').lookUp(definition, { a: 1, b: 2 }, false)).store('rows');
    const hit = async (project: string, changed: Partial<ToolDefinition>, args: JsonObject) =>
      (await open(project).lookUp({ ...definition, ...changed }, args, false)).hit;
    expect(await hit('/p', {}, { b: 2, a: 1 })).toEqual({ value: 'rows' });
    const others = [
      await hit('/q', {}, { a: 1, b: 2 }),
      await hit('/p', { server: 'other' }, { a: 1, b: 2 }),
      await hit('/p', { tool: 'other' }, { a: 1, b: 2 }),
      await hit('/p', { inputSchema: { type: 'object', required: ['a'] } }, { a: 1, b: 2 }),
      await hit('/p', {}, { a: 1 }),
    ];
    expect(others).toEqual(others.map(() => null));
  });

  it('[AGC-ctime] are not reused once their inputs have changed, or cannot be checked', async () => {
    let stamp: string | null = 'before';
    const cache = createReadCache({
      project: '/p',
      texts: createMemoryTexts(),
      now: () => 0,
      stamp: () => Promise.resolve(stamp),
    });
    const look = () => cache.lookUp(undeclared, {}, false);
    (await look()).store('rows');
    expect((await look()).hit).toEqual({ value: 'rows' });
    stamp = 'after';
    expect((await look()).hit).toBeNull();
    stamp = null;
    expect((await look()).hit).toBeNull();
  });

  it('[AGC-ttl] become invalid with each write to the server, not only the first', async () => {
    const { open } = setUp();
    const cache = open();
    for (const rows of ['first', 'second', 'third']) {
      const look = await cache.lookUp(definition, {}, false);
      expect(look.hit).toBeNull();
      look.store(rows);
      expect((await cache.lookUp(definition, {}, false)).hit).toEqual({ value: rows });
      cache.invalidate('shop');
    }
  });

  it('[AGC-ctime] depend on their inputs where these are known, whatever time is declared', async () => {
    let stamp = 'before';
    const texts = createMemoryTexts();
    const cache = createReadCache({
      project: '/p',
      texts,
      now: () => 0,
      stamp: () => Promise.resolve(stamp),
    });
    (await cache.lookUp(definition, {}, false)).store('rows');
    cache.invalidate('shop');
    expect((await cache.lookUp(definition, {}, false)).hit).toEqual({ value: 'rows' });
    stamp = 'after';
    expect((await cache.lookUp(definition, {}, false)).hit).toBeNull();
  });

  it.each(['', 'no JSON', '[1]', '{"stamp":"same"}', '{"stamp":"other","value":1}'])(
    'are made again when the stored text is %j',
    async (text) => {
      const texts = { get: () => text, put: () => undefined };
      const stamp = () => Promise.resolve('same');
      const cache = createReadCache({ project: '/p', texts, now: () => 0, stamp });
      expect((await cache.lookUp(undeclared, {}, false)).hit).toBeNull();
    },
  );
});
