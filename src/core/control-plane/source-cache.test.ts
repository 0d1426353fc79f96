import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { ResolverItem } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import { createManualClock } from '../../testing/manual-clock';
import type { ItemSource } from '../ports/item-source';
import { createSourceCache } from './source-cache';

const scope = { sessionId: null, project: null };
const source = { providerId: 'things' };
const item = (id: string): ResolverItem => ({ header: { id, displayName: id }, aliases: [], keywords: [] });
type Loaded = Result<readonly ResolverItem[]>;

/** A source whose loads a test resolves one by one. */
function start(more: Partial<ItemSource> = {}) {
  const { clock, advance } = createManualClock(1_000_000);
  const waiting: ((loaded: Loaded) => void)[] = [];
  let changed: () => void = () => undefined;
  const things: ItemSource = {
    source,
    definition: {
      id: 'things',
      displayName: 'Things',
      vocabulary: 'curated',
      nouns: { one: ['thing'], many: ['things'] },
    },
    scopeKey: () => '',
    load: () => new Promise<Loaded>((resolve) => waiting.push(resolve)),
    onChange: (listener) => {
      changed = listener;
      return () => undefined;
    },
    ...more,
  };
  const cache = createSourceCache({ sources: [things], clock, pause: () => Promise.resolve() });
  const settle = async (loaded: Loaded): Promise<void> => {
    waiting.shift()?.(loaded);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const view = () => cache.peek(source, scope);
  return { cache, advance, settle, view, waiting, change: () => changed() };
}

describe('the cache of sources', () => {
  it('[AGN37-5-provider-fails] waits a limited time for a slow source, and serves it when it arrives', async () => {
    const { cache, advance, settle, view } = start();
    const warmed = cache.warm([source], scope, 50);
    advance(50);
    await warmed;
    expect(view()).toEqual({ status: { state: 'loading' } });
    await settle(ok([item('A-1')]));
    expect(view().index?.byId('A-1')?.header.id).toBe('A-1');
    expect(view().status).toEqual({ state: 'ready' });
  });

  it('[AGN37-5-provider-fails] reports why a source failed, and retries only on request', async () => {
    const { cache, settle, view, waiting } = start();
    const first = cache.warm([source], scope, 50);
    await settle(err(appError('TOOL', 'UNAVAILABLE', 'The server is not running.')));
    await first;
    expect(view()).toEqual({ status: { state: 'failed', reason: 'The server is not running.' } });
    await cache.warm([source], scope, 50);
    expect(waiting).toHaveLength(0);
    const again = cache.refresh(source, scope, 50);
    await settle(ok([item('A-1')]));
    await again;
    expect(view().index?.size).toBe(1);
  });

  it('[SRC-resources-open] is loading until the start of the source has ended that a person asked for during another load', async () => {
    const starts: ((loaded: Loaded) => void)[] = [];
    const refresh = () => new Promise<Loaded>((resolve) => starts.push(resolve));
    const { cache, advance, settle, view } = start({ refresh });
    void cache.warm([source], scope, 50);
    const opened = cache.open(source, scope, 50);
    await settle(ok([]));
    expect(starts).toHaveLength(1);
    expect(view()).toMatchObject({ status: { state: 'loading' } });
    advance(50);
    await opened;
    const again = cache.open(source, scope, 50);
    starts[0]?.(ok([item('A-1')]));
    await again;
    expect(view()).toMatchObject({ status: { state: 'ready' }, index: { size: 1 } });
    expect(starts).toHaveLength(1);
  });

  it('[SRC-resources-open] an empty list whose source then does not start says why, and is loading on a retry', async () => {
    const { cache, settle, view, waiting } = start({
      load: () => Promise.resolve(ok([])),
      refresh: () => new Promise<Loaded>((resolve) => waiting.push(resolve)),
    });
    await cache.warm([source], scope, 50);
    expect(view().status).toEqual({ state: 'ready' });
    const opened = cache.open(source, scope, 50);
    await settle(err(appError('TOOL', 'UNAVAILABLE', 'The server is not running.')));
    await opened;
    expect(view().status).toEqual({ state: 'failed', reason: 'The server is not running.' });
    void cache.refresh(source, scope, 50);
    expect(view().status).toEqual({ state: 'loading' });
  });

  it('keeps the last good list when a later read fails, and marks it as old', async () => {
    const { cache, settle, view } = start();
    void cache.warm([source], scope, 50);
    await settle(ok([item('A-1')]));
    void cache.refresh(source, scope, 50);
    await settle(err(appError('TOOL', 'UNAVAILABLE', 'Gone.')));
    expect(view().index?.size).toBe(1);
    expect(view().status.state).toBe('stale');
  });

  it('reads an old list again and meanwhile serves it, marked as old', async () => {
    const { cache, advance, settle, view, waiting } = start({ ttlSeconds: 60 });
    void cache.warm([source], scope, 50);
    await settle(ok([item('A-1')]));
    advance(61_000);
    expect(view().status.state).toBe('stale');
    void cache.warm([source], scope, 0);
    expect(waiting).toHaveLength(1);
    expect(view().index?.size).toBe(1);
    await settle(ok([item('A-1'), item('A-2')]));
    expect(view().index?.size).toBe(2);
    expect(view().status.state).toBe('ready');
  });

  it('keeps an outdated catalog as old, because reading the same file again would not help', async () => {
    const { cache, settle, view, waiting } = start({ ttlSeconds: 1, refreshedAt: 0 });
    void cache.warm([source], scope, 50);
    await settle(ok([item('A-1')]));
    expect(view().status).toEqual({ state: 'stale', refreshedAt: 0 });
    await cache.warm([source], scope, 50);
    expect(waiting).toHaveLength(0);
  });

  it('reads again after a change is reported, with one read at a time', async () => {
    const { cache, settle, waiting, change } = start();
    void cache.warm([source], scope, 0);
    void cache.warm([source], scope, 0);
    expect(waiting).toHaveLength(1);
    await settle(ok([]));
    change();
    void cache.warm([source], scope, 0);
    expect(waiting).toHaveLength(1);
  });
});
