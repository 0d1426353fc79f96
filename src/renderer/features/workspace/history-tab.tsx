import type { SnapshotHash } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { useState } from 'react';
import { Button } from '../../ui/button';
import { formatBytes, formatDate } from '../../ui/format';
import { ApplyChoice } from './apply-choice';
import type { Compared } from './changes-tab';
import { CollectPart } from './collect-part';
import type { Workspace } from './use-workspace';
import { boundaryTexts, shortHash } from './workspace-words';

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

export interface HistoryTabProps {
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
  readonly onCompare: (compared: Compared) => void;
}

/** Every snapshot that was active, newest first, and those that are only kept: compared, gone back to, collected. */
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
