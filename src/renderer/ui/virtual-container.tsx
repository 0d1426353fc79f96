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
