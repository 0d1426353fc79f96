import type { SnapshotHash } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { useCallback, useState } from 'react';
import { Button } from '../../ui/button';
import { formatBytes, formatDate, formatMany } from '../../ui/format';
import { ApplyChoice } from './apply-choice';
import type { Compared } from './changes-tab';
import type { Workspace } from './use-workspace';
import { boundaryTexts, shortHash } from './workspace-labels';
import { useAnswer } from '../../ui/use-answer';

interface Row {
  readonly key: string;
  readonly hash: SnapshotHash;
  readonly note: string;
}

function rowsOf({ state, snapshots }: WorkspaceView): {
  readonly applied: readonly Row[];
  readonly kept: readonly Row[];
} {
  const applied = state.history
    .map(({ hash, workspace, at, boundary }, place) => ({
      key: `${place} ${hash}`,
      hash,
      note: `${workspace}, ${formatDate(at)}, ${boundaryTexts[boundary]}`,
    }))
    .reverse();
  const seen = new Set(state.history.map(({ hash }) => hash));
  const kept = snapshots
    .filter(({ hash }) => !seen.has(hash))
    .map(({ hash, bytes, at }) => ({
      key: hash,
      hash,
      note: `${formatBytes(bytes)}, kept ${formatDate(at)}`,
    }));
  return { applied, kept };
}

interface RowProps {
  readonly row: Row;
  readonly active: SnapshotHash | undefined;
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
  readonly onCompare: (compared: Compared) => void;
}

function HistoryRow({ row, active, workspace, view, onCompare }: RowProps) {
  const [going, setGoing] = useState(false);
  const current = row.hash === active;
  const name = shortHash(row.hash);
  return (
    <li className="px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-40 flex-1">
          <p className="flex items-baseline gap-2 text-sm">
            <code title={row.hash} className="readable font-mono text-xs">
              {name}
            </code>
            {current && <span className="text-xs text-accent-text">active</span>}
          </p>
          <p className="numbers text-xs text-muted">{row.note}</p>
        </div>
        {!current && (
          <>
            <Button
              tone="quiet"
              className="h-7"
              aria-label={`Compare ${name} with the active snapshot`}
              onClick={() => active !== undefined && onCompare({ from: row.hash, to: active })}
            >
              Compare
            </Button>
            <Button
              className="h-7"
              aria-expanded={going}
              aria-label={`Go back to ${name}`}
              onClick={() => setGoing(!going)}
            >
              Go back
            </Button>
          </>
        )}
      </div>
      {going && (
        <div role="group" aria-label={`Go back to ${name}?`} className="mt-2 rounded-md bg-surface p-3">
          <ApplyChoice
            view={view}
            label={`Go back to ${name}`}
            disabled={workspace.busy !== null}
            onCancel={() => setGoing(false)}
            onApply={(when) => {
              setGoing(false);
              void workspace.act({ op: 'rollback', hash: row.hash, when });
            }}
          />
        </div>
      )}
    </li>
  );
}

interface HistoryTabProps {
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
  readonly onCompare: (compared: Compared) => void;
}

/** All formerly active snapshots, newest first, and those that are only stored: compare, revert, collect. */
export function HistoryTab({ workspace, view, onCompare }: HistoryTabProps) {
  const { applied, kept } = rowsOf(view);
  const active = view.state.active ?? view.contents?.hash;
  const list = (label: string, rows: readonly Row[]) =>
    rows.length > 0 && (
      <section className="flex flex-col gap-2">
        <h3 className="numbers text-xs font-medium text-muted">
          {label} · {rows.length}
        </h3>
        <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line">
          {rows.map((row) => (
            <HistoryRow
              key={row.key}
              row={row}
              active={active}
              workspace={workspace}
              view={view}
              onCompare={onCompare}
            />
          ))}
        </ul>
      </section>
    );
  return (
    <div className="flex flex-col gap-5">
      {applied.length === 0 && (
        <p className="text-sm text-muted">Nothing was applied yet: what Patina brings is in use.</p>
      )}
      {list('Applied here', applied)}
      {list('Kept, not applied here', kept)}
      <CollectPart workspace={workspace} />
    </div>
  );
}
function question(unused: number, asking: boolean): string {
  const many = formatMany(unused, 'snapshot');
  const [is, it] = unused === 1 ? ['is', 'it'] : ['are', 'them'];
  return asking
    ? `Remove ${many} for good? Nothing refers to ${it}.`
    : `${many} ${is} referred to by no session and no project.`;
}

/**
 * Removes stored snapshots that no session or project references: shows their number, then asks for
 * confirmation.
 */
function CollectPart({ workspace }: { readonly workspace: Workspace }) {
  const { ask, act, busy, time } = workspace;
  const [asking, setAsking] = useState(false);
  const count = useCallback(() => ask({ op: 'gc', dryRun: true }), [ask]);
  const answer = useAnswer(count, time);
  const unused = answer?.ok ? (answer.value.removed ?? []).length : 0;
  if (answer && !answer.ok) {
    return <p className="text-xs text-danger-text">{answer.error.message}</p>;
  }
  if (unused === 0) {
    return (
      <p className="text-xs text-muted">Every kept snapshot is referred to by a session or a project.</p>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line p-3 text-sm">
      <p className="numbers min-w-48 flex-1">{question(unused, asking)}</p>
      {asking ? (
        <>
          <Button tone="quiet" autoFocus onClick={() => setAsking(false)}>
            Keep
          </Button>
          <Button
            tone="danger"
            disabled={busy !== null}
            onClick={() => {
              setAsking(false);
              void act({ op: 'gc' });
            }}
          >
            Remove {formatMany(unused, 'snapshot')}
          </Button>
        </>
      ) : (
        <Button onClick={() => setAsking(true)}>Collect…</Button>
      )}
    </div>
  );
}
