import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import { Keys } from './keys';

export interface TooltipProps {
  readonly text: string;
  readonly keys?: string | undefined;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  readonly children: ReactElement;
}

/** A tooltip with the control's shortcut, on hover and on keyboard focus. */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-80 animate-appear items-center gap-2 rounded-md bg-overlay px-2 py-1 text-xs text-text shadow-overlay"
        >
          {text}
          {keys && <Keys keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
