import type { Result } from '#shared/result';
import type { AuthoringRow } from '#shared/workflow-authoring';
import type { AuthoringShelf, AuthoringShelfRow } from '#shared/workflow-panel';
import { CircleAlert } from 'lucide-react';
import { EntityName } from '../../ui/entity-name';
import { ErrorCard } from '../../ui/error-card';
import { WorkflowMark } from './workflow-mark';

/** What is published of a workflow and its draft, which are two rows, under its one id. */
interface Entry {
  readonly workflowId: string;
  readonly rows: readonly AuthoringShelfRow[];
}

function entriesOf(rows: readonly AuthoringShelfRow[]): readonly Entry[] {
  const ids = new Set(rows.map(({ workflowId }) => workflowId));
  return [...ids].map((workflowId) => ({
    workflowId,
    rows: rows.filter((row) => row.workflowId === workflowId),
  }));
}

const visibilities: Readonly<Record<string, string>> = { hidden: 'hidden', experimental: 'experimental' };

function Standing({ row, mark }: { readonly row: AuthoringShelfRow; readonly mark?: 'removed' }) {
  const { version, visibility, status, halted } = row;
  const seen = visibilities[visibility];
  return (
    <span className="flex items-center gap-2 text-xs text-muted">
      <WorkflowMark status={mark ?? (halted === undefined ? status : 'halted')} />
      <span className="numbers font-mono">{version}</span>
      {seen !== undefined && <span>{seen}</span>}
    </span>
  );
}

interface ItemProps {
  readonly entry: Entry;
  readonly mark?: 'removed';
  readonly chosen: boolean;
  readonly onOpen: (workflowId: string) => void;
}

function Item({ entry, mark, chosen, onOpen }: ItemProps) {
  const { workflowId, rows } = entry;
  const title = rows.map((row) => row.title).find((text) => text !== '') ?? workflowId;
  return (
    <li>
      <button
        type="button"
        aria-current={chosen || undefined}
        onClick={() => onOpen(workflowId)}
        className="flex w-full flex-col gap-0.5 rounded-md px-2.5 py-2 text-start text-sm hover:bg-hover aria-current:bg-active"
      >
        <EntityName text={title} className="w-full truncate font-medium" />
        <span className="w-full truncate font-mono text-xs text-muted">{workflowId}</span>
        {rows.map((row) => (
          <Standing key={row.status} row={row} {...(mark && { mark })} />
        ))}
      </button>
    </li>
  );
}

function Removed({ rows, chosen, onOpen }: ListProps & { readonly rows: readonly AuthoringRow[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h2 className="px-2.5 pt-3 pb-1 text-xs text-muted">Removed, kept in the history</h2>
      <ul aria-label="Removed workflows">
        {rows.map((row) => (
          <Item
            key={row.workflowId}
            entry={{ workflowId: row.workflowId, rows: [row] }}
            mark="removed"
            chosen={row.workflowId === chosen}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </>
  );
}

/** Files that cannot be read are named; they hide no other. */
function Problems({ problems }: Pick<AuthoringShelf, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <ul
      aria-label="Workflows that cannot be read"
      className="mt-2 space-y-1 border-t border-line px-2.5 pt-2"
    >
      {problems.slice(0, 20).map(({ file, field, reason }) => (
        <li key={`${file} ${field}`} className="flex gap-1.5 text-xs text-copper-text">
          <CircleAlert aria-hidden size={13} className="mt-0.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            <EntityName text={file} className="font-mono" /> {field}: {reason}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ListProps {
  readonly chosen: string | null;
  readonly onOpen: (workflowId: string) => void;
}

export interface WorkflowListProps extends ListProps {
  readonly shelf: Result<AuthoringShelf> | null;
  /** Only what holds this text, in its title or id. */
  readonly text: string;
}

/** Every workflow an author can open, with status, version and visibility. */
export function WorkflowList({ shelf, text, chosen, onOpen }: WorkflowListProps) {
  if (!shelf) return null;
  if (!shelf.ok) return <ErrorCard error={shelf.error} />;
  const { rows, removed, problems } = shelf.value;
  const wanted = text.trim().toLowerCase();
  const fits = ({ title, workflowId }: AuthoringRow) =>
    `${title} ${workflowId}`.toLowerCase().includes(wanted);
  const entries = entriesOf(rows.filter(fits));
  const drafted = new Set(rows.map(({ workflowId }) => workflowId));
  return (
    <>
      {entries.length === 0 && (
        <p className="px-2.5 py-6 text-center text-sm text-muted">
          {wanted === '' ? 'There are no workflows yet. Begin a draft.' : `Nothing fits “${text}”.`}
        </p>
      )}
      <ul aria-label="Workflows">
        {entries.map((entry) => (
          <Item key={entry.workflowId} entry={entry} chosen={entry.workflowId === chosen} onOpen={onOpen} />
        ))}
      </ul>
      <Removed
        rows={removed.filter((row) => fits(row) && !drafted.has(row.workflowId))}
        {...{ chosen, onOpen }}
      />
      <Problems problems={problems} />
    </>
  );
}
