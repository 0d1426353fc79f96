import { Tooltip as Radix } from 'radix-ui';
import { cloneElement, useLayoutEffect, useRef, type ReactElement } from 'react';
import { Keys } from './keys';
import { useOpenTooltip, type OpenTooltip, type TooltipData } from './use-open-tooltip';

export interface TooltipProps {
  readonly text: string;
  readonly keys?: string | undefined;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  readonly children: ReactElement<TooltipData>;
}

/**
 * A tooltip with the control's shortcut, on hover and on keyboard focus. The control only carries its words: hundreds
 * of controls are on the screen, and `TooltipLayer` draws the one tooltip that is open.
 */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return cloneElement(children, {
    'data-tooltip': text,
    'data-tooltip-keys': keys,
    'data-tooltip-side': side,
  });
}

/** Stands where the control is, because the library places a tooltip beside an element of its own. */
function Stand({ anchor }: { readonly anchor: HTMLElement }) {
  const stand = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { left, top, width, height } = anchor.getBoundingClientRect();
    const box = { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` };
    Object.assign(stand.current?.style ?? {}, box);
  }, [anchor]);
  // The control itself is described by the tooltip while it is open.
  useLayoutEffect(() => {
    const id = stand.current?.getAttribute('aria-describedby');
    const before = anchor.getAttribute('aria-describedby');
    if (!id) return undefined;
    anchor.setAttribute('aria-describedby', before ? `${before} ${id}` : id);
    return () => {
      if (before) anchor.setAttribute('aria-describedby', before);
      else anchor.removeAttribute('aria-describedby');
    };
  }, [anchor]);
  return (
    <Radix.Trigger asChild>
      <span ref={stand} aria-hidden className="pointer-events-none fixed" />
    </Radix.Trigger>
  );
}

function Opened({ anchor, text, keys, side }: OpenTooltip) {
  return (
    <>
      <Stand anchor={anchor} />
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="pointer-events-none z-50 flex max-w-80 animate-appear items-center gap-2 rounded-md bg-overlay px-2 py-1 text-xs text-text shadow-overlay"
        >
          {text}
          {keys && <Keys keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </>
  );
}

/** Draws the open tooltip of the window; it stands once in the page. */
export function TooltipLayer() {
  const { tooltip, close } = useOpenTooltip();
  if (!tooltip) return null;
  return (
    <Radix.Provider>
      <Radix.Root key={tooltip.n} open onOpenChange={(open) => !open && close()}>
        <Opened {...tooltip} />
      </Radix.Root>
    </Radix.Provider>
  );
}
