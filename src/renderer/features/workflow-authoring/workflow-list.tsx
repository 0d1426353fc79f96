import type { Result } from '#shared/result';
import type { AuthoringList, AuthoringListRow } from '#shared/workflow-panel';
import { useMemo } from 'react';
import { text } from '../../locales/text';
import { EntityName } from '../../ui/entity-name';
import { ErrorCard } from '../../ui/error-card';
import { useRowStop, type RowProps } from '../../ui/list-rows';
import { UnreadFiles } from '../run-parts/unread-files';
import { WorkflowStatusIcon } from './workflow-status-icon';

/** A workflow's published version and its draft, listed as two rows under one id. */
interface Entry {
  readonly workflowId: string;
  readonly rows: readonly AuthoringListRow[];
}

function entriesOf(rows: readonly AuthoringListRow[]): readonly Entry[] {
  const entries = new Map<string, AuthoringListRow[]>();
  for (const row of rows) {
    const known = entries.get(row.workflowId);
    if (known) known.push(row);
    else entries.set(row.workflowId, [row]);
  }
  return [...entries].map(([workflowId, rows]) => ({ workflowId, rows }));
}

function RowStatus({ row, shownAs }: { readonly row: AuthoringListRow; readonly shownAs?: 'removed' }) {
  const { version, visibility, status, halted } = row;
  const unusual = visibility === 'hidden' || visibility === 'experimental' ? visibility : null;
  return (
    <span className="flex items-center gap-2 text-xs text-muted">
      <WorkflowStatusIcon status={shownAs ?? (halted === undefined ? status : 'halted')} />
      <span className="numbers font-mono">{version}</span>
      {unusual && <span>{text(`workflowAuthoring.visibility.${unusual}`)}</span>}
    </span>
  );
}

interface ItemProps {
  readonly entry: Entry;
  readonly shownAs?: 'removed';
  readonly chosen: boolean;
  readonly stop: RowProps;
  readonly onOpen: (workflowId: string) => void;
}

/** Skips rendering of rows outside the view. */
const lazyRows = '[contain-intrinsic-block-size:auto_4.5rem] [content-visibility:auto]';

function Item({ entry, shownAs, chosen, stop, onOpen }: ItemProps) {
  const { workflowId, rows } = entry;
  const title = rows.map((row) => row.title).find((one) => one !== '') ?? workflowId;
  return (
    <li className={lazyRows}>
      <button
        type="button"
        {...stop}
        aria-current={chosen || undefined}
        onClick={() => onOpen(workflowId)}
        className="flex w-full flex-col gap-0.5 rounded-md px-2.5 py-2 text-start text-sm hover:bg-hover focus-visible:-outline-offset-2 aria-current:bg-active"
      >
        <EntityName text={title} className="max-w-full truncate self-start font-medium" />
        <span className="w-full truncate font-mono text-xs text-muted">{workflowId}</span>
        {rows.map((row) => (
          <RowStatus key={row.status} row={row} {...(shownAs && { shownAs })} />
        ))}
      </button>
    </li>
  );
}

interface Sections {
  readonly entries: readonly Entry[];
  readonly removed: readonly Entry[];
  /** The number of entries in both sections, matching or not. */
  readonly count: number;
}

/** The searchable text of a row; it must contain every typed word. */
const foundBy = ({ title, workflowId, status, visibility, halted }: AuthoringListRow): string =>
  [title, workflowId, status, visibility, halted === undefined ? '' : 'halted'].join(' ').toLowerCase();

function sectionsOf({ rows, removed }: AuthoringList, search: string): Sections {
  const words = search.toLowerCase().split(/\s+/);
  const fits = (entry: Entry): boolean =>
    entry.rows.some((row) => words.every((word) => foundBy(row).includes(word)));
  const there = new Set(rows.map(({ workflowId }) => workflowId));
  const all = entriesOf(rows);
  const gone = entriesOf(removed.filter(({ workflowId }) => !there.has(workflowId)));
  return { entries: all.filter(fits), removed: gone.filter(fits), count: all.length + gone.length };
}

const nothing: Sections = { entries: [], removed: [], count: 0 };

/** How many of the rows match a search; says so if none do. */
function Found({ sections, search }: { readonly sections: Sections; readonly search: string }) {
  const found = sections.entries.length + sections.removed.length;
  if (search !== '' && found > 0) {
    return (
      <p role="status" className="numbers px-2.5 pt-1 pb-1.5 text-xs text-muted">
        {text('workflowAuthoring.list.found', { found, count: sections.count })}
      </p>
    );
  }
  if (found > 0) return null;
  return (
    <p role="status" className="px-2.5 py-6 text-center text-sm text-muted wrap-anywhere">
      {search === ''
        ? text('workflowAuthoring.list.none')
        : text('workflowAuthoring.list.noMatch', { search })}
    </p>
  );
}

export interface WorkflowListProps {
  readonly list: Result<AuthoringList> | null;
  /** Only rows that match this text. */
  readonly search: string;
  readonly chosen: string | null;
  readonly onOpen: (workflowId: string) => void;
}

/** Every workflow that an author can open, with status, version and visibility. */
export function WorkflowList({ list, search, chosen, onOpen }: WorkflowListProps) {
  const wanted = search.trim();
  const sections = useMemo(() => (list?.ok ? sectionsOf(list.value, wanted) : nothing), [list, wanted]);
  const { entries, removed } = sections;
  const stopAt = useRowStop(
    [...entries, ...removed].map(({ workflowId }) => workflowId),
    chosen,
  );
  if (!list) return null;
  if (!list.ok) return <ErrorCard error={list.error} />;
  const item = (entry: Entry, shownAs?: 'removed') => (
    <Item
      key={entry.workflowId}
      entry={entry}
      onOpen={onOpen}
      {...(shownAs && { shownAs })}
      chosen={entry.workflowId === chosen}
      stop={stopAt(entry.workflowId)}
    />
  );
  return (
    <>
      <Found sections={sections} search={wanted} />
      <ul aria-label={text('workflowAuthoring.list.label')}>{entries.map((entry) => item(entry))}</ul>
      {removed.length > 0 && (
        <>
          <h2 className="px-2.5 pt-3 pb-1 text-xs text-muted">
            {text('workflowAuthoring.list.removedTitle')}
          </h2>
          <ul aria-label={text('workflowAuthoring.list.removed')}>
            {removed.map((entry) => item(entry, 'removed'))}
          </ul>
        </>
      )}
      <UnreadFiles label={text('workflowAuthoring.list.unreadable')} problems={list.value.problems} />
    </>
  );
}
