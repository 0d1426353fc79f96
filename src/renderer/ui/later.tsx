import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';

const loads: (() => Promise<unknown>)[] = [];

/**
 * A part of the window that its first picture does without: loaded when it is first shown, or before that, when the
 * window has nothing else to do. Until it is there, nothing stands in its place: it is a file of the app itself.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  let loading: Promise<{ default: ComponentType<Props> }> | null = null;
  const once = () => (loading ??= load().then((part) => ({ default: part })));
  loads.push(once);
  const Part = lazy(once);
  return function Later(props: Props) {
    return (
      <Suspense fallback={null}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/** Loads every such part; called when the window stands. */
export async function loadTheRest(): Promise<void> {
  for (const load of loads) await load();
}
