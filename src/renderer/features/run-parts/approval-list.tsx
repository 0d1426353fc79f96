import { ChevronDown, ChevronRight, Search } from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { visibleControls } from '#shared/direction-controls';
import { describeChange } from '#shared/file-change';
import { writeTarget } from '#shared/ledger';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import { useIsTyped } from '../../store/card-drafts';
import { draftCards } from '../../store/drafts';
import { Button } from '../../ui/button';
import { CallDetails, type EditApproval } from './approval-call';
import { Direction } from 'radix-ui';
import { alongLine } from '../../ui/key-press';

const targetOf = ({ file, arguments: args }: ApprovalState): string =>
  visibleControls(file?.path ?? writeTarget(args));
const toolOf = ({ tool }: ApprovalState): string => visibleControls(tool.replace(/^mcp:\/\//, ''));

/** A call by its tool and target. */
export const callName = (approval: ApprovalState): string =>
  text('runParts.list.row', { tool: toolOf(approval), target: targetOf(approval) }).trim();

export interface ApprovalListProps {
  readonly approvals: readonly ApprovalState[];
  /** Ids of the calls that will not run. */
  readonly left: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], chosen: boolean) => void;
  /** The titles of the steps that ask, by id; absent: one step asks. */
  readonly steps?: ReadonlyMap<string, string>;
  readonly onEdit?: EditApproval;
  /** Approves the ticked calls. */
  readonly onEnter: () => void;
}

interface RowProps extends Pick<ApprovalListProps, 'onEdit'> {
  readonly approval: ApprovalState;
  /** The title of the step that asks, where several do. */
  readonly step: string | undefined;
  readonly chosen: boolean;
  readonly current: boolean;
  readonly open: boolean;
  readonly onChoose: (chosen: boolean) => void;
  readonly onOpen: () => void;
}

function Row({ approval, step, chosen, current, open, onChoose, onOpen, onEdit }: RowProps) {
  const Icon = open ? ChevronDown : ChevronRight;
  const target = targetOf(approval);
  return (
    <li className="border-t border-line first:border-t-0">
      <div className="flex min-h-7 items-center gap-2 px-2">
        <input
          type="checkbox"
          data-row
          tabIndex={current ? 0 : -1}
          aria-label={callName(approval)}
          className="size-4 shrink-0 accent-(--color-accent-strong)"
          checked={chosen}
          onChange={(event) => onChoose(event.target.checked)}
        />
        <button
          type="button"
          tabIndex={-1}
          aria-expanded={open}
          className="flex min-w-0 grow items-center gap-2 py-0.5 text-start hover:text-accent-text"
          onClick={onOpen}
        >
          <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
          <span className="sr-only">{text('runParts.list.details')}</span>
          <span className="readable min-w-0 truncate text-sm">{target}</span>
          <span className="numbers shrink-0 text-xs text-muted">
            {approval.file ? describeChange(approval.file) : toolOf(approval)}
          </span>
          {step !== undefined && (
            <span className="ms-auto min-w-0 max-w-2/5 truncate text-xs text-muted">{step}</span>
          )}
          {approval.edited && (
            <span className="shrink-0 text-xs text-muted">{text('runParts.editor.edited')}</span>
          )}
        </button>
      </div>
      {open && (
        <div className="px-2 pb-2">
          <CallDetails approval={approval} {...(onEdit && { onEdit })} />
        </div>
      )}
    </li>
  );
}

/** The row that a key leads to; undefined for other keys. */
function nextRow(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(count - 1, at + 1);
    case 'ArrowUp':
      return Math.max(0, at - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

const haystack = (approval: ApprovalState, step = ''): string =>
  `${targetOf(approval)} ${toolOf(approval)} ${step}`.toLowerCase();

/**
 * Many calls, also of several steps, as one list of targets: a line each, to expand, tick and filter. Arrows move,
 * Space ticks, Right and Left expand and collapse, Enter approves the ticked calls, `/` filters.
 */
export function ApprovalList({ approvals, left, onChoose, steps, onEdit, onEnter }: ApprovalListProps) {
  const [filter, setFilter] = useState('');
  const [at, setAt] = useState(0);
  const isTyped = useIsTyped();
  const [open, setOpen] = useState<ReadonlySet<string>>(() => {
    const ids = approvals.map(({ approvalId }) => approvalId);
    return new Set(ids.filter((id) => isTyped(draftCards.arguments(id))));
  });
  const list = useRef<HTMLUListElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const wanted = filter.trim().toLowerCase();
  const shown = useMemo(
    () =>
      wanted === ''
        ? approvals
        : approvals.filter((one) => haystack(one, steps?.get(one.nodeId)).includes(wanted)),
    [approvals, steps, wanted],
  );
  const current = Math.min(at, shown.length - 1);
  const ids = shown.map(({ approvalId }) => approvalId);
  const ticked = ids.filter((id) => !left.has(id)).length;
  const focusRow = (row: number): void => {
    setAt(row);
    list.current?.querySelectorAll<HTMLElement>('[data-row]')[row]?.focus();
  };
  const toggle = (id: string, expanded: boolean): void =>
    setOpen(new Set(expanded ? [...open, id] : [...open].filter((other) => other !== id)));
  const direction = Direction.useDirection();
  const onListKey = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset['row'] === undefined) return;
    const row = nextRow(event.key, current, shown.length);
    const id = ids[current];
    const along = alongLine(event.key, direction);
    if (row !== undefined) focusRow(row);
    else if (along !== undefined && id !== undefined) toggle(id, along > 0);
    else if (event.key === 'Enter') onEnter();
    else if (event.key === '/') search.current?.focus();
    else return;
    event.preventDefault();
  };
  const onSearchKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && filter !== '') {
      event.stopPropagation();
      setFilter('');
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      focusRow(0);
    }
  };
  return (
    <div className="mt-2 rounded-md border border-line bg-canvas">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-2 py-1.5">
        <Search aria-hidden className="size-3.5 shrink-0 text-muted" />
        <input
          ref={search}
          type="search"
          aria-label={text('runParts.list.filter')}
          placeholder={text('runParts.list.placeholder')}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={onSearchKey}
          className="h-6 min-w-24 grow bg-transparent text-sm outline-none"
        />
        <span role="status" className="numbers text-xs text-muted">
          {text('runParts.list.ticked', { ticked, count: shown.length })}
        </span>
        <Button tone="quiet" className="h-6 px-1.5 text-xs" onClick={() => onChoose(ids, true)}>
          {text('runParts.list.all')}
        </Button>
        <Button tone="quiet" className="h-6 px-1.5 text-xs" onClick={() => onChoose(ids, false)}>
          {text('runParts.list.none')}
        </Button>
      </div>
      <ul
        ref={list}
        aria-label={text('runParts.list.name')}
        className="max-h-80 overflow-auto"
        onKeyDown={onListKey}
      >
        {shown.map((approval, row) => (
          <Row
            key={approval.approvalId}
            approval={approval}
            step={steps?.get(approval.nodeId)}
            chosen={!left.has(approval.approvalId)}
            current={row === current}
            open={open.has(approval.approvalId)}
            onChoose={(chosen) => {
              setAt(row);
              onChoose([approval.approvalId], chosen);
            }}
            onOpen={() => toggle(approval.approvalId, !open.has(approval.approvalId))}
            {...(onEdit && { onEdit })}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className="p-2 text-sm text-muted">{text('runParts.list.noMatch')}</p>}
    </div>
  );
}
