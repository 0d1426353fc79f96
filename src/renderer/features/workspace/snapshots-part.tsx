import type { SnapshotHash, StagedSnapshot, WorkspaceState } from '#shared/workspace';
import type { WorkspaceContents, WorkspaceView } from '#shared/workspace-call';
import { CircleCheck, CircleDashed, Hourglass, type LucideIcon } from 'lucide-react';
import { text } from '../../locales/text';
import { formatDate } from '../../ui/format';
import { ApplyChoice } from './apply-choice';
import type { Workspace } from './use-workspace';
import { countsOf, nothingToSync, shortHash, versionText } from './workspace-labels';
import { useClock } from '../../ui/use-clock';

type WaitingSnapshot = NonNullable<WorkspaceState['waiting']>;

interface LineProps {
  readonly icon: LucideIcon;
  readonly ink: string;
  readonly title: string;
  readonly hash: SnapshotHash;
  readonly note: string;
  readonly contents: WorkspaceContents | null;
}

function SnapshotLine({ icon: Icon, ink, title, hash, note, contents }: LineProps) {
  return (
    <div className="flex items-start gap-2">
      <Icon aria-hidden size={16} strokeWidth={1.75} className={`mt-0.5 shrink-0 ${ink}`} />
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm font-medium">
          {title}
          <code title={hash} className="readable font-mono text-xs font-normal text-muted">
            {shortHash(hash)}
          </code>
        </p>
        {note !== '' && <p className="numbers text-xs text-muted">{note}</p>}
        {contents && (
          <p className="numbers text-xs text-muted">
            {countsOf(contents)}
            {contents.legacy && ` · ${text('workspace.versions.noIndex')}`}
          </p>
        )}
      </div>
    </div>
  );
}

function activeNote({ state }: WorkspaceView): string {
  const last = state.history.at(-1);
  if (!last || state.active === null) return text('workspace.versions.builtIn');
  return text('workspace.versions.since', { workspace: last.workspace, date: formatDate(last.at) });
}

interface Shown {
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
}

function Active({ view }: Pick<Shown, 'view'>) {
  useClock();
  const hash = view.state.active ?? view.contents?.hash;
  if (hash === undefined) return null;
  return (
    <SnapshotLine
      icon={CircleCheck}
      ink="text-accent-text"
      title={text('workspace.versions.active')}
      hash={hash}
      note={activeNote(view)}
      contents={view.contents}
    />
  );
}

/** The source of a staged snapshot. */
function sourceOf({ snapshots }: WorkspaceView, { hash, binding }: StagedSnapshot): string {
  const at = snapshots.find((row) => row.hash === hash)?.at;
  const { workspace } = binding;
  const version = versionText(binding.version);
  return at === undefined
    ? text('workspace.versions.source', { workspace, version })
    : text('workspace.versions.sourceSaved', { workspace, version, date: formatDate(at) });
}

function Waiting({
  staged,
  contents,
}: {
  readonly staged: WaitingSnapshot;
  readonly contents: WorkspaceContents | null;
}) {
  useClock();
  return (
    <SnapshotLine
      icon={Hourglass}
      ink="text-copper-text"
      title={text('workspace.versions.scheduled')}
      hash={staged.hash}
      note={text(`workspace.when.${staged.when}`)}
      contents={contents}
    />
  );
}

/** The pending or scheduled version, and when to use it. */
function Next({ workspace, view }: Shown) {
  const { pending, waiting } = view.state;
  const next = pending ?? waiting;
  if (!next && nothingToSync(view)) return null;
  if (!next) {
    return (
      <p className="flex items-start gap-2 text-xs text-muted">
        <CircleDashed aria-hidden size={16} strokeWidth={1.75} className="shrink-0" />
        {text('workspace.versions.none')}
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      {waiting && <Waiting staged={waiting} contents={pending ? null : view.staged} />}
      {pending && (
        <SnapshotLine
          icon={CircleDashed}
          ink="text-copper-text"
          title={text('workspace.versions.pending')}
          hash={pending.hash}
          note={sourceOf(view, pending)}
          contents={view.staged}
        />
      )}
      <ApplyChoice
        key={`${next.hash} ${waiting?.when}`}
        view={view}
        requested={pending ? undefined : waiting?.when}
        label={text(pending ? 'workspace.apply.use' : 'workspace.apply.change')}
        disabled={workspace.busy !== null}
        onApply={(when) => void workspace.act({ op: 'apply', when })}
      />
    </div>
  );
}

/** The active version and the next one. */
export function SnapshotsPart({ workspace, view }: Shown) {
  return (
    <section
      aria-label={text('workspace.versions.label')}
      className="flex flex-col gap-3 border-t border-line pt-4"
    >
      <Active view={view} />
      <Next workspace={workspace} view={view} />
    </section>
  );
}
