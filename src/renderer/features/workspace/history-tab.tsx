import type { SnapshotHash } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { useCallback, useState } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { formatBytes, formatDate } from '../../ui/format';
import { ApplyChoice } from './apply-choice';
import type { Compared } from './changes-tab';
import type { Workspace } from './use-workspace';
import { shortHash } from './workspace-labels';
import { useAnswer } from '../../ui/use-answer';
import { useClock } from '../../ui/use-clock';

interface Row {
  readonly key: string;
  readonly hash: SnapshotHash;
  readonly note: string;
}

function rowsOf({ state, snapshots }: WorkspaceView): {
  readonly applied: readonly Row[];
  readonly saved: readonly Row[];
} {
  const applied = state.history
    .map(({ hash, workspace, at, boundary }, place) => ({
      key: `${place} ${hash}`,
      hash,
      note: text('workspace.history.entry', {
        workspace,
        date: formatDate(at),
        boundary: text(`workspace.history.boundary.${boundary}`),
      }),
    }))
    .reverse();
  const seen = new Set(state.history.map(({ hash }) => hash));
  const saved = snapshots
    .filter(({ hash }) => !seen.has(hash))
    .map(({ hash, bytes, at }) => ({
      key: hash,
      hash,
      note: text('workspace.history.savedEntry', { size: formatBytes(bytes), date: formatDate(at) }),
    }));
  return { applied, saved };
}

interface RowProps {
  readonly row: Row;
  readonly active: SnapshotHash | undefined;
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
  readonly onCompare: (compared: Compared) => void;
}

function HistoryRow({ row, active, workspace, view, onCompare }: RowProps) {
  const [restoring, setGoing] = useState(false);
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
            {current && <span className="text-xs text-accent-text">{text('workspace.history.active')}</span>}
          </p>
          <p className="numbers text-xs text-muted">{row.note}</p>
        </div>
        {!current && (
          <>
            <Button
              tone="quiet"
              className="h-7"
              aria-label={text('workspace.history.compareNamed', { name })}
              onClick={() => active !== undefined && onCompare({ from: row.hash, to: active })}
            >
              {text('workspace.history.compare')}
            </Button>
            <Button
              className="h-7"
              aria-expanded={restoring}
              aria-label={text('workspace.history.goBackTo', { name })}
              onClick={() => setGoing(!restoring)}
            >
              {text('workspace.history.goBack')}
            </Button>
          </>
        )}
      </div>
      {restoring && (
        <div
          role="group"
          aria-label={text('workspace.history.goBackQuestion', { name })}
          className="mt-2 rounded-md bg-surface p-3"
        >
          <ApplyChoice
            view={view}
            label={text('workspace.history.goBackTo', { name })}
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

/** All versions that were active, newest first, and those that are only stored: compare, go back, clean up. */
export function HistoryTab({ workspace, view, onCompare }: HistoryTabProps) {
  useClock();
  const { applied, saved } = rowsOf(view);
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
      {applied.length === 0 && <p className="text-sm text-muted">{text('workspace.history.none')}</p>}
      {list(text('workspace.history.used'), applied)}
      {list(text('workspace.history.saved'), saved)}
      <CleanUp workspace={workspace} />
    </div>
  );
}

/**
 * Removes stored snapshots that no session or project references: shows their number, then asks for
 * confirmation.
 */
function CleanUp({ workspace }: { readonly workspace: Workspace }) {
  const { ask, act, busy, time } = workspace;
  const [asking, setAsking] = useState(false);
  const count = useCallback(() => ask({ op: 'gc', dryRun: true }), [ask]);
  const answer = useAnswer(count, time);
  const unused = answer?.ok ? (answer.value.removed ?? []).length : 0;
  if (answer && !answer.ok) {
    return <p className="text-xs text-danger-text">{answer.error.message}</p>;
  }
  if (unused === 0) {
    return <p className="text-xs text-muted">{text('workspace.cleanUp.none')}</p>;
  }
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line p-3 text-sm">
      <p className="numbers min-w-48 flex-1">
        {text(asking ? 'workspace.cleanUp.question' : 'workspace.cleanUp.unused', { count: unused })}
      </p>
      {asking ? (
        <>
          <Button tone="quiet" autoFocus onClick={() => setAsking(false)}>
            {text('shared.keep')}
          </Button>
          <Button
            tone="danger"
            disabled={busy !== null}
            onClick={() => {
              setAsking(false);
              void act({ op: 'gc' });
            }}
          >
            {text('workspace.cleanUp.remove', { count: unused })}
          </Button>
        </>
      ) : (
        <Button onClick={() => setAsking(true)}>{text('workspace.cleanUp.start')}</Button>
      )}
    </div>
  );
}
