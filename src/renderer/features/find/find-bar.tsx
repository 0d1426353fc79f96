import type { SessionState } from '#shared/session-state';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from 'react';
import { text } from '../../locales/text';
import { useApp, useView } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';
import { findPattern, maxMatches, placeOf, type Match } from './find-matches';
import { useFind, type Find } from './use-find';
import { createMatchHighlights } from './match-highlights';

function Count({ find: { query: query, counting, matches, match } }: { readonly find: Find }) {
  const place = {
    place: placeOf(matches, match) + 1,
    count: matches.length,
    more: matches.length < maxMatches ? 'no' : 'yes',
  };
  const words = matches.length === 0 ? text('find.noMatches') : text('find.place', place);
  return (
    <span role="status" className="numbers shrink-0 px-1 text-xs whitespace-nowrap text-muted">
      {query.trim() === '' || (counting && matches.length === 0) ? '' : words}
    </span>
  );
}

/** Closing returns the focus to the element that had it before. */
function useFocus(field: RefObject<HTMLInputElement | null>): () => void {
  const { view } = useApp();
  const tick = useView(({ find }) => find?.tick);
  const before = useRef<Element | null>(null);
  // In the same step as the field appears: what is typed right after the shortcut belongs into it.
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (activeElement !== field.current) before.current = activeElement;
    field.current?.focus();
    field.current?.select();
  }, [field, tick]);
  return () => {
    view.set({ find: null });
    const origin = before.current;
    if (origin instanceof HTMLElement && origin.isConnected && origin !== document.body) origin.focus();
    else view.focusComposer();
  };
}

interface FindBarProps {
  readonly session: SessionState;
  /** The element that contains the conversation. */
  readonly root: RefObject<HTMLElement | null>;
}

/** Searches the session on the screen and steps through the matches. */
export function FindBar({ session, root }: FindBarProps) {
  const { view } = useApp();
  const field = useRef<HTMLInputElement>(null);
  const close = useFocus(field);
  const find = useFind(session, root, view.showTurn);
  useMatchHighlights(root, find.sought, find.match);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const inField = event.target === field.current;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && inField) find.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="search"
      aria-label={text('find.field')}
      onKeyDown={onKeyDown}
      className="flex h-11 shrink-0 items-center overflow-hidden border-b border-line [scrollbar-gutter:stable]"
    >
      <div className="mx-auto flex w-full max-w-column items-center gap-1 px-5">
        <input
          ref={field}
          type="text"
          aria-label={text('find.field')}
          placeholder={text('find.field')}
          maxLength={500}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          value={find.query}
          onChange={(event) => find.type(event.currentTarget.value)}
          className="readable h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent"
        />
        <Count find={find} />
        <IconButton
          icon={ChevronUp}
          label={text('find.previous')}
          keys="Shift+Enter"
          disabled={find.matches.length === 0}
          onClick={() => find.step(-1)}
        />
        <IconButton
          icon={ChevronDown}
          label={text('find.next')}
          keys="Enter"
          disabled={find.matches.length === 0}
          onClick={() => find.step(1)}
        />
        <IconButton icon={X} label={text('find.close')} keys="Escape" onClick={close} />
      </div>
    </div>
  );
}

/** How long a turn may take to scroll into view before the scroll to its match is abandoned. */
const announceAfterMs = 600;

/** Space above a match that was scrolled to, so that its context is visible too. */
const marginAbove = 96;
function bringIntoSight(log: Element, word: Range): void {
  const box = log.getBoundingClientRect();
  const place = word.getBoundingClientRect();
  if (place.height === 0 || (place.top >= box.top && place.bottom <= box.bottom)) return;
  log.scrollTop += place.top - box.top - marginAbove;
}

/** Highlights matches everywhere in the page, and again whenever the page changes. */
function useMatchHighlights(root: RefObject<HTMLElement | null>, query: string, match: Match | null): void {
  useEffect(() => {
    const log = root.current?.querySelector('[role="log"]');
    const pattern = findPattern(query);
    if (!log || !pattern) return undefined;
    const marks = createMatchHighlights();
    const until = performance.now() + announceAfterMs;
    let frame = 0;
    const paint = () => {
      frame = 0;
      const here = marks.highlight(log, pattern, match);
      if (here && performance.now() < until) bringIntoSight(log, here);
    };
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(paint);
    };
    const observer = new MutationObserver(soon);
    observer.observe(log, { childList: true, characterData: true, subtree: true });
    log.addEventListener('scroll', soon, { passive: true });
    soon();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      log.removeEventListener('scroll', soon);
      marks.clear();
    };
  }, [root, query, match]);
}
