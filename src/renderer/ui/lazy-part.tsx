import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';

const loads: (() => Promise<unknown>)[] = [];

/**
 * A part of the window that its first picture does without: loaded when it is first shown, or before that, when the
 * window has nothing else to do. Until it is there, nothing stands in its place: it is a file of the app itself.
 * One that is loaded stands at once, so that what is typed after a shortcut goes into what the shortcut opened.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  let loaded: ComponentType<Props> | null = null;
  let loading: Promise<{ default: ComponentType<Props> }> | null = null;
  const once = () => (loading ??= load().then((part) => ({ default: (loaded = part) })));
  loads.push(once);
  const Part = lazy(once);
  return function LazyPart(props: Props) {
    // Read once: loading the file must not mount the part a second time.
    const [Known] = useState(() => loaded);
    if (Known) return <Known {...props} />;
    return (
      <Suspense fallback={null}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/** Loads every lazy part; the window calls it after its first paint. */
export async function preloadLazyParts(): Promise<void> {
  for (const load of loads) await load();
}
