import type { AppError } from '#shared/app-error';
import { sourceId, type ResolverSource, type SourceStatus } from '#shared/resolver';
import type { Clock } from '../ports/clock';
import type { ItemSource, SourceScope } from '../ports/item-source';
import { buildItemIndex, createItemIndex, type ItemIndex } from './item-index';

/** Lists of up to this many items are indexed synchronously, because pausing would cost more. */
const smallList = 2_000;
/** Maximum lists in the cache, over all sources and projects. */
const maxCachedLists = 64;

/** The items and status of one source in one scope. */
export interface SourceView {
  readonly index?: ItemIndex;
  readonly status: SourceStatus;
  /** A description of the items that the list leaves out. */
  readonly missing?: string;
}

/**
 * Caches the items of all sources. Loads a list on first use and reloads it when it is stale; callers get the
 * old list meanwhile.
 */
export type SourceCache = ReturnType<typeof createSourceCache>;

export interface SourceCacheDeps {
  readonly sources: readonly ItemSource[];
  readonly clock: Clock;
  /** Yields to other work between two slices of a long task. */
  readonly pause: () => Promise<void>;
}

interface Entry {
  index?: ItemIndex;
  loadedAt?: number;
  error?: AppError;
  loading?: Promise<void>;
  /** Another load waits for the end of the running one. */
  queued?: boolean;
  /** The source reported a change since the last load. */
  dirty: boolean;
  /** A person opened the list, so its source was started. */
  requested: boolean;
}

/** A load, and whether a person requested it. */
interface ReadRequest {
  readonly scope: SourceScope;
  readonly signal: AbortSignal;
  readonly requested: boolean;
}

/** The status of a list without items; null for a list that was read and is only empty. */
function emptyStatus({ index, loading, error }: Entry): SourceStatus | null {
  if (loading) return { state: 'loading' };
  // An empty list is not worth keeping: the reason for the failure is all there is to show.
  if (error) return { state: 'failed', reason: error.message };
  return index ? null : { state: 'loading' };
}

function ageOf(entry: Entry, { refreshedAt, ttlSeconds }: ItemSource, now: number): SourceStatus {
  const isEmpty = (entry.index?.size ?? 0) === 0;
  const special = isEmpty ? emptyStatus(entry) : null;
  if (special) return special;
  const madeAt = refreshedAt ?? entry.loadedAt ?? now;
  const old = ttlSeconds !== undefined && now - madeAt > ttlSeconds * 1_000;
  if (!old && !entry.error) return { state: 'ready' };
  return { state: 'stale', refreshedAt: madeAt };
}

/** Resolves when `work` ends, or after `ms` at the latest. */
function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve());
    void work.finally(() => {
      cancel();
      resolve();
    });
  });
}

async function read(deps: SourceCacheDeps, source: ItemSource, request: ReadRequest) {
  const { load, refresh = load } = source;
  const loaded = await (request.requested ? refresh : load)(request.scope, request.signal);
  if (!loaded.ok) return loaded;
  const { definition } = source;
  const index =
    loaded.value.length <= smallList
      ? createItemIndex(loaded.value, definition)
      : await buildItemIndex(loaded.value, definition, deps.pause);
  return { ok: true as const, value: index };
}

/** Entries by source and scope; evicts the least recently used. */
function createEntries() {
  const entries = new Map<string, Entry>();
  return {
    markDirty(prefix: string): void {
      for (const [key, entry] of entries) if (key.startsWith(prefix)) entry.dirty = true;
    },
    of(key: string): Entry {
      const entry = entries.get(key) ?? { dirty: false, requested: false };
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > maxCachedLists) entries.delete(entries.keys().next().value ?? '');
      return entry;
    },
  };
}

/**
 * Loads a list into its entry; a failure keeps the last good list. The caller runs one load per entry at a
 * time.
 */
async function load(
  deps: SourceCacheDeps,
  entry: Entry,
  source: ItemSource,
  request: ReadRequest,
): Promise<void> {
  entry.dirty = false;
  const result = await read(deps, source, request);
  if (entry.queued !== true) delete entry.loading;
  if (!result.ok) {
    entry.error = result.error;
    return;
  }
  entry.index = result.value;
  entry.loadedAt = deps.clock.now();
  delete entry.error;
}

/** Whether a list needs a load: it was never loaded, it changed, or it is stale and a reload would help. */
function isNeeded(entry: Entry, source: ItemSource, now: number): boolean {
  if (!entry.index) return entry.error === undefined || entry.dirty;
  const old = source.refreshedAt === undefined && ageOf(entry, source, now).state === 'stale';
  return entry.dirty || old;
}

/** Loads and caches lists; a source that fails keeps its last good list, marked stale. */
export function createSourceCache(deps: SourceCacheDeps) {
  const { clock } = deps;
  const sources = new Map(deps.sources.map((source) => [sourceId(source.source), source]));
  const entries = createEntries();
  const controller = new AbortController();
  const entryOf = (source: ItemSource, scope: SourceScope): Entry =>
    entries.of(`${sourceId(source.source)}\u0000${source.scopeKey(scope)}`);
  const start = (source: ItemSource, scope: SourceScope, requested = false): Promise<void> => {
    const entry = entryOf(source, scope);
    const request = { scope, signal: controller.signal, requested };
    const reload = (): Promise<void> => load(deps, entry, source, request);
    // A load that did not start the source cannot satisfy a person's request, so reload after it.
    if (requested && !entry.requested && entry.loading) {
      entry.queued = true;
      entry.loading = entry.loading.then(() => {
        delete entry.queued;
        return reload();
      });
    }
    entry.requested ||= requested;
    return (entry.loading ??= reload());
  };
  const warmOne = (source: ItemSource, scope: SourceScope): readonly Promise<void>[] => {
    const entry = entryOf(source, scope);
    if (isNeeded(entry, source, clock.now())) return [start(source, scope)];
    // An empty list that is reloading counts as loading, so that its opener waits for the items.
    return entry.loading && entry.index?.size === 0 ? [entry.loading] : [];
  };
  const stops = deps.sources.map((source) =>
    source.onChange?.(() => entries.markDirty(`${sourceId(source.source)}\u0000`)),
  );
  return {
    sources,
    /** Returns the current view without starting a load or waiting. */
    peek(named: ResolverSource, scope: SourceScope): SourceView {
      const source = sources.get(sourceId(named));
      if (!source) return { status: { state: 'failed', reason: 'There is no such source.' } };
      const entry = entryOf(source, scope);
      const status = ageOf(entry, source, clock.now());
      const missing = source.missing?.(scope);
      return {
        ...(entry.index && { index: entry.index }),
        status,
        ...(missing !== undefined && { missing }),
      };
    },
    /** Loads missing and stale lists; resolves when they are loaded, or after `boundMs` at the latest. */
    async warm(named: readonly ResolverSource[], scope: SourceScope, boundMs: number): Promise<void> {
      const wanted = named.flatMap((source) => {
        const found = sources.get(sourceId(source));
        return found ? warmOne(found, scope) : [];
      });
      if (wanted.length > 0) await within(clock, boundMs, Promise.all(wanted));
    },
    /**
     * Loads one source because a person opened its list. The first call also starts the source, which a line of
     * input never does. Resolves as `warm` does.
     */
    async open(named: ResolverSource, scope: SourceScope, boundMs: number): Promise<void> {
      const source = sources.get(sourceId(named));
      if (!source) return;
      const first = source.refresh !== undefined && !entryOf(source, scope).requested;
      const work = first ? [start(source, scope, true)] : warmOne(source, scope);
      if (work.length > 0) await within(clock, boundMs, Promise.all(work));
    },
    /** Reloads one source, whatever its age. */
    async refresh(named: ResolverSource, scope: SourceScope, boundMs: number): Promise<void> {
      const source = sources.get(sourceId(named));
      if (source) await within(clock, boundMs, start(source, scope, true));
    },
    close(): void {
      controller.abort();
      for (const stop of stops) stop?.();
    },
  };
}
