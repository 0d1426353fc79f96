import type { VersionSelector } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { FolderPlus, LoaderCircle, RefreshCw } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/button';
import { formatDate } from '../../ui/format';
import { SelectField } from '../../ui/select-field';
import { TextField } from '../../ui/text-field';
import type { Workspace } from './use-workspace';
import { shortHash } from './workspace-words';

function BindForm({ workspace, onDone }: { readonly workspace: Workspace; readonly onDone: () => void }) {
  const [name, setName] = useState('');
  const good = /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!good) return;
    void workspace.bind(name).then((bound) => {
      if (bound) onDone();
    });
  };
  return (
    <form
      aria-label="Bind another folder"
      onSubmit={submit}
      className="flex flex-col gap-2 rounded-lg border border-line p-3"
    >
      <TextField
        label="Name"
        value={name}
        autoFocus
        maxLength={64}
        hint="Lower case letters, digits, dots and dashes. The folder is then allowed under this name."
        onChange={(event) => setName(event.target.value)}
      />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" disabled={!good || workspace.busy !== null}>
          Choose the folder…
        </Button>
      </div>
    </form>
  );
}

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
  /** Something else is the next thing to do. */
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
        <p className="text-xs text-copper-text">The files have changed since they were read.</p>
      )}
    </>
  );
}

/** Which workspace is bound, in which version, where it lies, and the way to read it. */
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
  const [binds, setBinds] = useState(false);
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
      <div className="flex flex-wrap items-center gap-2">
        <SyncButton busy={busy} quiet={view.state.pending !== null} onSync={() => void sync()} />
        <Button tone="quiet" aria-expanded={binds} onClick={() => setBinds(!binds)}>
          <FolderPlus aria-hidden size={14} /> Bind another folder
        </Button>
      </div>
      {binds && <BindForm workspace={workspace} onDone={() => setBinds(false)} />}
    </section>
  );
}
