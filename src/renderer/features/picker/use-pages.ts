import type { AppError } from '#shared/app-error';
import type { PickerPage } from '#shared/control-plane';
import type { ResolverItem, ResolverSource, SourceStatus } from '#shared/resolver';
import type { Result } from '#shared/result';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useApp } from '../../store/app-context';
import { firstPage, pageSize } from '../../store/slash-lines';
import { useLatest } from '../../ui/use-latest';

/** The poll interval while a source is loading. Milliseconds. */
const pollMs = 400;

export interface Pages {
  /** Null until the first answer. */
  readonly total: number | null;
  readonly status: SourceStatus | null;
  readonly highlightId: string | undefined;
  /** What the list omits, in words. */
  readonly missing: string | undefined;
  /** Why the request itself failed. */
  readonly error: AppError | null;
  /** The text that these items match. */
  readonly text: string;
  readonly at: (index: number) => ResolverItem | undefined;
  /** Requests the page of an item, unless it is loaded or being requested. */
  readonly want: (index: number) => void;
  readonly reload: (refresh: boolean) => void;
}

interface PageReading {
  readonly text: string;
  readonly refresh: boolean;
  /** Distinguishes two readings of the same text. */
  readonly time: number;
}

type Further = ReadonlyMap<number, readonly ResolverItem[]>;
const none: Further = new Map();

/** The pages after the first, each requested once; pages of an older reading are dropped. */
function useFurther(source: ResolverSource, reading: PageReading | undefined) {
  const { commands } = useApp();
  const [loaded, setLoaded] = useState<{
    readonly reading: PageReading | undefined;
    readonly pages: Further;
  }>();
  const pending = useRef<{ reading: PageReading | undefined; pages: Set<number> }>(undefined);
  const pages = loaded?.reading === reading ? (loaded?.pages ?? none) : none;
  const want = useCallback(
    (page: number) => {
      if (!reading || page === 0) return;
      if (pending.current?.reading !== reading) pending.current = { reading, pages: new Set() };
      if (pending.current.pages.has(page)) return;
      pending.current.pages.add(page);
      const request = { source, text: reading.text, offset: page * pageSize, limit: pageSize };
      void commands.pickerPage(request).then((answer) => {
        if (!answer.ok) return pending.current?.pages.delete(page);
        return setLoaded((before) => ({
          reading,
          pages: new Map(before?.reading === reading ? before.pages : none).set(page, answer.value.items),
        }));
      });
    },
    [commands, source, reading],
  );
  return { pages, want };
}

function useFirst(source: ResolverSource, request: PageReading) {
  const { commands } = useApp();
  const ask = useCallback(
    ({ text, refresh }: PageReading) =>
      commands.pickerPage({ ...firstPage(source, text), ...(refresh && { refresh }) }),
    [commands, source],
  );
  return useLatest<PageReading, Result<PickerPage>>(request, ask);
}

const pickedOut = (first: PickerPage | null) => ({
  highlightId: first?.highlightId,
  missing: first?.missing,
});

/** The state of the whole source according to the newest answer. */
function firstPageState(output: Result<PickerPage> | undefined) {
  const first = output?.ok ? output.value : null;
  return {
    first,
    total: first?.total ?? null,
    status: first?.status ?? null,
    ...pickedOut(first),
    error: output && !output.ok ? output.error : null,
  };
}

/** Polls a source while it is loading. */
function usePolling(loading: boolean, answer: unknown, reload: (refresh: boolean) => void): void {
  useEffect(() => {
    if (!loading) return undefined;
    const timer = setTimeout(() => reload(false), pollMs);
    return () => clearTimeout(timer);
  }, [loading, answer, reload]);
}

/** The items of a source for a text: the first page immediately, the others when they come into view. */
export function usePages(source: ResolverSource, text: string): Pages {
  const [refreshState, setRefreshState] = useState({ refresh: false, time: 0 });
  const request = useMemo(() => ({ text: text.slice(0, 500), ...refreshState }), [text, refreshState]);
  const latest = useFirst(source, request);
  const { pages, want } = useFurther(source, latest?.input);
  const { first, ...shown } = firstPageState(latest?.output);
  const reload = useCallback(
    (refresh: boolean) => setRefreshState(({ time }) => ({ refresh, time: time + 1 })),
    [],
  );
  usePolling(shown.status?.state === 'loading', latest, reload);
  return {
    ...shown,
    text: latest?.input.text ?? '',
    at: (index) =>
      index < pageSize ? first?.items[index] : pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    want: (index) => want(Math.floor(index / pageSize)),
    reload,
  };
}
