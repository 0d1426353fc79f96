import type { ResolverItem } from '#shared/resolver';
import { useEffect, useMemo, useRef, type RefObject } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { richText, text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { EntityName } from '../../ui/entity-name';
import { VirtualContainer } from '../../ui/virtual-container';
import type { Pages } from './use-pages';

/** Heights of rows with two lines and with one. */
const rowHeight = { full: 48, compact: 32 };
const shownAliases = 4;

/** A stored id, such as that of a mode, is a name that only files use. */
const isStoredId = (alias: string): boolean => /^[0-9A-F]{32}$/.test(alias);

export const rowId = (list: string, index: number) => `${list}-${index}`;

function About({ item }: { readonly item: ResolverItem }) {
  const names = item.aliases.filter((alias) => !isStoredId(alias));
  const aliases = names.slice(0, shownAliases);
  const more = names.length - aliases.length;
  if (item.description === undefined && aliases.length === 0) return null;
  return (
    <span className="flex min-w-0 gap-1 text-xs text-muted">
      {item.description !== undefined && <EntityName text={item.description} className="truncate" />}
      {aliases.length > 0 && (
        <span className="min-w-0 shrink-[2] truncate">
          {item.description !== undefined && '· '}
          {richText(more > 0 ? 'picker.alsoMore' : 'picker.also', {
            names: aliases.map((alias, at) => (
              <span key={`${at} ${alias}`}>
                {' '}
                {at > 0 && ', '} <EntityName text={alias} />{' '}
              </span>
            )),
            more,
          })}
        </span>
      )}
    </span>
  );
}

interface RowProps {
  readonly compact: boolean;
  readonly id: string;
  readonly item: ResolverItem | undefined;
  readonly index: number;
  readonly total: number;
  readonly active: boolean;
  readonly onChoose: (item: ResolverItem) => void;
  readonly onActivate: (index: number) => void;
}

function Row({ compact, id, item, index, total, active, onChoose, onActivate }: RowProps) {
  return (
    // The list's input field has the focus and receives the keys; a row handles only the pointer.
    <div
      id={id}
      role="option"
      aria-selected={active}
      aria-setsize={total}
      aria-posinset={index + 1}
      aria-disabled={item === undefined}
      onClick={() => item && onChoose(item)}
      onPointerMove={() => onActivate(index)}
      style={{ height: compact ? rowHeight.compact : rowHeight.full }}
      className={classNames('mx-1.5 flex items-center gap-3 rounded-md px-2.5', active && 'bg-hover')}
    >
      {item === undefined ? (
        <span className="text-sm text-muted">{text('picker.loading')}</span>
      ) : (
        <>
          <span className="flex min-w-0 flex-1 flex-col">
            <EntityName text={item.header.displayName || item.header.id} className="truncate text-sm" />
            {!compact && <About item={item} />}
          </span>
          <EntityName
            text={item.header.id}
            className="max-w-[40%] shrink-0 truncate font-mono text-xs text-muted"
          />
        </>
      )}
    </div>
  );
}

export interface PickerListProps {
  readonly id: string;
  readonly label: string;
  readonly compact: boolean;
  readonly pages: Pages;
  readonly active: number;
  readonly onActivate: (index: number) => void;
  readonly onChoose: (item: ResolverItem) => void;
}

/** Keeps the active row in view. */
function useActiveInSight(list: RefObject<VirtualizerHandle | null>, active: number, total: number): void {
  useEffect(() => {
    const handle = list.current;
    if (total === 0 || !handle) return;
    // A new list is already at its first row; scrolling there would only cause a layout.
    if (active > 0 || handle.scrollOffset > 0) handle.scrollToIndex(active, { align: 'nearest' });
  }, [list, active, total]);
}

/** The visible items: of 100,000, only a screenful exists in the page. */
export function PickerList({ id, label, compact, pages, active, onActivate, onChoose }: PickerListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const pointer = useRef<{ x: number; y: number }>(undefined);
  const total = pages.total ?? 0;
  const rows = useMemo((): ArrayLike<unknown> => ({ length: total }), [total]);
  useActiveInSight(list, active, total);
  const { want } = pages;
  const inSight = () => {
    const handle = list.current;
    if (!handle || total === 0) return;
    want(Math.min(total - 1, handle.findItemIndex(handle.scrollOffset)));
    want(Math.min(total - 1, handle.findItemIndex(handle.scrollOffset + handle.viewportSize)));
  };
  // A key can jump far ahead, before anything has scrolled there.
  useEffect(() => {
    if (total > 0) want(active);
  });
  return (
    <div
      ref={scroller}
      id={id}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      onPointerMoveCapture={(event) => {
        // A list that scrolls under a resting pointer must not select anything.
        const before = pointer.current;
        pointer.current = { x: event.clientX, y: event.clientY };
        if (before?.x === event.clientX && before.y === event.clientY) event.stopPropagation();
      }}
      className="max-h-[min(25rem,50vh)] min-h-0 overflow-y-auto py-1.5 outline-none"
    >
      <Virtualizer
        ref={list}
        as={VirtualContainer}
        data={rows}
        itemSize={compact ? rowHeight.compact : rowHeight.full}
        scrollRef={scroller}
        startMargin={6}
        ssrCount={Math.min(total, 12)}
        keepMounted={total > 0 ? [active] : []}
        onScroll={inSight}
      >
        {(_row, index) => (
          <Row
            key={index}
            id={rowId(id, index)}
            item={pages.at(index)}
            active={index === active}
            compact={compact}
            index={index}
            total={total}
            onChoose={onChoose}
            onActivate={onActivate}
          />
        )}
      </Virtualizer>
    </div>
  );
}
