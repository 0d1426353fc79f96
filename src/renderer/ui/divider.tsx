import { classNames } from './class-names';
import { Direction } from 'radix-ui';
import { useRef, type KeyboardEvent, type PointerEvent } from 'react';

export interface DividerProps {
  readonly label: string;
  readonly size: number;
  readonly min: number;
  readonly max: number;
  readonly initial: number;
  /** The side of the sized panel: dragging away from it widens the panel. */
  readonly panel: 'start' | 'end';
  /** Called during a drag; must be cheap and must not save. */
  readonly onDrag: (size: number) => void;
  /** Called when a drag ends, a key is pressed, or a double click resets the size. */
  readonly onResize: (size: number) => void;
}

const keyStep = 16;

/**
 * The divider at a panel's edge (the panel must be positioned): drag it, use the arrow keys, or double-click
 * to reset it.
 */
export function Divider({ label, size, min, max, initial, panel, onDrag, onResize }: DividerProps) {
  const drag = useRef<{ readonly from: number; readonly size: number } | null>(null);
  const sign = (panel === 'start') === (Direction.useDirection() === 'ltr') ? 1 : -1;
  const clamp = (value: number) => Math.round(Math.min(max, Math.max(min, value)));
  const sizeAt = (event: PointerEvent) =>
    clamp((drag.current?.size ?? size) + sign * (event.clientX - (drag.current?.from ?? event.clientX)));

  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -keyStep, ArrowRight: keyStep };
    const step = steps[event.key];
    if (step === undefined || event.altKey) return;
    event.preventDefault();
    onResize(clamp(size + sign * step));
  };
  const end = (event: PointerEvent) => {
    if (!drag.current) return;
    const next = sizeAt(event);
    drag.current = null;
    if (next !== size) onResize(next);
  };
  return (
    <div
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onResize(initial)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { from: event.clientX, size };
      }}
      onPointerMove={(event) => drag.current && onDrag(sizeAt(event))}
      onPointerUp={end}
      onPointerCancel={end}
      className={classNames(
        'group absolute inset-y-0 z-10 w-2 cursor-col-resize touch-none outline-none',
        panel === 'start' ? '-end-1' : '-start-1',
      )}
    >
      <div className="mx-auto h-full w-px bg-line transition-colors group-hover:bg-line-strong group-focus-visible:w-0.5 group-focus-visible:bg-accent group-active:bg-accent" />
    </div>
  );
}
