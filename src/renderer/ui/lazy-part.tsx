import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';

const loads: (() => Promise<unknown>)[] = [];

/**
 * Creates a component that the first paint does not need: it loads when first shown, or earlier while the
 * window is idle. It renders nothing until then, because its file is part of the app and loads quickly. Once
 * loaded, it renders synchronously, so that text typed after a shortcut goes into the part that the shortcut
 * opened.
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

/** Loads all lazy parts; the window calls it after its first paint. */
export async function preloadLazyParts(): Promise<void> {
  for (const load of loads) await load();
}
