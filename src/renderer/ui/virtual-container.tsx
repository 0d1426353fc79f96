import type { CSSProperties, ReactNode, Ref } from 'react';

export interface VirtualContainerProps {
  readonly style: CSSProperties;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLDivElement>;
}

/**
 * The container of virtualised rows, without the `pointer-events` that the library switches while scrolling:
 * the property is inherited, so each switch would restyle every element of a long reply, twice per step while
 * following its end.
 */
export function VirtualContainer({
  style: { pointerEvents: _switched, ...style },
  children,
  ref,
}: VirtualContainerProps) {
  return (
    <div ref={ref} style={style}>
      {children}
    </div>
  );
}

export interface VirtualItemProps extends VirtualContainerProps {
  readonly index: number;
}

/**
 * One virtualised row. The library hides a row until its height is known by `visibility`, which is inherited, so
 * that every element of the row would be styled twice; `opacity` is not inherited.
 */
export function VirtualItem({
  style: { visibility, ...style },
  index: _index,
  children,
  ref,
}: VirtualItemProps) {
  return (
    <div ref={ref} style={visibility === 'hidden' ? { ...style, opacity: 0 } : style}>
      {children}
    </div>
  );
}
