import type { VersionSelector } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { LoaderCircle, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button';
import { formatDate } from '../../ui/format';
import { SelectField } from '../../ui/select-field';
import { BindButtons, BindForm, type BindWay } from './bind-form';
import type { Workspace } from './use-workspace';
import { shortHash } from './workspace-labels';

interface Wish {
  readonly workspace: string;
  readonly version: VersionSelector;
}

function Selectors({
  view,
  wish,
  onWish,
}: {
  readonly view: WorkspaceView;
  readonly wish: Wish;
  readonly onWish: (wish: Wish) => void;
}) {
  const versions = [
    { value: 'latest', label: 'latest' },
    ...view.snapshots.map(({ hash, at }) => ({
      value: hash,
      label: `${shortHash(hash)}, kept ${formatDate(at)}`,
    })),
  ];
  return (
    <div className="grid grid-cols-2 gap-2">
      <SelectField
        label="Workspace"
        value={wish.workspace}
        options={view.workspaces.map((name) => ({ value: name, label: name }))}
        onChange={(workspace) => onWish({ workspace, version: 'latest' })}
      />
      <SelectField
        label="Version"
        value={wish.version}
        options={versions}
        onChange={(version) => onWish({ ...wish, version })}
      />
    </div>
  );
}

interface SyncProps extends Pick<Workspace, 'busy'> {
  /** Another action is the next step, so this one is not emphasised. */
  readonly quiet: boolean;
  readonly onSync: () => void;
}

function SyncButton({ busy, quiet, onSync }: SyncProps) {
  const syncing = busy === 'sync';
  const Icon = syncing ? LoaderCircle : RefreshCw;
  return (
    <Button tone={quiet ? 'plain' : 'primary'} data-autofocus disabled={busy !== null} onClick={onSync}>
      <Icon aria-hidden size={14} className={syncing ? 'animate-spin' : ''} />
      {syncing ? 'Syncing…' : 'Sync'}
    </Button>
  );
}

function Folder({ folder, folderChanged }: Pick<WorkspaceView, 'folder' | 'folderChanged'>) {
  return (
    <>
      {folder !== null && (
        <p dir="ltr" className="readable font-mono text-2xs text-muted wrap-anywhere">
          {folder}
        </p>
      )}
      {folderChanged === true && (
        <p className="text-xs text-copper-text">
          The files say something else than the newest snapshot here.
        </p>
      )}
    </>
  );
}

/** The bound workspace: its version, its location, and a button to read it. */
export function BindingPart({
  workspace,
  view,
}: {
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
}) {
  const { busy, act } = workspace;
  const { binding } = view.state;
  const [wish, setWish] = useState<Wish | null>(null);
  const [binds, setBinds] = useState<BindWay | null>(null);
  const shown = wish ?? binding;
  const other = shown.workspace !== binding.workspace || shown.version !== binding.version;
  const sync = async () => {
    await act(other ? { op: 'sync', workspace: shown.workspace, version: shown.version } : { op: 'sync' });
    setWish(null);
  };
  return (
    <section aria-label="Binding" className="flex flex-col gap-2">
      <Selectors view={view} wish={shown} onWish={setWish} />
      {other ? (
        <p className="text-xs text-muted">Bound when its snapshot is applied; until then nothing changes.</p>
      ) : (
        <Folder {...view} />
      )}
      <SyncButton busy={busy} quiet={view.state.pending !== null} onSync={() => void sync()} />
      {!view.builtIn && (
        <div className="-mx-1 flex flex-wrap">
          <BindButtons way={binds} onWay={setBinds} />
        </div>
      )}
      {view.builtIn && (
        <div className="flex flex-col gap-2 rounded-lg border border-line p-3">
          <p className="text-sm">There is no workspace of your own here yet.</p>
          <p className="text-xs text-muted">
            What Patina brings is in use. Begin with a copy of it in a folder of yours, or bind a folder that
            has a workspace.
          </p>
          <div className="flex flex-wrap gap-2">
            <BindButtons way={binds} onWay={setBinds} />
          </div>
        </div>
      )}
      {binds && <BindForm key={binds} way={binds} workspace={workspace} onDone={() => setBinds(null)} />}
    </section>
  );
}
