import {
  ChevronRight,
  FileCheck2,
  PackageOpen,
  PenLine,
  Search,
  Settings2,
  SquareTerminal,
  Workflow,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../../locales/text';
import { useKeysOf } from '../../actions/action-rows';
import { useApp, useMirror } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { Keys } from '../../ui/keys';
import { NeedsYou } from './needs-you';
import { SessionList } from './session-list';

interface RailActionProps {
  readonly icon: ReactNode;
  readonly label: string;
  readonly keys?: string | undefined;
  readonly onClick: () => void;
}

function RailAction({ icon, label, keys, onClick }: RailActionProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm text-text transition-colors hover:bg-hover"
    >
      <span className="text-muted">{icon}</span>
      <span className="min-w-0 flex-1 truncate text-start">{label}</span>
      {keys && <Keys keys={keys} />}
    </button>
  );
}

function DesignRecordsAction() {
  const { view } = useApp();
  return (
    <RailAction
      icon={<FileCheck2 aria-hidden size={16} strokeWidth={1.75} />}
      label={text('ddrs.title')}
      onClick={() => view.set({ dialog: { kind: 'ddrs' } })}
    />
  );
}

function WorkspaceAction() {
  const { view } = useApp();
  return (
    <RailAction
      icon={<PackageOpen aria-hidden size={16} strokeWidth={1.75} />}
      label={text('rail.workspace')}
      keys={useKeysOf('workspace')}
      onClick={() => view.set({ dialog: { kind: 'workspace' } })}
    />
  );
}

const ownedActions = { designRecords: DesignRecordsAction, workspace: WorkspaceAction };
const ownedKinds = ['designRecords', 'workspace'] as const;

/** Design records and the workspace: listed once the user has one, behind a button until then. */
function AdvancedActions() {
  const { commands } = useApp();
  const own = useMirror((mirror) => mirror.info?.own);
  const open = useMirror((mirror) => mirror.settings.advancedOpen);
  const actionsOf = (wanted: boolean) =>
    ownedKinds
      .filter((kind) => (own?.[kind] === true) === wanted)
      .map((kind) => {
        const Action = ownedActions[kind];
        return <Action key={kind} />;
      });
  const hidden = actionsOf(false);
  return (
    <>
      {actionsOf(true)}
      {hidden.length > 0 && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => void commands.changeSettings({ advancedOpen: !open })}
          className="flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm text-text transition-colors hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            size={16}
            strokeWidth={1.75}
            className={classNames('text-muted transition-transform', open && 'rotate-(--quarter-turn)')}
          />
          {text('rail.advanced')}
        </button>
      )}
      {open && <div className="ps-4 empty:hidden">{hidden}</div>}
    </>
  );
}

export interface RailProps {
  readonly className?: string;
  /** The divider at the rail's edge, if any. */
  readonly children?: ReactNode;
}

/** The session list, with buttons for a new session, the search, all commands and settings. */
export function Rail({ className, children }: RailProps) {
  const { view, commands } = useApp();
  return (
    <nav
      aria-label={text('rail.name')}
      className={classNames('relative flex h-full min-w-0 flex-col bg-rail', className)}
    >
      <div className="flex flex-col gap-px p-2 pb-1">
        <RailAction
          icon={<PenLine aria-hidden size={16} strokeWidth={1.75} />}
          label={text('shared.newSession')}
          keys={useKeysOf('new-session')}
          onClick={commands.newSession}
        />
        <RailAction
          icon={<Search aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.search')}
          keys={useKeysOf('search-sessions')}
          onClick={() => view.set({ dialog: { kind: 'search' } })}
        />
        <RailAction
          icon={<SquareTerminal aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.commands')}
          keys={useKeysOf('palette')}
          onClick={() => view.set({ dialog: { kind: 'palette' } })}
        />
        <NeedsYou />
      </div>
      <SessionList />
      <div className="border-t border-line p-2">
        <RailAction
          icon={<Workflow aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.workflows')}
          onClick={() => view.set({ dialog: { kind: 'workflows' } })}
        />
        <AdvancedActions />
        <RailAction
          icon={<Settings2 aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.settings')}
          keys={useKeysOf('settings')}
          onClick={() => view.set({ dialog: { kind: 'settings', section: 'appearance' } })}
        />
      </div>
      {children}
    </nav>
  );
}
