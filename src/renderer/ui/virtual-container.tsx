import type { CSSProperties, ReactNode, Ref } from 'react';

export interface VirtualContainerProps {
  readonly style: CSSProperties;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLDivElement>;
}

/**
 * The box around virtualised rows, without the `pointer-events` the library switches while scrolling: the property is
 * inherited, so each switch styles every element of a long reply again, twice for every step of following its end.
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
