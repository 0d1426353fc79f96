import type { VersionSelector } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';
import { LoaderCircle, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { formatDate } from '../../ui/format';
import { SelectField } from '../../ui/select-field';
import { BindButtons, BindForm, type BindWay } from './bind-form';
import type { Workspace } from './use-workspace';
import { nothingToSync, shortHash } from './workspace-labels';
import { useClock } from '../../ui/use-clock';

interface Selection {
  readonly workspace: string;
  readonly version: VersionSelector;
}

function Selectors({
  view,
  selected,
  onSelect,
}: {
  readonly view: WorkspaceView;
  readonly selected: Selection;
  readonly onSelect: (selected: Selection) => void;
}) {
  useClock();
  const versions = [
    { value: 'latest', label: text('workspace.source.latest') },
    ...view.snapshots.map(({ hash, at }) => ({
      value: hash,
      label: text('workspace.source.savedVersion', { hash: shortHash(hash), date: formatDate(at) }),
    })),
  ];
  return (
    <div className="grid grid-cols-2 gap-2">
      <SelectField
        label={text('workspace.source.workspace')}
        value={selected.workspace}
        options={view.workspaces.map((name) => ({ value: name, label: name }))}
        onChange={(workspace) => onSelect({ workspace, version: 'latest' })}
      />
      <SelectField
        label={text('workspace.source.version')}
        value={selected.version}
        options={versions}
        onChange={(version) => onSelect({ ...selected, version })}
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
      {text(syncing ? 'workspace.source.syncing' : 'workspace.source.sync')}
    </Button>
  );
}

/** Where the user's files are; the built-in ones are Patina's own, and nobody edits them. */
function Folder({
  builtIn,
  folder,
  folderChanged,
}: Pick<WorkspaceView, 'builtIn' | 'folder' | 'folderChanged'>) {
  return (
    <>
      {folder !== null && !builtIn && (
        <p dir="ltr" className="readable font-mono text-2xs text-muted wrap-anywhere">
          {folder}
        </p>
      )}
      {folderChanged === true && (
        <p className="text-xs text-copper-text">{text('workspace.source.differs')}</p>
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
  const [selected, setSelected] = useState<Selection | null>(null);
  const [binds, setBinds] = useState<BindWay | null>(null);
  const shown = selected ?? binding;
  const other = shown.workspace !== binding.workspace || shown.version !== binding.version;
  const sync = async () => {
    await act(other ? { op: 'sync', workspace: shown.workspace, version: shown.version } : { op: 'sync' });
    setSelected(null);
  };
  return (
    <section aria-label={text('workspace.source.label')} className="flex flex-col gap-2">
      {!nothingToSync(view) && (
        <>
          <Selectors view={view} selected={shown} onSelect={setSelected} />
          {other ? (
            <p className="text-xs text-muted">{text('workspace.source.notYet')}</p>
          ) : (
            <Folder {...view} />
          )}
          <SyncButton busy={busy} quiet={view.state.pending !== null} onSync={() => void sync()} />
        </>
      )}
      {!view.builtIn && (
        <div className="-mx-1 flex flex-wrap">
          <BindButtons way={binds} onWay={setBinds} />
        </div>
      )}
      {view.builtIn && (
        <div className="flex flex-col gap-2 rounded-lg border border-line p-3">
          <p className="text-sm">{text('workspace.source.none')}</p>
          <p className="text-xs text-muted">{text('workspace.source.noneHint')}</p>
          <div className="flex flex-wrap gap-2">
            <BindButtons way={binds} onWay={setBinds} />
          </div>
        </div>
      )}
      {binds && <BindForm key={binds} way={binds} workspace={workspace} onDone={() => setBinds(null)} />}
    </section>
  );
}
