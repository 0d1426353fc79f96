import type { ResolverItem } from '#shared/resolver';
import { turnAt } from '#shared/session-state';
import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { richText, text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror } from '../../store/app-context';
import { pageSize, slashLine } from '../../store/slash-lines';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';
import { formatDate } from '../../ui/format';
import { Keys } from '../../ui/keys';
import { Modal } from '../../ui/modal';
import { pickedByCommand, pickedByTurn, type Picked } from './picked';
import { PickerList, rowId } from './picker-list';
import { NoItems, SourceBand } from './picker-notes';
import { usePages, type Pages } from './use-pages';
import { useClock } from '../../ui/use-clock';

/** The initial row: the router's choice, if it is on the first page. */
function firstRow(pages: Pages, highlightId: string | undefined): number {
  const wanted = highlightId ?? pages.highlightId;
  if (wanted === undefined) return 0;
  for (let row = 0; row < Math.min(pages.total ?? 0, pageSize); row += 1) {
    if (pages.at(row)?.header.id === wanted) return row;
  }
  return 0;
}

function countText(pages: Pages): string {
  if (pages.total === null || pages.error || pages.status?.state === 'failed') return '';
  if (pages.total === 0 && pages.status?.state === 'loading') return '';
  return text(pages.text.trim() === '' ? 'shared.items' : 'picker.found', { count: pages.total });
}

/** The usage of an item if its source reports it; for information only (AGN-000037 §5, UsageStats). */
function usageText({ usageStats = {} }: ResolverItem): readonly string[] {
  const { count, lastUsedAt } = usageStats;
  const at = typeof lastUsedAt === 'string' ? Date.parse(lastUsedAt) : NaN;
  return [
    ...(typeof count === 'number' ? [text('picker.used', { count })] : []),
    ...(Number.isNaN(at) ? [] : [text('picker.lastUsed', { date: formatDate(at) })]),
  ];
}

/** The number of items, the version, and the usage of the active item. */
function headerText(pages: Pages, version: string | undefined, item: ResolverItem | undefined): string {
  const total = pages.total === null ? [] : [text('shared.items', { count: pages.total })];
  return [
    ...total,
    ...(version === undefined ? [] : [text('picker.version', { version })]),
    ...(item ? usageText(item) : []),
  ].join(' · ');
}

interface FooterProps {
  readonly pages: Pages;
  readonly onModel: (() => void) | undefined;
}

function Footer({ pages, onModel }: FooterProps) {
  useClock();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2 text-xs text-muted">
      <span role="status" className="numbers">
        {countText(pages)}
      </span>
      <span className="flex items-center gap-1 max-narrow:hidden">
        {richText('picker.keys', { enter: <Keys keys="Enter" />, escape: <Keys keys="Escape" /> })}
      </span>
      {onModel && (
        <Button tone="quiet" className="ms-auto h-7 px-2" onClick={onModel}>
          {text('controlPlane.sendToModel')}
        </Button>
      )}
    </div>
  );
}

interface PickerProps {
  readonly picked: Picked;
  readonly onChoose: (item: ResolverItem) => void;
  readonly onClose: () => void;
  readonly onModel: (() => void) | undefined;
}

/**
 * Enter chooses the active row of the list for the current text. If pressed before that list arrives, it
 * chooses the only remaining item; if several remain, the user must choose.
 */
function useEnter(
  pages: Pages,
  text: string,
  chosen: ResolverItem | undefined,
  onChoose: (item: ResolverItem) => void,
) {
  const ahead = useRef<string>(undefined);
  const fits = pages.text === text.slice(0, 500);
  const complete = fits && pages.total !== null && pages.status?.state !== 'loading';
  useEffect(() => {
    if (!complete || ahead.current === undefined) return;
    const wanted = ahead.current === text && pages.total === 1;
    ahead.current = undefined;
    if (wanted && chosen) onChoose(chosen);
  });
  return () => {
    if (fits && chosen) onChoose(chosen);
    else if (!complete) ahead.current = text;
  };
}

function Picker({ picked, onChoose, onClose, onModel }: PickerProps) {
  const id = useId();
  const [search, setSearch] = useState(picked.text);
  const pages = usePages(picked.source, search);
  // The item that a line asked for stays highlighted until the user searches for something else.
  const highlightId = search === picked.text ? picked.highlightId : undefined;
  const total = pages.total ?? 0;
  const { active, activate, onKeyDown } = useActiveRow(pages.text, total, firstRow(pages, highlightId));
  const onEnter = useEnter(pages, search, pages.at(active), onChoose);
  return (
    <Modal
      label={picked.title}
      onClose={onClose}
      className="mt-[12vh] w-[36rem] max-w-[calc(100vw-2rem)] open:flex open:flex-col"
    >
      <div className="flex flex-col border-b border-line px-4 pt-3 pb-2">
        <div className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
          <h2 className="font-medium">{picked.title}</h2>
          <EntityName
            text={headerText(pages, picked.version, pages.at(active))}
            className="numbers truncate"
          />
        </div>
        <input
          data-autofocus
          role="combobox"
          aria-label={text('picker.search', { nouns: picked.noun })}
          aria-expanded={total > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={total > 0 ? rowId(id, active) : undefined}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          maxLength={500}
          value={search}
          placeholder={text('picker.search', { nouns: picked.noun })}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
              event.preventDefault();
              onEnter();
            } else onKeyDown(event);
          }}
          className="mt-1 h-8 w-full bg-transparent text-message outline-none"
        />
      </div>
      <SourceBand pages={pages} />
      {total > 0 ? (
        <PickerList
          id={id}
          pages={pages}
          active={active}
          onChoose={onChoose}
          label={picked.title}
          compact={picked.compact}
          onActivate={activate}
        />
      ) : (
        <NoItems pages={pages} noun={picked.noun} />
      )}
      <Footer pages={pages} onModel={onModel} />
    </Modal>
  );
}

type PickerDialogProps =
  | { readonly turn: number }
  /** `highlightId`: the initial item. */
  | { readonly commandId: string; readonly highlightId?: string };

function usePicked(props: PickerDialogProps): Picked | null {
  const view = useMirror((mirror) => mirror.controlPlane);
  const number = 'turn' in props ? props.turn : null;
  const turn = useCurrentSession((session) =>
    session && number !== null ? turnAt(session, number) : undefined,
  );
  return 'turn' in props
    ? pickedByTurn(view, turn)
    : pickedByCommand(view, props.commandId, props.highlightId);
}

/** The only picker dialog: opened by a line, by a chip or by the palette. */
export function PickerDialog(props: PickerDialogProps) {
  const { commands, view } = useApp();
  const found = usePicked(props);
  // The value at opening: later pushes from main must not restart the search.
  const [picked] = useState(found);
  const over = found === null;
  useEffect(() => {
    // Closed elsewhere: by another window, or by a line that withdrew it.
    if (over) view.set({ dialog: null });
  }, [over, view]);
  if (!picked) return null;
  const { by } = picked;
  const close = () => view.set({ dialog: null });
  const choose = ({ header }: ResolverItem) => {
    close();
    if ('turn' in by) void commands.choosePicked(by.turn, header.id);
    else void commands.send(slashLine(by.row, header.id));
  };
  const toModel = () => {
    close();
    if ('turn' in by) void commands.closePicker(by.turn, 'model');
  };
  return (
    <Picker picked={picked} onChoose={choose} onClose={close} onModel={'turn' in by ? toModel : undefined} />
  );
}

/** The number of rows that a page key skips. */
const pageRows = 8;
interface Selection {
  /** The list that the row belongs to: another list starts at its own first row. */
  readonly list: unknown;
  readonly row: number;
}

/** The row that a key leads to, or undefined if the key does not move through the list. */
function target(key: string, row: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, row + 1);
    case 'ArrowUp':
      return Math.max(0, row - 1);
    case 'PageDown':
      return Math.min(last, row + pageRows);
    case 'PageUp':
      return Math.max(0, row - pageRows);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** The row of a list that the keyboard selected; `first` until a key has moved within this same list. */
function useActiveRow(list: unknown, count: number, first: number) {
  const [selection, setSelection] = useState<Selection | null>(null);
  const active = Math.min(
    selection && selection.list === list ? selection.row : first,
    Math.max(0, count - 1),
  );
  const activate = useCallback((row: number) => setSelection({ list, row }), [list]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.shiftKey || event.altKey || event.metaKey || event.nativeEvent.isComposing) return;
    const row = target(event.key, active, count);
    if (row === undefined || count === 0) return;
    event.preventDefault();
    activate(row);
  };
  return { active, activate, onKeyDown };
}
