import { useState, useSyncExternalStore } from 'react';

/** How long the pointer rests on a control before its tooltip opens, in milliseconds. */
const openAfterMs = 500;
/** A tooltip opens at once when another closed less than this long before. */
const skipDelayMs = 200;

type Side = 'top' | 'bottom' | 'left' | 'right';

/** The words of a control's tooltip, as attributes of the control. */
export interface TooltipData {
  readonly 'data-tooltip'?: string;
  readonly 'data-tooltip-keys'?: string | undefined;
  readonly 'data-tooltip-side'?: Side;
}

export interface OpenTooltip {
  /** Another number for each opening. */
  readonly n: number;
  readonly anchor: HTMLElement;
  readonly text: string;
  readonly keys: string | undefined;
  readonly side: Side;
}

const controlOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null;

function tooltipOf(anchor: HTMLElement, n: number): OpenTooltip {
  const { tooltip: text = '', tooltipKeys: keys, tooltipSide = 'bottom' } = anchor.dataset;
  return { n, anchor, text, keys, side: tooltipSide as Side };
}

/** The tooltips of the page, of which at most one is open. */
function createTooltips() {
  let control: HTMLElement | null = null;
  let shown: OpenTooltip | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closedAt = -Infinity;
  let openings = 0;
  let onChange = (): void => undefined;

  // A control with an open tooltip can leave the page or change its words.
  const observer = new MutationObserver(() => {
    if (!shown) return;
    if (!shown.anchor.isConnected) return leave();
    shown = tooltipOf(shown.anchor, shown.n);
    onChange();
  });
  const open = (anchor: HTMLElement): void => {
    shown = tooltipOf(anchor, (openings += 1));
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['data-tooltip'] });
    onChange();
  };
  /** The pointer stays on the control, whose tooltip does not open again before it has left. */
  const close = (): void => {
    clearTimeout(timer);
    if (!shown) return;
    shown = null;
    closedAt = Date.now();
    observer.disconnect();
    onChange();
  };
  const leave = (): void => {
    close();
    control = null;
  };
  const pointAt = (next: HTMLElement | null, delayMs: number): void => {
    if (next === control) return;
    leave();
    control = next;
    if (!next) return;
    if (delayMs === 0 || Date.now() - closedAt < skipDelayMs) open(next);
    else timer = setTimeout(() => open(next), delayMs);
  };

  const listeners = {
    pointerover: ({ target, pointerType }: PointerEvent) => {
      if (pointerType !== 'touch') pointAt(controlOf(target), openAfterMs);
    },
    pointerout: ({ relatedTarget }: PointerEvent) => {
      if (relatedTarget === null) leave();
    },
    focusin: ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches(':focus-visible')) pointAt(controlOf(target), 0);
    },
    focusout: ({ target }: FocusEvent) => {
      if (controlOf(target) === control) leave();
    },
    pointerdown: close,
    click: close,
    scroll: ({ target }: Event) => {
      if (target instanceof Node && target.contains(control)) close();
    },
  };
  return {
    close,
    shown: () => shown,
    /** Follows the pointer and the focus; returns the function that stops it. */
    follow(changed: () => void): () => void {
      onChange = changed;
      const stop = new AbortController();
      for (const [type, listener] of Object.entries(listeners)) {
        const options = { capture: true, passive: true, signal: stop.signal };
        document.addEventListener(type, listener as (event: Event) => void, options);
      }
      return () => {
        stop.abort();
        leave();
      };
    },
  };
}

/** The open tooltip of the page; `close` closes it until the pointer or the focus returns to its control. */
export function useOpenTooltip(): { readonly tooltip: OpenTooltip | null; readonly close: () => void } {
  const [{ follow, shown, close }] = useState(createTooltips);
  return { tooltip: useSyncExternalStore(follow, shown), close };
}
