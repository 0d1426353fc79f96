import type katexModule from 'katex';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import 'katex/dist/katex.min.css';
import { runWhenIdle } from './code-idle';

type Katex = Pick<typeof katexModule, 'render'>;

const maxLength = { inline: 2_000, display: 8_000 };

/** A formula cannot affect anything outside itself: no links, no images, bounded macros and sizes. */
const limits = { trust: false, throwOnError: true, maxExpand: 200, maxSize: 12, strict: false } as const;

let katex: Katex | undefined;
let loading: Promise<Katex> | undefined;

/** Loads the formula renderer on first use, so conversations without formulas never pay for it. */
export function loadKatex(): Promise<Katex> {
  loading ??= import('katex').then((module) => (katex = module.default));
  return loading;
}

function useKatex(): Katex | undefined {
  const [loaded, setLoaded] = useState(katex);
  useEffect(() => {
    if (loaded) return undefined;
    let wanted = true;
    void loadKatex().then((module) => {
      if (wanted) setLoaded(module);
    });
    return () => {
      wanted = false;
    };
  }, [loaded]);
  return loaded;
}

/** Returns false if the TeX is invalid or exceeds the limits; its source is shown instead. */
function drawn(renderer: Katex, tex: string, display: boolean, into: HTMLElement): boolean {
  try {
    renderer.render(tex, into, { ...limits, macros: {}, displayMode: display });
    return true;
  } catch {
    into.textContent = tex;
    return false;
  }
}

const frameMs = 16;
const affordableMs = 6;
let frame = { began: 0, spent: 0 };

/**
 * Renders immediately if this frame has time left, else when the window is idle; returns the function that
 * cancels it.
 */
function drawSoon(draw: () => void): () => void {
  const began = performance.now();
  if (began - frame.began > frameMs) frame = { began, spent: 0 };
  if (frame.spent > affordableMs) return runWhenIdle(draw);
  draw();
  frame.spent += performance.now() - began;
  return () => undefined;
}

/** A formula; its TeX source is shown until it renders, or if it cannot. */
export const MathFormula = memo(function MathFormula({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLElement>(null);
  const renderer = useKatex();
  const tooLong = tex.length > (display ? maxLength.display : maxLength.inline);
  useLayoutEffect(() => {
    const into = place.current;
    if (!into) return undefined;
    into.textContent = tex;
    into.dataset.math = tooLong ? 'source' : 'waiting';
    if (!renderer || tooLong) return undefined;
    return drawSoon(() => {
      into.dataset.math = drawn(renderer, tex, display, into) ? 'drawn' : 'source';
    });
  }, [renderer, tex, display, tooLong]);
  const look =
    'readable data-[math=source]:font-mono data-[math=source]:text-sm data-[math=source]:text-muted';
  return display ? (
    <span
      ref={place}
      dir="ltr"
      className={`${look} my-3 block overflow-x-auto overflow-y-hidden py-1 text-center`}
    />
  ) : (
    <span ref={place} dir="ltr" className={look} />
  );
});
