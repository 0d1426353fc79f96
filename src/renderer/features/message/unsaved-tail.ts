import { useLayoutEffect, useRef, type RefObject } from 'react';

const highlightName = 'unsaved';

/**
 * The text of the reply itself: not of its buttons, and only the spoken part of a formula, not its visible
 * copy.
 */
const isReplyText = (text: Text): boolean => text.parentElement?.closest('button, .katex-html') === null;

/**
 * The last `length` characters of a rendered reply, as a range up to its end; null if there is nothing to
 * mark. Rendered text is never longer than its source, so the range covers at least everything that the last
 * `length` source characters produced.
 */
export function tailRange(root: Element, length: number): Range | null {
  if (length <= 0) return null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let left = length;
  let first: Text | null = null;
  for (let node = lastText(walker); node && left > 0; node = walker.previousNode() as Text | null) {
    first = node;
    if (isReplyText(node)) left -= node.data.length;
  }
  if (!first) return null;
  const range = document.createRange();
  range.setStart(first, Math.max(0, -left));
  range.setEndAfter(root.lastChild ?? first);
  return range;
}

function lastText(walker: TreeWalker): Text | null {
  while (walker.lastChild()) {
    // Descend to the last node of the tree, text or not.
  }
  return walker.currentNode instanceof Text ? walker.currentNode : (walker.previousNode() as Text | null);
}

/**
 * Marks the unsaved end of a growing reply before each paint: the browser paints it lighter (a CSS custom
 * highlight). `unsaved` is the number of characters that were not committed when they arrived; `from` changes
 * when another element begins to grow.
 */
export function useUnsavedTail(root: RefObject<HTMLElement | null>, unsaved: number, from: number): void {
  const length = useRef(unsaved);
  const paint = useRef<() => void>(() => undefined);
  const marking = unsaved > 0;
  useLayoutEffect(() => {
    const box = root.current;
    const highlights = typeof CSS === 'undefined' ? undefined : CSS.highlights;
    if (!marking || !box || !highlights) return undefined;
    const highlightTail = () => {
      const range = tailRange(box, length.current);
      if (range) highlights.set(highlightName, new Highlight(range));
      else highlights.delete(highlightName);
    };
    paint.current = highlightTail;
    // Runs after each DOM change and before the paint, so new words are never unmarked.
    const observer = new MutationObserver(highlightTail);
    observer.observe(box, { childList: true, characterData: true, subtree: true });
    highlightTail();
    return () => {
      observer.disconnect();
      paint.current = () => undefined;
      highlights.delete(highlightName);
    };
  }, [root, marking, from]);
  useLayoutEffect(() => {
    length.current = unsaved;
    paint.current();
  }, [unsaved]);
}
