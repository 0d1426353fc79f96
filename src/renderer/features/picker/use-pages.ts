import type { AppError } from '#shared/app-error';
import type { PickerPage } from '#shared/control-plane';
import type { ResolverItem, ResolverSource, SourceStatus } from '#shared/resolver';
import type { Result } from '#shared/result';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useApp } from '../../store/app-context';
import { firstPage, pageSize } from '../../store/slash-lines';
import { useLatest } from '../../ui/use-latest';

/** A source that is being read is looked at again after this long. Milliseconds. */
const lookAgainMs = 400;

export interface Pages {
  /** Nothing until the first answer. */
  readonly total: number | null;
  readonly status: SourceStatus | null;
  readonly highlightId: string | undefined;
  /** What the list leaves out, in words. */
  readonly missing: string | undefined;
  /** Why nothing could be asked at all. */
  readonly error: AppError | null;
  /** The text these items fit. */
  readonly text: string;
  readonly at: (index: number) => ResolverItem | undefined;
  /** Asks for the page an item is on, unless it is here or on its way. */
  readonly want: (index: number) => void;
  readonly reload: (refresh: boolean) => void;
}

interface Asked {
  readonly text: string;
  readonly refresh: boolean;
  /** Tells two readings of the same text apart. */
  readonly time: number;
}

type Further = ReadonlyMap<number, readonly ResolverItem[]>;
const none: Further = new Map();

/** The pages after the first, each asked for once; those of an older reading are dropped. */
function useFurther(source: ResolverSource, reading: Asked | undefined) {
  const { commands } = useApp();
  const [kept, setKept] = useState<{ readonly reading: Asked | undefined; readonly pages: Further }>();
  const underWay = useRef<{ reading: Asked | undefined; pages: Set<number> }>(undefined);
  const pages = kept?.reading === reading ? (kept?.pages ?? none) : none;
  const want = useCallback(
    (page: number) => {
      if (!reading || page === 0) return;
      if (underWay.current?.reading !== reading) underWay.current = { reading, pages: new Set() };
      if (underWay.current.pages.has(page)) return;
      underWay.current.pages.add(page);
      const asked = { source, text: reading.text, offset: page * pageSize, limit: pageSize };
      void commands.pickerPage(asked).then((answer) => {
        if (!answer.ok) return underWay.current?.pages.delete(page);
        return setKept((before) => ({
          reading,
          pages: new Map(before?.reading === reading ? before.pages : none).set(page, answer.value.items),
        }));
      });
    },
    [commands, source, reading],
  );
  return { pages, want };
}

function useFirst(source: ResolverSource, asked: Asked) {
  const { commands } = useApp();
  const ask = useCallback(
    ({ text, refresh }: Asked) =>
      commands.pickerPage({ ...firstPage(source, text), ...(refresh && { refresh }) }),
    [commands, source],
  );
  return useLatest<Asked, Result<PickerPage>>(asked, ask);
}

const pickedOut = (first: PickerPage | null) => ({
  highlightId: first?.highlightId,
  missing: first?.missing,
});

/** What the newest answer says of the source as a whole. */
function told(output: Result<PickerPage> | undefined) {
  const first = output?.ok ? output.value : null;
  return {
    first,
    total: first?.total ?? null,
    status: first?.status ?? null,
    ...pickedOut(first),
    error: output && !output.ok ? output.error : null,
  };
}

/** A source that is being read is looked at again by and by. */
function useLookAgain(loading: boolean, answer: unknown, reload: (refresh: boolean) => void): void {
  useEffect(() => {
    if (!loading) return undefined;
    const timer = setTimeout(() => reload(false), lookAgainMs);
    return () => clearTimeout(timer);
  }, [loading, answer, reload]);
}

/** What a source offers for a text: the first page at once, the others when they come into sight. */
export function usePages(source: ResolverSource, text: string): Pages {
  const [again, setAgain] = useState({ refresh: false, time: 0 });
  const asked = useMemo(() => ({ text: text.slice(0, 500), ...again }), [text, again]);
  const latest = useFirst(source, asked);
  const { pages, want } = useFurther(source, latest?.input);
  const { first, ...shown } = told(latest?.output);
  const reload = useCallback((refresh: boolean) => setAgain(({ time }) => ({ refresh, time: time + 1 })), []);
  useLookAgain(shown.status?.state === 'loading', latest, reload);
  return {
    ...shown,
    text: latest?.input.text ?? '',
    at: (index) =>
      index < pageSize ? first?.items[index] : pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    want: (index) => want(Math.floor(index / pageSize)),
    reload,
  };
}
